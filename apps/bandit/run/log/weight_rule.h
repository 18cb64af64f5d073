// What a run says of the propensities of its log.
#pragma once

#include <cstddef>
#include <cstdint>

namespace sotto::apps::bandit::run {

// Where propensities come from: the log's column, or each arm's share of the events. The latter is right only where
// arms were played at random alike, whatever the context was.
enum class Propensities : std::uint8_t { logged, frequencies };

struct WeightRule {
  Propensities propensities = Propensities::logged;
  double least_propensity = .01;
  bool clips = false;            // what is below counts as if it were least_propensity; otherwise it is refused
  std::size_t arms_offered = 0;  // so many of the arms each event had to choose from; 0: of all that were played
  bool full_support = false;     // the log's owner says so: each arm had a chance in each event
};

}  // namespace sotto::apps::bandit::run
