// The configuration of one role: which role it is, where its peers are, and the run that all agree
// on. A TOML file, here of the private bandit; what is other in a run of O3M is below:
//
//     [run]                    the same at every role; the handshake compares it line by line
//     session = "0123456789abcdef0123456789abcdef"    32 hex digits, fresh for every run
//     parties = 2
//     steps = 1797
//     arms = 10
//     epsilon = 0.1            optional, default 0.1
//     bits = 20                optional
//     max_norm = 1.0           optional: by default the root of the sum of the parties' squared
//                              bounds
//     joint_norm_holds = true  optional, with max_norm: the joint rows keep to it, though the
//                              parties' bounds do not make sure of it
//     rewards = "binary"       or "real": in [-1, 1]
//     deal_ahead = false       optional
//     reveal_model = false     optional
//     separate_rewarder = false    optional
//     checkpoint_every = 1000  optional: steps after which each role stores its state; 0: never
//     insecure_seed = 7        optional: everybody can then compute all masks
//     insecure_plaintext = true    optional: links without TLS, which anybody on the way can read
//     insecure_shared_keys = true  optional: one hand made the private keys of all roles
//
//     [trust]                  the same at every role: fingerprints of all roles' certificates,
//                              `sotto keys show` prints them; not with insecure_plaintext
//     party_0 = "sha256:..."
//     ...
//     dealer = "sha256:..."
//     actor = "sha256:..."
//
//     [link]                   optional, the same at every role: emulates links over distance
//     delay = "20ms"           one way; each key is optional (net/transport/emulate/conditions.h)
//     jitter = "2ms"
//     rate = "100mbit"
//     loss = "30s"
//
//     [role]
//     name = "party"           party, dealer, actor or rewarder
//     id = 0                   of a party
//     data = "a.csv"           a party's features
//     environment = "labels.csv"   who gets the rewards: the simulated environment
//     arm_socket = "/run/arms"     actor and rewarder of a simulation with separate_rewarder: where
//                                  the arm is told
//     key = "party_0.pem"      the role's private key and certificate (`sotto keys new`)
//     listen = "0.0.0.0:7100"  optional: what to bind where it is not the address in [peers]
//     state = "state"          optional: folder of the role's store, with checkpoint_every
//     delay = "until 50ms"     optional, of the actor and the rewarder (apps/bandit/delay.h)
//     report = "party_0.json"  optional: where the role writes what it measured
//     round_deadline_seconds = 60.0    optional: how long a peer may stay silent, the environment's
//                                      time included
//     connect_deadline_seconds = 30.0  optional
//
//     [peers]                  where roles listen; the actor and the rewarder only connect
//     party_0 = "127.0.0.1:7100"
//     party_1 = "127.0.0.1:7101"
//     dealer = "127.0.0.1:7104"
//
// A run of O3M (docs/o3m.md), whose participants take the place of the parties:
//
//     [run]                    session, steps, arms and insecure_... as above
//     protocol = "o3m"
//     participants = 3         the active one, number 0, and passive ones
//     algorithm = "ucb"        or "ts"
//     beta = 0.5               optional: LinUCB's weight of the confidence width
//     v = 0.01                 optional: LinTS' standard deviation
//     lambda = 1.0             optional: of the ridge
//     mask_generator = "third party"   or the number of a passive participant; optional
//     insecure_blocks = false  optional: the active participant sees each one's block, not the sum
//     acknowledge_leakage = true       required: whoever starts the role knows what the others learn
//
//     [trust]                  active, passive_1, ..., and mask_generator where it is a third party
//
//     [role]                   key, listen, report and deadlines as above
//     name = "passive"         active, passive or mask_generator
//     id = 1                   of a passive participant
//     contexts = "b.csv"       of a participant: its features (apps/o3m/files.h)
//     arms_file = "arms.csv"   optional, of a participant: features of the arms
//     combine = "concatenate"  with arms_file: or "sum"
//     environment = "rewards.csv"      of the active participant: what each arm earns
//
//     [peers]                  active, passive_1, ...: each one that another connects to
//                              (net/mesh/peers.h)
//
// Relative paths in a config are relative to its folder. What apps/config makes of it: keys.h lists
// all keys, overlay.h puts variables of the environment and flags over the file, effective.h reads
// the whole, checks.h says what must fit together. Errors are InputError, naming file, line and
// column, or the variable or flag.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sotto/apps/bandit/parameters.h"
#include "sotto/apps/kit/learn/linear_bandit.h"
#include "sotto/apps/o3m/files.h"
#include "sotto/apps/o3m/parameters.h"
#include "sotto/net/transport/emulate/conditions.h"

