// Repeated plays in plain text: the twin on all features, or on the features of one company only.
//
// One play of a bandit says little about its algorithm, because the average reward depends on the random coins of the
// play. So each policy is played several times on the same rows in the same order, with other coins in each play. The
// result is a mean with its standard deviation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "apps/bandit/model/twin/plaintext.h"
#include "apps/kit/report/reward_curve.h"

namespace sotto::apps::bandit {

// How often each policy is played: `least` times, and then again until `seconds` have passed since the first play, but
// at most `most` times in all.
struct PlayTimes {
  std::uint64_t least = 1;
  std::uint64_t most = 1;
  double seconds = 0;
};

// The policy that sees features first .. first + features - 1 of a joint context.
struct PlainPolicy {
  std::string name;  // such as "party 0"
  std::size_t first = 0;
  std::size_t features = 0;
};

struct PlainPlays {
  std::string name;
  std::uint64_t plays = 0;
  double average_reward = 0;  // the mean over the plays
  double sd = 0;              // the sample standard deviation of one play; 0 if there was one play
  Curve reward_curve;         // point by point, the mean and the standard deviation over the plays

  static void describe(auto& self, auto&& field) {
    field("name", self.name);
    field("average_reward", self.average_reward);
    field("plays", self.plays);
    field("sd", self.sd);
    field("reward_curve", self.reward_curve);
  }
};

// The world of the plays. `contexts` returns joint contexts.
struct PlainWorld {
  ContextGetter contexts;
  RewardGetter rewards;
  BatchSchedule order;
  std::size_t arms = 0;
  double epsilon = 0;
};

// One result for each policy, in the order of the policies. `next_seed` returns the seed of the next play.
[[nodiscard]] std::vector<PlainPlays> play_in_plain_text(const PlainWorld& world, std::span<const PlainPolicy> policies,
                                                         const PlayTimes& times,
                                                         const std::function<std::uint64_t()>& next_seed);

}  // namespace sotto::apps::bandit
