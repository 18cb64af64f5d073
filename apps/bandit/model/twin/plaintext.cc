#include "apps/bandit/model/twin/plaintext.h"

#include <algorithm>
#include <deque>
#include <stdexcept>
#include <utility>

#include "apps/kit/learn/small_ridge.h"
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
  std::deque<std::size_t> pulled;  // not learned yet
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

}  // namespace sotto::apps::bandit
