#include "apps/bandit/run/log/reward_scale.h"

#include <algorithm>
#include <cmath>

#include "apps/kit/report/human.h"

namespace sotto::apps::bandit::run {

std::optional<FarOutRewards> far_out_rewards(const std::vector<double>& rewards) {
  std::vector<double> sizes;
  for (const double reward : rewards) {
    if (reward != 0) sizes.push_back(std::abs(reward));
  }
  if (sizes.size() < FarOutRewards::least_rewards) return std::nullopt;
  std::sort(sizes.begin(), sizes.end());
  const std::size_t most = std::max<std::size_t>(1, sizes.size() / 100);
  const double usual = sizes[sizes.size() - 1 - most];
  if (sizes.back() < FarOutRewards::times * usual) return std::nullopt;
  FarOutRewards far_out;
  far_out.usual = rounded_up(usual, 1);
  for (std::size_t row = 0; row < rewards.size(); ++row) {
    if (std::abs(rewards[row]) > far_out.usual) far_out.rows.push_back(row);
  }
  return far_out;
}

double scale_of(const std::vector<double>& rewards) {
  double largest = 0;
  for (const double reward : rewards) largest = std::max(largest, std::abs(reward));
  return largest <= 1 ? 1 : rounded_up(largest, 1);
}

}  // namespace sotto::apps::bandit::run
