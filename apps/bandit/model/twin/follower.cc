#include "apps/bandit/model/twin/follower.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace sotto::apps::bandit {

PlaintextFollower::PlaintextFollower(std::uint64_t total_steps, std::size_t arms, std::size_t features, double epsilon)
    : bandit_(arms, features, epsilon, 0), agreement_(total_steps) {
  counts_.near_tie_gap = near_tie_gap;
  counts_.expected_agreement = 1 - epsilon + epsilon / static_cast<double>(arms);
}

bool PlaintextFollower::decided(std::span<const double> context, std::size_t arm) {
  const std::span<const double> scores = bandit_.scores(context);
  if (arm >= scores.size()) throw std::invalid_argument("PlaintextFollower: no such arm");
  const auto best = std::max_element(scores.begin(), scores.end());
  const double gap = *best - scores[arm];
  const bool agrees = gap == 0;
  ++counts_.steps;
  agreement_.add(agrees ? 1 : 0);
  if (agrees) {
    ++counts_.agreeing_steps;
  } else {
    gap_sum_ += gap;
    if (gap < near_tie_gap) ++counts_.near_ties;
    counts_.largest_gap = std::max(counts_.largest_gap, gap);
    if (counts_.first_differences.size() < max_listed) {
      const auto greedy = static_cast<std::size_t>(best - scores.begin());
      counts_.first_differences.push_back({counts_.steps, arm, greedy, gap});
    }
  }
  return agrees;
}

PlaintextComparison PlaintextFollower::comparison() const {
  PlaintextComparison result = counts_;
  result.agreement = agreement_.average();
  result.agreement_curve = agreement_.points();
  const std::uint64_t different = counts_.steps - counts_.agreeing_steps;
  result.average_gap = different == 0 ? 0 : gap_sum_ / static_cast<double>(different);
  return result;
}

PlaintextComparison PlaintextFollower::comparison(std::span<const std::vector<double>> revealed_weights) const {
  if (revealed_weights.size() != bandit_.arms()) {
    throw std::invalid_argument("PlaintextFollower: weights of the wrong number of arms");
  }
  double largest = 0;
  for (std::size_t a = 0; a < bandit_.arms(); ++a) {
    const std::span<const double> own = bandit_.weights(a);
    if (revealed_weights[a].size() != own.size()) {
      throw std::invalid_argument("PlaintextFollower: weights of the wrong number of features");
    }
    for (std::size_t i = 0; i < own.size(); ++i) {
      largest = std::max(largest, std::abs(own[i] - revealed_weights[a][i]));
    }
  }
  PlaintextComparison result = comparison();
  result.largest_weight_difference = largest;
  return result;
}

}  // namespace sotto::apps::bandit
