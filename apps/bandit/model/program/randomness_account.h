// The account of a run's randomness: for each source, which role drew the randomness and which sets of roles know it.
// The account also says which sets of roles could read private data of a run from this randomness
// (docs/explain/privacy.md).
//
// Only the smallest sets of roles are listed: every larger set knows and reads at least as much. All compute parties
// together read everything in any run, since they hold all shares.
#pragma once

#include <string>
#include <vector>

#include "apps/bandit/model/parameters.h"
#include "sotto/protocol/party/topology.h"

namespace sotto::apps::bandit {

using RoleSet = std::vector<std::string>;

struct RandomnessSource {
  std::string source;
  std::string drawn_by;
  std::vector<RoleSet> known_to;
  std::vector<RoleSet> read_by;
  std::string what;  // data that `read_by` can read

  static void describe(auto& self, auto&& field) {
    field("source", self.source);
    field("drawn_by", self.drawn_by);
    field("known_to", self.known_to);
    field("read_by", self.read_by);
    field("what", self.what);
  }
};

[[nodiscard]] std::vector<RandomnessSource> randomness_account(RandomnessBy by, const Topology& topology);

[[nodiscard]] std::string sets_in_words(const std::vector<RoleSet>& sets);

}  // namespace sotto::apps::bandit
