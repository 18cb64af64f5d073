// The arms of the paper's experiments, and plain-text play on them: Algorithm 1 in double precision
// (apps/bandit/model/twin/plaintext.h), one sweep over the rows in an order that the seed permutes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

#include "apps/bandit/model/twin/plaintext.h"
#include "apps/kit/learn/seeded.h"
#include "bench/lab/hannun_paper/data.h"

namespace sotto::apps::lab {

// What arms pay at a row: 1 where the arm is the row's class; or 1 with a probability of each row and arm.
class HannunWorld {
 public:
  // One arm a class. `images` must outlive this object.
  explicit HannunWorld(const HannunImages& images);
  // Arms are the centres of k-means (figure 5): P(reward = 1) = exp(-|c_a - x|^2 / (2 sigma^2)), sigma = 1/2.
  HannunWorld(const HannunImages& images, std::size_t arms, std::uint64_t seed);

  [[nodiscard]] const HannunImages& images() const { return *images_; }
  [[nodiscard]] std::size_t arms() const { return arms_; }
  [[nodiscard]] bool has_classes() const { return probabilities_.empty(); }
  // rows x arms; empty where arms are classes.
  [[nodiscard]] std::span<const double> probabilities() const { return probabilities_; }

  // `draw` is uniform in [0, 1).
  [[nodiscard]] double reward(std::size_t row, std::size_t arm, double draw) const {
    if (has_classes()) return images_->labels[row] == arm ? 1 : 0;
    return draw < probabilities_[row * arms_ + arm] ? 1 : 0;
  }

  // Means over the rows of what the best arm, and a uniform one, is expected to pay.
  [[nodiscard]] double best_reward() const { return best_; }
  [[nodiscard]] double uniform_reward() const { return uniform_; }

 private:
  const HannunImages* images_;
  std::size_t arms_ = 10;
  std::vector<double> probabilities_;
  double best_ = 1;
  double uniform_ = .1;
};

// The order in which a run of that seed meets the rows.
[[nodiscard]] std::vector<std::size_t> hannun_order(std::size_t rows, std::uint64_t seed);

// Plays the rows in that order up to the last mark, and gives the average reward of the steps so far after each mark
// (1-based steps, ascending, at most order.size()). `Bandit` has select(context) and update(context, arm, reward);
// at_mark(i, bandit) is called after marks[i] steps. Wrong marks: std::invalid_argument.
template <class Bandit, class AtMark>
std::vector<double> play_order(Bandit& bandit, const HannunWorld& world, std::span<const std::size_t> order,
                               std::uint64_t seed, std::span<const std::uint64_t> marks, AtMark&& at_mark) {
  if (!std::is_sorted(marks.begin(), marks.end()) || (!marks.empty() && marks.back() > order.size())) {
    throw std::invalid_argument("play_order: marks must ascend and be steps of the order");
  }
  SeededDraws draws(~seed);  // another stream than that of the order
  std::vector<double> averages;
  double sum = 0;
  std::uint64_t step = 0;
  for (std::size_t i = 0; i < marks.size(); ++i) {
    for (; step < marks[i]; ++step) {
      const std::size_t row = order[step];
      const std::span<const double> context = world.images().context(row);
      const std::size_t arm = bandit.select(context);
      const double reward = world.reward(row, arm, world.has_classes() ? 0 : draws.unit());
      bandit.update(context, arm, reward);
      sum += reward;
    }
    averages.push_back(step == 0 ? 0 : sum / static_cast<double>(step));
    at_mark(i, bandit);
  }
  return averages;
}

// The same with the plain-text twin, its order and its coins from the seed.
[[nodiscard]] std::vector<double> play_hannun_twin(const HannunWorld& world, double epsilon, std::uint64_t seed,
                                                   std::span<const std::uint64_t> marks);

}  // namespace sotto::apps::lab
