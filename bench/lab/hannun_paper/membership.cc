#include "bench/lab/hannun_paper/world.h"

#include <array>
#include <numeric>

#include "apps/kit/learn/ridge.h"
#include "bench/lab/p2b/stream.h"

namespace sotto::apps::lab {

namespace {

struct ArmRewards {
  std::vector<std::array<double, 2>> counts;  // [arm][reward]
  double all = 0;

  [[nodiscard]] double share(std::size_t reward) const {
    double sum = 0;
    for (const auto& of_arm : counts) sum += of_arm[reward];
    return sum / all;
  }
  [[nodiscard]] double share(std::size_t arm, std::size_t reward) const {
    const double pulls = counts[arm][0] + counts[arm][1];
    return pulls > 0 ? counts[arm][reward] / pulls : 0;
  }
};

std::size_t greedy_arm(std::span<const double> weights, std::span<const double> context) {
  const std::size_t arms = weights.size() / hannun_features;
  std::size_t best = 0;
  double most = 0;
  for (std::size_t a = 0; a < arms; ++a) {
    const double score = inner_product(weights.data() + a * hannun_features, context.data(), hannun_features);
    if (a > 0 && score <= most) continue;
    most = score;
    best = a;
  }
  return best;
}

ArmRewards act(std::span<const double> weights, double epsilon, const MembershipExamples& examples, Stream& coins) {
  const std::size_t arms = weights.size() / hannun_features;
  const Exploration exploration = exploration_of(epsilon);
  ArmRewards rewards{std::vector<std::array<double, 2>>(arms), static_cast<double>(examples.rows.size())};
  for (const std::size_t row : examples.rows) {
    const bool explores = exploration.explores(coins.next());
    const std::size_t arm = explores ? coins.below(arms) : greedy_arm(weights, examples.images->context(row));
    rewards.counts[arm][examples.images->labels[row] == arm ? 1 : 0] += 1;
  }
  return rewards;
}

}  // namespace

MembershipAdvantage membership_advantage(std::span<const double> weights, double epsilon,
                                         const MembershipExamples& members, const MembershipExamples& others,
                                         std::uint64_t seed) {
  if (members.rows.empty() || others.rows.empty()) {
    throw std::invalid_argument("membership_advantage: needs members and others");
  }
  Stream coins({seed, 6});
  const ArmRewards train = act(weights, epsilon, members, coins);
  const ArmRewards test = act(weights, epsilon, others, coins);
  MembershipAdvantage advantage;
  for (const std::size_t reward : {0U, 1U}) {
    advantage.by_reward += std::max(0.0, train.share(reward) - test.share(reward));
    for (std::size_t arm = 0; arm < train.counts.size(); ++arm) {
      if (train.share(arm, reward) <= test.share(arm, reward)) continue;
      advantage.by_reward_and_arm += train.counts[arm][reward] / train.all - test.counts[arm][reward] / test.all;
    }
  }
  return advantage;
}

MembershipSplit::MembershipSplit(const HannunData& data, std::uint64_t seed)
    : data_(&data),
      order_(hannun_order(data.played.rows, seed)),
      held_out_(data.held_out.rows),
      members_(longest(data)) {
  std::iota(held_out_.begin(), held_out_.end(), std::size_t{0});
}

std::size_t MembershipSplit::longest(const HannunData& data) {
  return data.held_out.rows > 0 ? data.played.rows : data.played.rows * 2 / 3;
}

MembershipExamples MembershipSplit::members(std::uint64_t steps) const {
  return {&data_->played, played().first(static_cast<std::size_t>(steps))};
}

MembershipExamples MembershipSplit::others() const {
  if (!held_out_.empty()) return {&data_->held_out, held_out_};
  return {&data_->played, std::span(order_).subspan(members_)};
}

std::vector<MembershipAdvantage> attack_twin(const HannunData& data, double epsilon, std::uint64_t seed,
                                             std::span<const std::uint64_t> marks) {
  const HannunWorld world(data.played);
  const MembershipSplit split(data, seed);
  std::vector<MembershipAdvantage> advantages;
  const auto attack = [&](std::size_t mark, const PlaintextBandit& bandit) {
    std::vector<double> weights;
    for (std::size_t a = 0; a < bandit.arms(); ++a) {
      const std::span<const double> of_arm = bandit.weights(a);
      weights.insert(weights.end(), of_arm.begin(), of_arm.end());
    }
    advantages.push_back(membership_advantage(weights, epsilon, split.members(marks[mark]), split.others(), seed));
  };
  PlaintextBandit bandit(world.arms(), hannun_features, epsilon, ~seed);
  (void)play_order(bandit, world, split.played(), seed, marks, attack);
  return advantages;
}

}  // namespace sotto::apps::lab
