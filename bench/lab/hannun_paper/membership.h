// Membership inference on a bandit's model (Hannun et al. 2019, figure 6, after Yeom et al. 2018): the adversary lets
// the model act on an example, sees its arm a and reward r, and takes the example for a member of the training data
// where p_train(r | a) > p_test(r | a). Both are the shares that the model has on the examples that it has learned from
// and on held-out ones; the advantage is the true positive rate less the false positive rate on these same examples.
//
// As the shares are taken from the very examples that are then guessed, the advantage of a model that tells nothing is
// not 0: it is what chance makes of so many examples.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "bench/lab/hannun_paper/data.h"
#include "bench/lab/hannun_paper/twin.h"

namespace sotto::apps::lab {

struct MembershipAdvantage {
  double by_reward = 0;          // the rule p_train(r) > p_test(r), whatever the arm
  double by_reward_and_arm = 0;  // the paper's rule
};

// An example: a row of these images.
struct MembershipExamples {
  const HannunImages* images;
  std::span<const std::size_t> rows;
};

// The model acts on all examples once, epsilon-greedily, with coins from the seed. `weights` are arms x
// hannun_features. No members or no others: std::invalid_argument.
[[nodiscard]] MembershipAdvantage membership_advantage(std::span<const double> weights, double epsilon,
                                                       const MembershipExamples& members,
                                                       const MembershipExamples& others, std::uint64_t seed);

// Who plays and who is held out in the run of a seed: all rows in the seed's order and MNIST's test images; where none
// are published apart, the first two thirds of the order, and the rest.
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
  std::vector<std::size_t> held_out_;  // rows of data.held_out
  std::size_t members_;
};

// Plays the twin and attacks it at each mark.
[[nodiscard]] std::vector<MembershipAdvantage> attack_twin(const HannunData& data, double epsilon, std::uint64_t seed,
                                                           std::span<const std::uint64_t> marks);

}  // namespace sotto::apps::lab
