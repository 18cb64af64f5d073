#include "apps/bandit/model/twin/plaintext.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <stdexcept>
#include <utility>

#include "apps/kit/learn/ridge.h"
#include "sotto/protocol/random/prg.h"

namespace sotto::apps::bandit {

PlaintextBandit::PlaintextBandit(std::size_t arms, std::size_t features, double epsilon, std::uint64_t seed)
    : arms_(arms), features_(features), exploration_(exploration_of(epsilon)), random_(seed) {
  if (arms == 0 || features == 0) {
    throw std::invalid_argument("PlaintextBandit: needs at least one arm and one feature");
  }
  inverse_.assign(arms * features * features, 0.0);
  for (std::size_t a = 0; a < arms; ++a) {
    for (std::size_t i = 0; i < features; ++i) inverse_[(a * features + i) * features + i] = 1;
  }
  biases_.assign(arms * features, 0.0);
  weights_.assign(arms * features, 0.0);
  scores_.assign(arms, 0.0);
  u_.assign(features, 0.0);
}

void PlaintextBandit::check_context(std::span<const double> context) const {
  if (context.size() != features_) {
    throw std::invalid_argument("PlaintextBandit: a context of the wrong length");
  }
}

void PlaintextBandit::check_arm(std::size_t arm) const {
  if (arm >= arms_) throw std::invalid_argument("PlaintextBandit: no such arm");
}

std::span<const double> PlaintextBandit::scores(std::span<const double> context) {
  check_context(context);
  for (std::size_t a = 0; a < arms_; ++a) {
    scores_[a] = inner_product(weights_.data() + a * features_, context.data(), features_);
  }
  return scores_;
}

std::size_t PlaintextBandit::select(std::span<const double> context) {
  scores(context);
  if (exploration_.explores(random_())) return uniform_below(arms_, random_);
  const double best = *std::max_element(scores_.begin(), scores_.end());
  const auto ties = static_cast<std::size_t>(std::count(scores_.begin(), scores_.end(), best));
  std::size_t skip = ties > 1 ? uniform_below(ties, random_) : 0;
  std::size_t arm = 0;
  while (scores_[arm] != best || skip-- > 0) ++arm;
  return arm;
}

void PlaintextBandit::update(std::span<const double> context, std::size_t arm, double reward) {
  check_context(context);
  check_arm(arm);
  const std::size_t size = features_;
  double* inverse = inverse_.data() + arm * size * size;
  double* bias = biases_.data() + arm * size;
  const double* x = context.data();
  double* u = u_.data();
  multiply_symmetric(inverse, x, size, u);
  learn_sample(inverse, u, inner_product(u, x, size), size);
  for (std::size_t i = 0; i < size; ++i) bias[i] += reward * x[i];
  multiply_symmetric(inverse, bias, size, weights_.data() + arm * size);
}

std::span<const double> PlaintextBandit::weights(std::size_t arm) const {
  check_arm(arm);
  return std::span(weights_).subspan(arm * features_, features_);
}

std::span<const double> PlaintextBandit::inverse_matrix(std::size_t arm) const {
  check_arm(arm);
  return std::span(inverse_).subspan(arm * features_ * features_, features_ * features_);
}

PlaintextRun run_plaintext(const ContextGetter& contexts, const RewardGetter& rewards, BatchSchedule order,
                           std::size_t arms, std::size_t features, double epsilon, std::uint64_t seed) {
  PlaintextBandit bandit(arms, features, epsilon, seed);
  RewardCurve curve(order.events());
  std::deque<std::size_t> pulled;  // pulled arms of events that are not learned yet
  while (!order.done()) {
    const auto [learns, events] = order.next();
    for (std::uint64_t t = events.first; t < events.first + events.count; ++t) {
      const std::span<const double> context = contexts(t);
      if (!learns) {
        pulled.push_back(bandit.select(context));
        continue;
      }
      const double reward = rewards(t, pulled.front());
      bandit.update(context, pulled.front(), reward);
      pulled.pop_front();
      curve.add(reward);
    }
  }
  return PlaintextRun{curve.average(), curve.points(), std::move(bandit)};
}

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
