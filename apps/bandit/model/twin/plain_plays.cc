#include "apps/bandit/model/twin/plain_plays.h"

#include <chrono>
#include <utility>

#include "apps/kit/learn/mean.h"

namespace sotto::apps::bandit {
namespace {

struct Played {
  std::vector<double> rewards;
  std::vector<Curve> curves;
};

void play_once(const PlainWorld& world, const PlainPolicy& policy, std::uint64_t seed, Played& played) {
  PlaintextRun run =
      run_plaintext([&](std::uint64_t step) { return world.contexts(step).subspan(policy.first, policy.features); },
                    world.rewards, world.order, world.arms, policy.features, world.epsilon, seed);
  played.rewards.push_back(run.average_reward);
  played.curves.push_back(std::move(run.curve));
}

}  // namespace

std::vector<PlainPlays> play_in_plain_text(const PlainWorld& world, std::span<const PlainPolicy> policies,
                                           const PlayTimes& times, const std::function<std::uint64_t()>& next_seed) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point end =
      Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(times.seconds));
  std::vector<Played> played(policies.size());
  for (std::uint64_t play = 0; play < times.least || (play < times.most && Clock::now() < end); ++play) {
    for (std::size_t i = 0; i < policies.size(); ++i) play_once(world, policies[i], next_seed(), played[i]);
  }
  std::vector<PlainPlays> results;
  for (std::size_t i = 0; i < policies.size(); ++i) {
    const MeanAndSd reward = mean_and_sd(played[i].rewards);
    Curve curve = played[i].curves.size() == 1 ? std::move(played[i].curves.front()) : average_curves(played[i].curves);
    results.push_back({policies[i].name, played[i].rewards.size(), reward.mean, reward.sd, std::move(curve)});
  }
  return results;
}

}  // namespace sotto::apps::bandit
