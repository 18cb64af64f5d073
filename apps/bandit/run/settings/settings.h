// The settings of a role of the private bandit. A config, TOML:
//
//     [run]                    the same at every role; the handshake compares it line by line
//     session = "0123456789abcdef0123456789abcdef"
//     parties = 2
//     steps = 1797
//     arms = 10
//
//     [trust]                  fingerprints of all roles' certificates, `sotto keys show` prints them
//     party_0 = "sha256:..."
//
//     [role]
//     name = "party"           party, owner, dealer, helper, actor or rewarder
//     id = 0                   of a party or an owner
//     data = "a.csv"
//     key = "party_0.pem"
//
//     [peers]                  where roles listen; owners, the actor and the rewarder only connect
//     party_0 = "127.0.0.1:7100"
//
// The list in settings.cc has all keys. Relative paths in a config are relative to its folder.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "apps/bandit/run/log/weight_rule.h"
#include "apps/bandit/model/parameters.h"
#include "apps/kit/settings/role_settings.h"
#include "sotto/protocol/party/topology.h"

namespace sotto::apps {

[[nodiscard]] const Program& bandit_program();

struct BanditSettings final : RoleSettingsOf<BanditRole> {
  std::size_t parties = 0;
  std::size_t computing_only = 0;  // of them, the last ones, which bring no features
  std::size_t owners = 0;          // which bring features and do not compute
  std::uint64_t steps = 0;
  std::size_t arms = 0;
  double epsilon = 0.1;
  unsigned bits = 20;
  std::optional<double> max_norm;
  bool joint_norm_holds = false;  // who says so has seen the joint rows
  bool binary_rewards = true;
  bool contexts_ahead = true;
  StepUpdate update = StepUpdate::all_arms;
  bool deal_ahead = false;
  bool reveal_model = false;
  bool separate_rewarder = false;
  std::size_t batch = 1;               // events that are decided at once
  std::uint64_t reward_lag = 0;        // events that are decided before the reward of one is known
  std::uint64_t checkpoint_every = 0;  // steps; 0: no state is kept
  BanditTask task = BanditTask::play;
  RandomnessBy preprocessing = RandomnessBy::dealer;
  double reward_scale = 1;          // what rewards are divided by
  bool clip_rewards = false;        // larger ones of a log count as the scale
  std::uint64_t events_before = 0;  // that the model has learned which the run begins from; 0: none
  // Where a log is evaluated.
  double held_out = .5;  // part of its events
  bool mixed = false;    // taken from everywhere, not the last ones
  Propensities propensities = Propensities::logged;
  double least_propensity = .01;
  bool clip_weights = false;
  std::size_t arms_offered = 0;  // that each event had to choose from; 0: all that were played
  bool full_support = false;     // the actor says that each arm had a chance in each event

  std::filesystem::path data;          // of a party or an owner
  std::filesystem::path environment;   // of the role that gets the rewards
  std::string world;                   // instead of both: unix:PATH of a simulator (role/world_line.h)
  std::optional<std::size_t> columns;  // of a party with a world
  std::filesystem::path log;           // of the actor, where the task is about one
  std::filesystem::path from;  // of a party: its config of the run whose model this one begins from, or its folder
  std::filesystem::path arm_socket;  // of actor and rewarder, where they are two
  std::filesystem::path state;       // folder of the role's store
  std::filesystem::path stock;       // folder of randomness made ahead (apps/bandit/run/stock/stock.h)
  std::string delay;                 // of actor and rewarder; empty: none
  bool resume = false;               // never in a file: the flag --resume

  // Decisions and learning are apart (apps/bandit/model/batch/private_batches.h).
  [[nodiscard]] bool in_batches() const {
    return batch > 1 || reward_lag > 0 || task != BanditTask::play || events_before > 0;
  }
  [[nodiscard]] WeightRule weight_rule() const {
    return {propensities, least_propensity, clip_weights, arms_offered, full_support};
  }
  // Of the steps, those that are evaluated.
  [[nodiscard]] std::uint64_t events_held_out() const;
  [[nodiscard]] const Program& program() const override { return bandit_program(); }
  [[nodiscard]] std::unique_ptr<RoleSettings> clone() const override { return std::make_unique<BanditSettings>(*this); }
  [[nodiscard]] Topology topology() const override {
    return bandit_topology(parties, separate_rewarder, preprocessing, owners);
  }
  [[nodiscard]] FeatureHolders holders() const { return {parties, computing_only, owners}; }
  [[nodiscard]] std::vector<RunRole> roles() const override;
  void check(const ConfigDocument& document) const override;
  void check_plan() const override;
  void name_files() override;
  [[nodiscard]] std::string in_short() const override;
  [[nodiscard]] std::vector<ReadmeStep> readme_steps() const override;
  [[nodiscard]] std::vector<Finding> check_files() const override;
  [[nodiscard]] std::string announcement() const override;
  // Whether the run can be refused for the norms of its joint rows, from what its parties announced. Nothing of a run
  // without max_norm, whose bound follows from them.
  [[nodiscard]] std::vector<Finding> check_announcements(
      const std::map<NodeId, std::string>& announcements) const override;
};

// The path of a world, "unix:PATH"; InputError, which begins with `where`, if the text is no such address.
[[nodiscard]] std::filesystem::path world_path(const std::string& address, const std::string& where);

// A party, unless it only computes, or an owner.
[[nodiscard]] bool brings_features(const BanditSettings& settings);
// Actor or rewarder.
[[nodiscard]] bool is_outside(const BanditSettings& settings);
[[nodiscard]] bool gets_rewards(const BanditSettings& settings);

// Throws InputError, naming the flag, where who makes the run's randomness and its other settings do not go together.
void require_randomness(const BanditSettings& run);

// Throws InputError where what is said of the propensities of a log does not go together; `place` says where a key of
// [run] stands.
void require_propensities(const BanditSettings& run, const std::function<std::string(const char* key)>& place);

// "party 0", ..., "owner 0", ...: who brings features, in the order of holders.
[[nodiscard]] std::vector<std::string> holder_names(const BanditSettings& settings);

// Throws InputError, naming the flag, where who brings features and the run's other settings do not go together.
void require_holders(const BanditSettings& run);

// The run's parameters once all that bring features have announced their columns and the bound on their rows.
[[nodiscard]] BanditParameters bandit_parameters(const BanditSettings& run, const std::vector<std::size_t>& columns,
                                                 const std::vector<double>& bounds);

}  // namespace sotto::apps
