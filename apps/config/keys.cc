#include "apps/config/keys.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include "core/party/topology.h"

namespace sotto::apps {
namespace {

using enum ValueKind;

std::vector<ConfigKey> fixed_keys() {
  return {
      {"run", "session", text, "32 lower-case hex digits",
       "32 hex digits that name the run; `openssl rand -hex 16` makes fresh ones", ""},
      {"run", "parties", whole, "2 to 8", "Compute parties, 2 to 8", ""},
      {"run", "steps", whole, "a whole number of steps, at least 1", "Steps of the run", ""},
      {"run", "arms", whole, "a whole number of arms, 1 to 1024", "Arms, 1 to 1024", ""},
      {"run", "epsilon", real, "a number from 0 to 1", "Probability of exploring", ""},
      {"run", "bits", whole, "12 to 24", "Fraction bits of the arithmetic, 12 to 24", ""},
      {"run", "max_norm", real, "a number above 0 and at most 8",
       "Public bound on the norm of a joint context; without it the parties announce bounds", ""},
      {"run", "rewards", text, "\"binary\" or \"real\"",
       "\"binary\", all 0 or 1, or \"real\", in [-1, 1]", ""},
      {"run", "deal_ahead", choice, "true or false",
       "The last party takes all correlations before the first step", ""},
      {"run", "reveal_model", choice, "true or false", "Open the model to the parties at the end",
       ""},
      {"run", "separate_rewarder", choice, "true or false",
       "The rewarder is a role of its own, not the actor", ""},
      {"run", "checkpoint_every", whole, "a whole number of steps, 0 for no checkpoints",
       "Steps between two checkpoints that a run can be resumed from; 0: none", ""},
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

      {"role", "name", text, "\"party\", \"dealer\", \"actor\" or \"rewarder\"",
       "Which role this is", ""},
      {"role", "id", whole, "the party's number, from 0", "The number of a party, from 0", ""},
      {"role", "data", path, "a file name", "A party's features, CSV", "--data"},
      {"role", "environment", path, "a file name",
       "What each arm earns, CSV: of the role that gets the rewards", "--environment"},
      {"role", "arm_socket", path, "a file name",
       "Where the actor tells a rewarder of its own which arm it pulled: the same path at both, on "
       "one machine",
       "--arm-socket"},
      {"role", "key", path, "a file name", "The role's private key and certificate, PEM", "--key"},
      {"role", "listen", text, "an address, \"host:port\"",
       "Address to listen on, where it is not the one in [peers]", "--listen"},
      {"role", "state", path, "a folder name", "Folder of the role's checkpoints", "--state"},
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
       "--delay"},
  };
}

std::vector<ConfigKey> all_keys() {
  std::vector<ConfigKey> keys = fixed_keys();
  std::vector<std::string> listening;
  for (std::size_t id = 0; id < max_parties; ++id) listening.push_back(fmt::format("party_{}", id));
  listening.emplace_back("dealer");
  for (const std::string& role : listening) {
    keys.push_back(
        {"peers", role, text, "an address, \"host:port\"", "Where the role listens", ""});
  }
  std::vector<std::string> all = std::move(listening);
  all.insert(all.end(), {"actor", "rewarder"});
  for (const std::string& role : all) {
    keys.push_back({"trust", role, text, "a fingerprint, \"sha256:\" and 64 lower-case hex digits",
                    "The fingerprint of the role's certificate", ""});
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
