// The account of a run's randomness. For each source of randomness the account says which role drew it, which sets of
// roles know it, and which sets of roles could read a run with it. The account is the table of run.json and report.html
// (docs/explain/privacy.md, "Without a dealer").
//
// Only the smallest sets of roles are listed: every larger set knows and reads at least as much. All compute parties
// together read everything in any run, since they hold all shares.
#pragma once

#include <string>
#include <vector>

#include "apps/bandit/model/parameters.h"
#include "sotto/protocol/party/topology.h"

namespace sotto::apps::bandit {

// Names such as "party 0" and "dealer", in the order dealer, parties, owners or helper, actor, rewarder.
using RoleSet = std::vector<std::string>;

struct RandomnessSource {
  std::string source;  // "masks and one-time tables"
  std::string drawn_by;
  std::vector<RoleSet> known_to;
  std::vector<RoleSet> read_by;
  std::string what;  // the data that the roles of `read_by` read

  static void describe(auto& self, auto&& field) {
    field("source", self.source);
    field("drawn_by", self.drawn_by);
    field("known_to", self.known_to);
    field("read_by", self.read_by);
    field("what", self.what);
  }
};

// `topology` must be the topology of a run in the mode `by`.
[[nodiscard]] std::vector<RandomnessSource> randomness_account(RandomnessBy by, const Topology& topology);

// For example "dealer with party 0, or party 0 with party 1".
[[nodiscard]] std::string sets_in_words(const std::vector<RoleSet>& sets);

}  // namespace sotto::apps::bandit
