// Repeated plays in plain text.
//
// Each policy plays the same rows in the same order, with other random coins each time.
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

// Each policy plays at least `least` times and at most `most` times. After `least` plays, a policy plays again only
// while fewer than `seconds` have passed since the first play.
struct PlayTimes {
  std::uint64_t least = 1;
  std::uint64_t most = 1;
  double seconds = 0;
};

inline constexpr PlayTimes usual_plays{20, 100, 2};

// A policy that sees `features` features, from number `first` on.
struct PlainPolicy {
  std::string name;
  std::size_t first = 0;
  std::size_t features = 0;
};

struct PlainPlays {
  std::string name;
  std::uint64_t plays = 0;
  double average_reward = 0;  // mean over the plays
  double sd = 0;              // standard deviation of one play
  Curve reward_curve;         // mean over the plays

  static void describe(auto& self, auto&& field) {
    field("name", self.name);
    field("average_reward", self.average_reward);
    field("plays", self.plays);
    field("sd", self.sd);
    field("reward_curve", self.reward_curve);
  }
};

struct PlainWorld {
  ContextGetter contexts;
  RewardGetter rewards;
  BatchSchedule order;
  std::size_t arms = 0;
  double epsilon = 0;
};

[[nodiscard]] std::vector<PlainPlays> play_in_plain_text(const PlainWorld& world, std::span<const PlainPolicy> policies,
                                                         const PlayTimes& times,
                                                         const std::function<std::uint64_t()>& next_seed);

}  // namespace sotto::apps::bandit
