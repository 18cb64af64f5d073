#include "sotto/apps/kit/settings/keys.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include "sotto/core/party/topology.h"

namespace sotto::apps {
namespace {

using enum ValueKind;

std::vector<ConfigKey> fixed_keys() {
  return {
      {"run", "session", text, "32 lower-case hex digits",
       "32 hex digits that name the run; `openssl rand -hex 16` makes fresh ones", ""},
      {"run", "protocol", text, "\"bandit\" or \"o3m\"",
       "What the roles run: \"bandit\", the private bandit, or \"o3m\"", ""},
      {"run", "parties", whole, "2 to 8", "Compute parties, 2 to 8", "", KeyOf::bandit},
      {"run", "participants", whole, "2 to 8",
       "Participants, 2 to 8: the active one and passive ones", "", KeyOf::o3m},
      {"run", "steps", whole, "a whole number of steps, at least 1", "Steps of the run", ""},
      {"run", "arms", whole, "a whole number of arms, 1 to 1024", "Arms, 1 to 1024", ""},
      {"run", "epsilon", real, "a number from 0 to 1", "Probability of exploring", "",
       KeyOf::bandit},
      {"run", "bits", whole, "12 to 24", "Fraction bits of the arithmetic, 12 to 24", "",
       KeyOf::bandit},
      {"run", "max_norm", real, "a number above 0 and at most 8",
       "Public bound on the norm of a joint context; without it the parties announce bounds", "",
       KeyOf::bandit},
      {"run", "joint_norm_holds", choice, "true or false",
       "Somebody has seen that the joint contexts keep to max_norm, which the parties' bounds "
       "alone "
       "do not make sure of",
       "--joint-norm-holds", KeyOf::bandit},
      {"run", "rewards", text, "\"binary\" or \"real\"",
       "\"binary\", all 0 or 1, or \"real\", in [-1, 1]", "", KeyOf::bandit},
      {"run", "deal_ahead", choice, "true or false",
       "The last party takes all correlations before the first step", "", KeyOf::bandit},
      {"run", "reveal_model", choice, "true or false", "Open the model to the parties at the end",
       "", KeyOf::bandit},
      {"run", "separate_rewarder", choice, "true or false",
       "The rewarder is a role of its own, not the actor", "", KeyOf::bandit},
      {"run", "checkpoint_every", whole, "a whole number of steps, 0 for no checkpoints",
       "Steps between two checkpoints that a run can be resumed from; 0: none", "", KeyOf::bandit},
      {"run", "algorithm", text, "\"ucb\" or \"ts\"", "\"ucb\", LinUCB, or \"ts\", LinTS", "",
       KeyOf::o3m},
      {"run", "beta", real, "a number, 0 or above", "LinUCB: weight of the confidence width", "",
       KeyOf::o3m},
      {"run", "v", real, "a number, 0 or above", "LinTS: standard deviation of the sampling", "",
       KeyOf::o3m},
      {"run", "lambda", real, "a number above 0", "Of the ridge regression", "", KeyOf::o3m},
      {"run", "mask_generator", text, "\"third party\" or the number of a passive participant",
       "Who makes the masks: \"third party\", a role of its own, or the number of a passive "
       "participant",
       "", KeyOf::o3m},
      {"run", "insecure_blocks", choice, "true or false",
       "The active participant sees the masked block of each participant, not their sum alone", "",
       KeyOf::o3m},
      {"run", "acknowledge_leakage", choice, "true or false",
       "Whoever starts this role knows what O3M tells the others (docs/o3m.md); without it no role "
       "starts",
       "--acknowledge-leakage", KeyOf::o3m},
      {"run", "insecure_seed", whole, "a whole number",
       "Repeatable randomness, for tests: everybody can compute all masks", ""},
      {"run", "insecure_plaintext", choice, "true or false",
       "Links without TLS: who is on the way reads and changes everything", "--insecure-plaintext"},
      {"run", "insecure_shared_keys", choice, "true or false",
       "One person made the keys of all roles, and could play each of them", ""},

      {"link", "delay", text, "a text such as \"20ms\"", "Emulated delay of each link, one way",
       ""},
      {"link", "jitter", text, "a text such as \"2ms\"",
       "Emulated further delay of each write, uniform from 0 to this", ""},
      {"link", "rate", text, "a text such as \"100mbit\"",
       "Emulated rate of each direction of each link, a second", ""},
      {"link", "loss", text, "a text such as \"30s\" or \"0.01/s\"",
       "Cuts each link after this time, or with this probability a second", ""},

      {"role", "name", text,
       "\"party\", \"dealer\", \"actor\" or \"rewarder\", of O3M \"active\", \"passive\" or "
       "\"mask_generator\"",
       "Which role this is", ""},
      {"role", "id", whole, "the party's number, from 0, or a passive participant's, from 1",
       "The number of a party, from 0, or of a passive participant, from 1", ""},
      {"role", "data", path, "a file name", "A party's features, CSV", "--data", KeyOf::bandit},
      {"role", "contexts", path, "a file name", "A participant's features, CSV", "--contexts",
       KeyOf::o3m},
      {"role", "arms_file", path, "a file name",
       "Features of the arms, CSV, where the contexts are of users alone", "--arms-file",
       KeyOf::o3m},
      {"role", "combine", text, "\"concatenate\" or \"sum\"",
       "How features of users and of arms make a context: \"concatenate\" or \"sum\", the outer "
       "one",
       "--combine", KeyOf::o3m},
      {"role", "environment", path, "a file name",
       "What each arm earns, CSV: of the role that gets the rewards", "--environment"},
      {"role", "arm_socket", path, "a file name",
       "Where the actor tells a rewarder of its own which arm it pulled: the same path at both, on "
       "one machine",
       "--arm-socket", KeyOf::bandit},
      {"role", "key", path, "a file name", "The role's private key and certificate, PEM", "--key"},
      {"role", "listen", text, "an address, \"host:port\"",
       "Address to listen on, where it is not the one in [peers]", "--listen"},
      {"role", "state", path, "a folder name", "Folder of the role's checkpoints", "--state",
       KeyOf::bandit},
      {"role", "report", path, "a file name", "Where the role writes what it measured, JSON",
       "--report"},
      {"role", "round_deadline_seconds", real, "a number of seconds, above 0 and at most 86400",
       "How long a peer may stay silent, the environment's time included, in seconds",
       "--round-deadline"},
      {"role", "connect_deadline_seconds", real, "a number of seconds, above 0 and at most 86400",
       "How long to wait for all peers at the start, in seconds", "--connect-deadline"},
      {"role", "delay", text, "a delay such as \"until 50ms\"",
       "Delay of what the actor or the rewarder answers: \"until 50ms\", \"uniform 0ms 50ms\" or "
       "\"exponential 20ms\"; hides which arm it was from who measures time",
       "--delay", KeyOf::bandit},
  };
}

// Names of roles as tables have them, and which runs have them.
struct RoleName {
  std::string name;
  KeyOf of;
  bool listens;
};

std::vector<RoleName> role_table() {
  std::vector<RoleName> roles;
  for (std::size_t id = 0; id < max_parties; ++id) {
    roles.push_back({fmt::format("party_{}", id), KeyOf::bandit, true});
  }
  roles.push_back({"dealer", KeyOf::bandit, true});
  roles.push_back({"actor", KeyOf::bandit, false});
  roles.push_back({"rewarder", KeyOf::bandit, false});
  roles.push_back({"active", KeyOf::o3m, true});
  for (std::size_t id = 1; id < max_parties; ++id) {
    roles.push_back({fmt::format("passive_{}", id), KeyOf::o3m, true});
  }
  roles.push_back({"mask_generator", KeyOf::o3m, false});
  return roles;
}

std::vector<ConfigKey> all_keys() {
  std::vector<ConfigKey> keys = fixed_keys();
  const std::vector<RoleName> roles = role_table();
  for (const RoleName& role : roles) {
    if (!role.listens) continue;
    keys.push_back({"peers", role.name, text, "an address, \"host:port\"", "Where the role listens",
                    "", role.of});
  }
  for (const RoleName& role : roles) {
    keys.push_back({"trust", role.name, text,
                    "a fingerprint, \"sha256:\" and 64 lower-case hex digits",
                    "The fingerprint of the role's certificate", "", role.of});
  }
  return keys;
}

}  // namespace

std::string ConfigKey::variable() const {
  std::string result = fmt::format("SOTTO_{}_{}", table, name);
  for (char& c : result) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return result;
}

const std::vector<ConfigKey>& config_keys() {
  static const std::vector<ConfigKey> keys = all_keys();
  return keys;
}

std::string protocol_name(KeyOf of) { return of == KeyOf::o3m ? "O3M" : "the private bandit"; }

const ConfigKey* find_key(std::string_view table, std::string_view name) {
  const std::vector<ConfigKey>& keys = config_keys();
  const auto found = std::find_if(keys.begin(), keys.end(), [&](const ConfigKey& key) {
    return key.table == table && key.name == name;
  });
  return found == keys.end() ? nullptr : &*found;
}

const std::vector<std::string>& config_tables() {
  static const std::vector<std::string> tables{"run", "link", "role", "peers", "trust"};
  return tables;
}

std::vector<std::string> key_names(std::string_view table) {
  std::vector<std::string> names;
  for (const ConfigKey& key : config_keys()) {
    if (key.table == table) names.push_back(key.name);
  }
  return names;
}

}  // namespace sotto::apps
