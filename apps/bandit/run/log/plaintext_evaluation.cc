#include "apps/bandit/run/log/plaintext_evaluation.h"

#include <algorithm>
#include <span>

namespace sotto::apps::bandit::run {

OpenedSums plaintext_evaluation(PlaintextBandit& bandit, const ContextGetter& contexts, const EventLog& log,
                                const std::vector<std::uint64_t>& rows, const std::vector<double>& weights,
                                std::uint64_t learned) {
  for (std::uint64_t event = 0; event < learned; ++event) {
    const std::uint64_t row = rows[event];
    bandit.update(contexts(row), log.arm(row), log.reward(row));
  }
  OpenedSums sums;
  sums.events = rows.size() - learned;
  sums.arms.assign(bandit.arms(), 0);
  sums.arm_squares.assign(bandit.arms(), 0);
  for (std::uint64_t event = learned; event < rows.size(); ++event) {
    const std::uint64_t row = rows[event];
    const std::span<const double> scores = bandit.scores(contexts(row));
    const auto best = static_cast<std::size_t>(std::max_element(scores.begin(), scores.end()) - scores.begin());
    for (std::size_t arm = 0; arm < scores.size(); ++arm) {
      const bool logged = log.arm(row) == arm;
      const double w = logged ? weights[event] : 0;
      const double y = w * log.reward(row);
      const double d = scores[arm] * (1 - w) + y;
      sums.arms[arm] += d;
      sums.arm_squares[arm] += d * d;
      if (arm != best) continue;
      sums.y += y;
      sums.w += w;
      sums.yy += y * y;
      sums.yw += y * w;
      sums.ww += w * w;
      sums.d += d;
      sums.dd += d * d;
    }
  }
  return sums;
}

}  // namespace sotto::apps::bandit::run
