// What the rewards of a log are divided by, so that they are in [-1, 1].
//
// The scale is the least number of one digit that holds all rewards, and 1 at least: it is public, and so tells little.
// A few rewards that are far larger than all others make it so large that the others hardly teach the model anything.
// Such rewards are named, and a log may be read with all rewards cut to the scale.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace sotto::apps::bandit::run {

// Of the rewards that are not 0, the largest hundredth is left aside (at least one), and the largest of them is `times`
// as large as all others.
struct FarOutRewards {
  static constexpr double times = 5;
  static constexpr std::size_t least_rewards = 20;  // that are not 0: of fewer nobody can say what is usual

  std::vector<std::size_t> rows;
  double usual = 0;  // holds the others, in one digit
};

[[nodiscard]] std::optional<FarOutRewards> far_out_rewards(const std::vector<double>& rewards);

[[nodiscard]] double scale_of(const std::vector<double>& rewards);

}  // namespace sotto::apps::bandit::run
