// Disjoint LinUCB: one ridge regression for each arm. A_a = I + sum of x x' and b_a = sum of reward x, with sums over
// the contexts x at which arm a was pulled. With W_a = A_a^-1 and theta_a = W_a b_a, an arm's score is
//   score_a = theta_a.x + alpha sqrt(x' W_a x).
// Ties are broken uniformly (draws.h).
//
// LinUcb is a model that many agents share. LinUcb is exact: solve() computes W from A and b, and the model does not
// change while agents play. OwnLinUcb is one agent's private copy. OwnLinUcb reads the shared model, and stores W and
// theta only for arms that the agent has updated, since an agent sees few steps. OwnLinUcb updates W and theta by the
// Sherman-Morrison formula. An OwnLinUcb can be used again for the next agent without allocating.
//
// Spans of the wrong size and arms out of range are std::invalid_argument.
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

  // Adds `weight` samples of context x whose rewards sum to `reward_sum`. Call solve() before the model is used again.
  void learn(std::size_t arm, std::span<const double> x, double weight, double reward_sum);
  // Computes W and theta of the arms that have learned since the last solve().
  void solve();
  [[nodiscard]] bool solved() const noexcept { return unsolved_.empty(); }

  // theta has dimension() entries, inverse has dimension() x dimension().
  [[nodiscard]] const double* theta(std::size_t arm) const;
  [[nodiscard]] const double* inverse(std::size_t arm) const;
  void scores(std::span<const double> x, std::span<double> out) const;

  // Forgets everything that was learned: A = I, b = 0.
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

// The score theta.x + alpha sqrt(x' W x) of an arm.
[[nodiscard]] double ucb_score(const double* w, const double* theta, std::span<const double> x, double alpha);

// W and theta of the arms that an agent has updated, on top of a shared model.
class OwnArms {
 public:
  OwnArms(std::size_t dimension, std::size_t arms);

  // Forgets all updates of the previous agent.
  void clear();
  [[nodiscard]] std::span<const std::size_t> touched() const noexcept { return touched_; }
  // Null for arms that the agent has not updated.
  [[nodiscard]] const double* inverse(std::size_t arm) const { return place_[arm] < 0 ? nullptr : block(arm); }
  [[nodiscard]] const double* theta(std::size_t arm) const {
    return place_[arm] < 0 ? nullptr : block(arm) + dimension_ * dimension_;
  }
  // Updates an arm by the Sherman-Morrison formula. The first update of an arm starts from the shared model's W and
  // theta.
  void update(const LinUcb& shared, std::size_t arm, std::span<const double> x, double reward);

 private:
  [[nodiscard]] const double* block(std::size_t arm) const {
    return blocks_.data() + static_cast<std::size_t>(place_[arm]) * block_size_;
  }

  std::size_t dimension_;
  std::size_t block_size_;
  std::vector<std::int32_t> place_;  // for each arm, the index of its block; -1: no block
  std::vector<std::size_t> touched_;
  std::vector<double> blocks_;  // each block has W, then theta
  std::vector<double> gain_;
};

class OwnLinUcb {
 public:
  // `shared` must be solved, must outlive this object and must not change.
  explicit OwnLinUcb(const LinUcb& shared);

  // Makes the copy ready for the next agent: forgets the updates of the previous agent.
  void restart() { own_.clear(); }

  template <Draws D>
  [[nodiscard]] std::size_t select(std::span<const double> x, D& draws) {
    score(x);
    return draw_best(std::span<const double>(scores_), draws);
  }
  void update(std::span<const double> x, std::size_t arm, double reward) { own_.update(*shared_, arm, x, reward); }
  // The scores of the last select().
  [[nodiscard]] std::span<const double> scores() const noexcept { return scores_; }

 private:
  void score(std::span<const double> x);

  const LinUcb* shared_;
  OwnArms own_;
  std::vector<double> scores_;
};

}  // namespace sotto::apps::p2b