namespace sotto::apps {

// What all roles of an O3M run must have alike beside what every run has.
struct O3mRun {
  LinearAlgorithm algorithm = LinearAlgorithm::ucb;
  double beta = 0.5;
  double v = 0.01;
  double lambda = 1;
  std::optional<NodeId> mask_generator;  // a passive participant; absent: a third party
  bool insecure_blocks = false;
  bool acknowledge_leakage = false;
};

// What mask_generator in [run] says of a generator that is no participant.
inline constexpr const char* third_party = "third party";

// What all roles must have alike before they know of each other's data.
struct RunConfig {
  std::string session;
  std::optional<O3mRun> o3m;  // absent: the private bandit
  std::size_t parties = 0;    // of O3M: its participants
  std::uint64_t steps = 0;
  std::size_t arms = 0;
  double epsilon = 0.1;
  unsigned bits = 20;
  std::optional<double> max_norm;
  bool joint_norm_holds = false;  // who says so has seen the joint rows
  bool binary_rewards = true;
  bool deal_ahead = false;
  bool reveal_model = false;
  bool separate_rewarder = false;
  std::optional<std::uint64_t> insecure_seed;
  bool insecure_plaintext = false;           // links without TLS
  bool insecure_shared_keys = false;         // one hand made the private keys of all roles
  std::uint64_t checkpoint_every = 0;        // steps; 0: no state is kept
  std::map<std::string, std::string> trust;  // "party_0", ... -> fingerprint of its certificate
  net::LinkConditions link;

  [[nodiscard]] Topology topology() const;
  // A line a parameter, "name = value", in a fixed order: what the handshake compares.
  [[nodiscard]] std::string canonical_text() const;
};

struct RoleConfig {
  RunConfig run;
  Role role = Role::party;
  std::size_t id = 0;  // of a party, or of a passive participant
  std::filesystem::path data;
  std::filesystem::path contexts;   // of a participant of O3M (apps/o3m/files.h), like the next two
  std::filesystem::path arms_file;  // empty: none
  Combine combine = Combine::concatenate;
  std::filesystem::path environment;
  std::filesystem::path arm_socket;
  std::filesystem::path report;
  std::filesystem::path key;    // the role's private key and certificate, PEM
  std::string listen;           // host:port to bind; empty: the role's own address in [peers]
  std::filesystem::path state;  // folder of the role's store
  std::string delay;            // of actor and rewarder; empty: none
  bool resume = false;          // never in a file: the flag --resume
  double round_deadline_seconds = 60;
  double connect_deadline_seconds = 30;
  std::map<std::string, std::string> peers;  // "party_0", ..., "dealer" -> host:port

  // "party 0", "actor", "rewarder", "dealer"; "active participant", "passive participant 1", "mask
  // generator".
  [[nodiscard]] std::string name() const;
};

// The key of a role in [peers]: "party_0", "actor", ..., "active", "passive_1", "mask_generator".
[[nodiscard]] std::string peer_key(Role role, std::size_t id);

// The file alone, without variables and flags. All paths are absolute then.
[[nodiscard]] RoleConfig read_role_config(const std::filesystem::path& path);
// What reads back as the same config, apart from `resume`.
[[nodiscard]] std::string to_toml(const RoleConfig& config);

// 32 hex digits from the operating system.
[[nodiscard]] std::string fresh_session();

// The bandit's parameters once every party has announced its columns and the bound on its rows.
[[nodiscard]] BanditParameters bandit_parameters(const RunConfig& run,
                                                 const std::vector<std::size_t>& columns,
                                                 const std::vector<double>& bounds);

// The same of a run of O3M, of its participants.
[[nodiscard]] O3mParameters o3m_parameters(const RunConfig& run, std::vector<std::size_t> columns,
                                           std::vector<double> bounds);

}  // namespace sotto::apps
