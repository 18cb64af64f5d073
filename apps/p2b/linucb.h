// Disjoint LinUCB: a ridge regression an arm, A_a = I + sum of x x', b_a = sum of reward x over the contexts x at which
// arm a was pulled, W_a = A_a^-1, theta_a = W_a b_a, and
//   score_a = theta_a.x + alpha sqrt(x' W_a x).
// Ties are broken uniformly (draws.h).
//
// LinUcb is a model that many share; it is exact, W being computed from A and b in solve(), and does not change while
// agents play. OwnLinUcb is one agent's private copy: it reads the shared model, and has its own W and theta only of
// arms that it has updated, by Sherman and Morrison's formula, as an agent sees few steps. It can be used again for the
// next agent without allocating.
//
// Spans of another size and arms out of range are std::invalid_argument.
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

  // `weight` samples of context x, whose rewards sum to `reward_sum`. solve() before the next use.
  void learn(std::size_t arm, std::span<const double> x, double weight, double reward_sum);
  // W and theta of the arms that have learned since.
  void solve();
  [[nodiscard]] bool solved() const noexcept { return unsolved_.empty(); }

  // dimension() entries; dimension() x dimension().
  [[nodiscard]] const double* theta(std::size_t arm) const;
  [[nodiscard]] const double* inverse(std::size_t arm) const;
  void scores(std::span<const double> x, std::span<double> out) const;

  // Forgets all: A = I.
  void clear();

 private:
  void solve_arm(std::size_t arm);

  std::size_t dimension_;
  std::size_t arms_;
  double alpha_;
  std::vector<double> a_;  // A of each arm
  std::vector<double> b_;
  std::vector<double> w_;  // W of each arm
  std::vector<double> theta_;
  std::vector<std::size_t> unsolved_;
};

// theta.x + alpha sqrt(x' W x).
[[nodiscard]] double ucb_score(const double* w, const double* theta, std::span<const double> x, double alpha);

// Own W and theta of the arms that an agent has updated, on top of a shared model.
class OwnArms {
 public:
  OwnArms(std::size_t dimension, std::size_t arms);

  // Forgets the agent before.
  void clear();
  [[nodiscard]] std::span<const std::size_t> touched() const noexcept { return touched_; }
  // Null for arms that are still the shared model's.
  [[nodiscard]] const double* inverse(std::size_t arm) const { return place_[arm] < 0 ? nullptr : block(arm); }
  [[nodiscard]] const double* theta(std::size_t arm) const {
    return place_[arm] < 0 ? nullptr : block(arm) + dimension_ * dimension_;
  }
  // Sherman-Morrison, from the shared model's arm the first time.
  void update(const LinUcb& shared, std::size_t arm, std::span<const double> x, double reward);

 private:
  [[nodiscard]] const double* block(std::size_t arm) const {
    return blocks_.data() + static_cast<std::size_t>(place_[arm]) * block_size_;
  }

  std::size_t dimension_;
  std::size_t block_size_;
  std::vector<std::int32_t> place_;  // of the arm's block, -1 for none
  std::vector<std::size_t> touched_;
  std::vector<double> blocks_;  // W, then theta
  std::vector<double> gain_;
};

class OwnLinUcb {
 public:
  // `shared` must be solved, outlive it and not change.
  explicit OwnLinUcb(const LinUcb& shared);

  // Begins anew, for the next agent.
  void restart() { own_.clear(); }

  template <Draws D>
  [[nodiscard]] std::size_t select(std::span<const double> x, D& draws) {
    score(x);
    return draw_best(std::span<const double>(scores_), draws);
  }
  void update(std::span<const double> x, std::size_t arm, double reward) { own_.update(*shared_, arm, x, reward); }
  // Of the last select().
  [[nodiscard]] std::span<const double> scores() const noexcept { return scores_; }

 private:
  void score(std::span<const double> x);

  const LinUcb* shared_;
  OwnArms own_;
  std::vector<double> scores_;
};

}  // namespace sotto::apps::p2b
