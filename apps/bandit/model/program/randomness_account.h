// Who could know what: for each source of a run's randomness, who drew it, who knows it, and who would have to talk to
// whom to read a run with it. The table of run.json, report.html and SECURITY.md.
//
// Sets of roles are the least ones: every larger set knows and reads as much. All compute parties together read
// everything in any run, since what they hold are shares.
#pragma once

#include <string>
#include <vector>

#include "apps/bandit/model/parameters.h"
#include "sotto/protocol/party/topology.h"

namespace sotto::apps::bandit {

// By name, "party 0", "dealer"; in the order dealer, parties, owners or helper, actor, rewarder.
using RoleSet = std::vector<std::string>;

struct RandomnessSource {
  std::string source;  // "masks and one-time tables"
  std::string drawn_by;
  std::vector<RoleSet> known_to;
  std::vector<RoleSet> read_by;
  std::string what;  // they read

  static void describe(auto& self, auto&& field) {
    field("source", self.source);
    field("drawn_by", self.drawn_by);
    field("known_to", self.known_to);
    field("read_by", self.read_by);
    field("what", self.what);
  }
};

// The topology is one of `by`.
[[nodiscard]] std::vector<RandomnessSource> randomness_account(RandomnessBy by, const Topology& topology);

// "dealer with party 0, or party 0 with party 1".
[[nodiscard]] std::string sets_in_words(const std::vector<RoleSet>& sets);

}  // namespace sotto::apps::bandit
