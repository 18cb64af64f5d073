// Disjoint LinUCB: one ridge regression for each arm. A_a = I + sum of x x' and b_a = sum of reward x, with sums over
// the contexts x at which arm a was pulled. With W_a = A_a^-1 and theta_a = W_a b_a, an arm's score is
//   score_a = theta_a.x + alpha sqrt(x' W_a x).
//
// Many agents share one LinUcb, which does not change while they play. Each agent has an OwnLinUcb, which stores W and
// theta only for the arms that this agent has updated, by the Sherman-Morrison formula.
//
// Spans of the wrong size and arms out of range cause std::invalid_argument.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "apps/p2b/draws.h"

namespace sotto::apps::p2b {

class LinUcb {
 public:
  LinUcb(std::size_t dimension, std::size_t arms, double alpha = 1);

  [[nodiscard]] std::size_t dimension() const noexcept { return dimension_; }
  [[nodiscard]] std::size_t arms() const noexcept { return arms_; }
  [[nodiscard]] double alpha() const noexcept { return alpha_; }

  // Adds `weight` samples of context x whose rewards sum to `reward_sum`. Call solve() before you use the model again.
  void learn(std::size_t arm, std::span<const double> x, double weight, double reward_sum);
  void solve();
  [[nodiscard]] bool solved() const noexcept { return unsolved_.empty(); }

  [[nodiscard]] const double* theta(std::size_t arm) const;
  [[nodiscard]] const double* inverse(std::size_t arm) const;
  void scores(std::span<const double> x, std::span<double> out) const;

  void clear();

 private:
  void solve_arm(std::size_t arm);

  std::size_t dimension_;
  std::size_t arms_;
  double alpha_;
  std::vector<double> a_;
  std::vector<double> b_;
  std::vector<double> w_;
  std::vector<double> theta_;
  std::vector<std::size_t> unsolved_;
};

[[nodiscard]] double ucb_score(const double* w, const double* theta, std::span<const double> x, double alpha);

class OwnArms {
 public:
  OwnArms(std::size_t dimension, std::size_t arms);

  void clear();
  [[nodiscard]] std::span<const std::size_t> touched() const noexcept { return touched_; }
  [[nodiscard]] const double* inverse(std::size_t arm) const { return place_[arm] < 0 ? nullptr : block(arm); }
  [[nodiscard]] const double* theta(std::size_t arm) const {
    return place_[arm] < 0 ? nullptr : block(arm) + dimension_ * dimension_;
  }
  // The first update of an arm starts from the shared model's W and theta.
  void update(const LinUcb& shared, std::size_t arm, std::span<const double> x, double reward);

 private:
  [[nodiscard]] const double* block(std::size_t arm) const {
    return blocks_.data() + static_cast<std::size_t>(place_[arm]) * block_size_;
  }

  std::size_t dimension_;
  std::size_t block_size_;
  std::vector<std::int32_t> place_;
  std::vector<std::size_t> touched_;
  std::vector<double> blocks_;
  std::vector<double> gain_;
};

class OwnLinUcb {
 public:
  // `shared` must be solved, must outlive this object and must not change.
  explicit OwnLinUcb(const LinUcb& shared);

  void restart() { own_.clear(); }

  template <Draws D>
  [[nodiscard]] std::size_t select(std::span<const double> x, D& draws) {
    score(x);
    return draw_best(std::span<const double>(scores_), draws);
  }
  void update(std::span<const double> x, std::size_t arm, double reward) { own_.update(*shared_, arm, x, reward); }
  [[nodiscard]] std::span<const double> scores() const noexcept { return scores_; }

 private:
  void score(std::span<const double> x);

  const LinUcb* shared_;
  OwnArms own_;
  std::vector<double> scores_;
};

}  // namespace sotto::apps::p2b
