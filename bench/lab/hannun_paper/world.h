// The data of `sotto-lab paper hannun`: images as contexts of 20 principal components and norm 1, one arm for each
// class.
//
// MNIST's 60,000 training images are used: pixels / 255, centred and not whitened, as in Hannun et al. 2019, section 5.
// MNIST's test images are held out, and projected on the same components. Without MNIST, the 1797 digits that come with
// sotto are used.
#pragma once

#include <algorithm>
#include <atomic>
#include <optional>
#include <stdexcept>
#include <string>

#include "apps/bandit/model/twin/plaintext.h"
#include "apps/kit/learn/seeded.h"
#include "apps/kit/report/reward_curve.h"
#include "bench/lab/measure/labelled_data.h"

namespace sotto::apps::lab {

inline constexpr std::size_t hannun_features = 20;

struct HannunData {
  std::string name;  // "MNIST", "digits"
  bool is_mnist = false;
  LabelledData played;
  LabelledData held_out;  // empty if the data set has no separate test images
};

// `mnist` is a folder of IDX files, in which the t10k files may be missing. Throws InputError.
[[nodiscard]] HannunData load_hannun_data(const std::optional<std::filesystem::path>& mnist);

[[nodiscard]] bool holds_mnist(const std::filesystem::path& folder);

// A world determines the reward of each arm at a row. With classes, the reward is 1 for the row's class, else 0.
// Otherwise each pair of a row and an arm has its own probability of reward 1.
class HannunWorld {
 public:
  // One arm for each class. `images` must outlive this object.
  explicit HannunWorld(const LabelledData& images);
  // The arms are the centres of k-means (figure 5): P(reward = 1) = exp(-|c_a - x|^2 / (2 sigma^2)), sigma = 1/2.
  HannunWorld(const LabelledData& images, std::size_t arms, std::uint64_t seed);

  [[nodiscard]] const LabelledData& images() const { return *images_; }
  [[nodiscard]] std::size_t arms() const { return arms_; }
  [[nodiscard]] bool has_classes() const { return probabilities_.empty(); }
  // rows x arms; empty if arms are classes.
  [[nodiscard]] std::span<const double> probabilities() const { return probabilities_; }

  // `draw` is uniform in [0, 1).
  [[nodiscard]] double reward(std::size_t row, std::size_t arm, double draw) const {
    if (has_classes()) return images_->labels[row] == arm ? 1 : 0;
    return draw < probabilities_[row * arms_ + arm] ? 1 : 0;
  }

  [[nodiscard]] double best_reward() const { return best_; }
  [[nodiscard]] double uniform_reward() const { return uniform_; }

 private:
  const LabelledData* images_;
  std::size_t arms_ = 10;
  std::vector<double> probabilities_;
  double best_ = 1;
  double uniform_ = .1;
};

[[nodiscard]] std::vector<std::size_t> hannun_order(std::size_t rows, std::uint64_t seed);

// For each mark, returns the average reward of all steps up to the mark. Marks are numbers of steps (from 1, ascending,
// at most order.size()). `Bandit` has select(context) and update(context, arm, reward). at_mark(i, bandit) is called
// after marks[i] steps.
template <class Bandit, class AtMark>
std::vector<double> play_order(Bandit& bandit, const HannunWorld& world, std::span<const std::size_t> order,
                               std::uint64_t seed, std::span<const std::uint64_t> marks, AtMark&& at_mark) {
  if (!std::is_sorted(marks.begin(), marks.end()) || (!marks.empty() && marks.back() > order.size())) {
    throw std::invalid_argument("play_order: marks must ascend and be steps of the order");
  }
  SeededDraws draws(~seed);
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

[[nodiscard]] std::vector<double> play_hannun_twin(const HannunWorld& world, double epsilon, std::uint64_t seed,
                                                   std::span<const std::uint64_t> marks);

// A private run of `sotto bandit`. Every role is a process, linked by plain TCP on loopback; masks are drawn from a
// seed, so that runs can be repeated.
struct HannunPrivateSettings {
  double epsilon = .1;
  std::uint64_t steps = 0;
  unsigned bits = 20;
  std::size_t parties = 2;
  std::size_t arms = 0;  // 0: as many as the world has; additional arms never pay
  bool reveal_model = false;
  bool deal_ahead = false;
};

struct HannunPrivateRun {
  HannunPrivateSettings settings{};
  Curve curve{};
  std::vector<double> weights{};  // weights of a revealed model, arms x hannun_features
  double step_us = 0;             // time of all roles; without the dealing if randomness is dealt ahead
  double rounds = 0;              // for each step
  std::string refused{};

  // Interpolated between the points of the curve; 0 for a refused run.
  [[nodiscard]] double average_after(std::uint64_t steps) const;
};

[[nodiscard]] HannunPrivateRun run_hannun_private(const HannunWorld& world, std::span<const std::size_t> order,
                                                  std::uint64_t seed, const HannunPrivateSettings& settings,
                                                  const std::atomic<bool>& interrupted);

// Membership inference on a bandit's model (Hannun et al. 2019, figure 6, after Yeom et al. 2018). The adversary lets
// the model act on an example, and sees the arm a that the model pulls and the reward r. If p_train(r | a) > p_test(r |
// a), the adversary takes the example for a member of the training data. The probability p_train(r | a) is the fraction
// of rewards r among the model's pulls of arm a on the examples that the model has learned from. The probability p_test
// is the same fraction on held-out examples. The advantage is the true positive rate minus the false positive rate, on
// the learned and the held-out examples.
//
// The fractions p_train and p_test are computed from the same examples that the adversary then classifies. Chance alone
// therefore gives an advantage above 0 even if the model reveals nothing.
struct MembershipAdvantage {
  double by_reward = 0;          // the rule p_train(r) > p_test(r), which ignores the arm
  double by_reward_and_arm = 0;  // the paper's rule
};

struct MembershipExamples {
  const LabelledData* images;
  std::span<const std::size_t> rows;
};

// The model acts on all examples once, epsilon-greedily, with random numbers from the seed. `weights` are arms x
// hannun_features.
[[nodiscard]] MembershipAdvantage membership_advantage(std::span<const double> weights, double epsilon,
                                                       const MembershipExamples& members,
                                                       const MembershipExamples& others, std::uint64_t seed);

// The played and the held-out rows for one seed. With MNIST, all training images are played, in the seed's order, and
// the test images are held out. If the data set has no separate test images, the first two thirds of the order are
// played and the rest is held out.
class MembershipSplit {
 public:
  // `data` must outlive this object.
  MembershipSplit(const HannunData& data, std::uint64_t seed);

  [[nodiscard]] std::span<const std::size_t> played() const { return std::span(order_).first(members_); }
  [[nodiscard]] MembershipExamples members(std::uint64_t steps) const;
  [[nodiscard]] MembershipExamples others() const;

  [[nodiscard]] static std::size_t longest(const HannunData& data);

 private:
  const HannunData* data_;
  std::vector<std::size_t> order_;
  std::vector<std::size_t> held_out_;
  std::size_t members_;
};

[[nodiscard]] std::vector<MembershipAdvantage> attack_twin(const HannunData& data, double epsilon, std::uint64_t seed,
                                                           std::span<const std::uint64_t> marks);

}  // namespace sotto::apps::lab
