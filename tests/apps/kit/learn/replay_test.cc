#include "apps/kit/learn/replay.h"

#include "apps/kit/learn/seeded.h"
#include "tests/apps/support.h"
#include "tests/properties.h"

namespace sotto::apps {
namespace {

template <class Context>
struct LoggedEvent {
  Context context{};
  std::size_t arm = 0;
  double reward = 0;
};

struct Limits {
  std::uint64_t events = UINT64_MAX;
  std::uint64_t kept = UINT64_MAX;
};

template <class Next, class Select, class Update>
ReplayEstimate replay(Next&& next, Select&& select, Update&& update, const Limits& limits = {}) {
  ReplayEstimate estimate;
  while (estimate.events() < limits.events && estimate.kept() < limits.kept) {
    const auto event = next();
    if (!event) break;
    const std::size_t chosen = select(estimate.kept(), event->context);
    if (estimate.offer(chosen, event->arm, event->reward)) update(event->context, event->arm, event->reward);
  }
  return estimate;
}

// A world of three kinds of users. chance[kind][arm] is the probability of a reward of 1.
struct World {
  std::size_t arms;
  std::vector<std::vector<double>> chance;

  LoggedEvent<std::size_t> event(SeededDraws& draws) const {
    LoggedEvent<std::size_t> event;
    event.context = draws.below(chance.size());
    event.arm = draws.below(arms);
    event.reward = draws.unit() < chance[event.context][event.arm] ? 1 : 0;
    return event;
  }
};

World random_world(SeededDraws& draws) {
  World world{2 + draws.below(4), {}};
  for (std::size_t kind = 0; kind < 3; ++kind) {
    world.chance.emplace_back();
    for (std::size_t arm = 0; arm < world.arms; ++arm) world.chance.back().push_back(draws.unit());
  }
  return world;
}

PROPERTY(OfflineReplay, EstimatesTheTrueValueOfAFixedPolicy) {
  const auto seed = draw<std::uint64_t>();
  SeededDraws draws(seed);
  const World world = random_world(draws);
  std::vector<std::vector<double>> policy;
  double truth = 0;
  for (const std::vector<double>& chance : world.chance) {
    std::vector<double> row;
    double sum = 0;
    for (std::size_t arm = 0; arm < world.arms; ++arm) sum += row.emplace_back(draws.unit());
    for (std::size_t arm = 0; arm < world.arms; ++arm) {
      row[arm] /= sum;
      truth += row[arm] * chance[arm] / static_cast<double>(world.chance.size());
    }
    policy.push_back(row);
  }
  SeededDraws coins(seed + 1);
  std::uint64_t updates = 0;
  const ReplayEstimate estimate = replay([&] { return std::optional(world.event(draws)); },
                                         [&](std::uint64_t, std::size_t kind) {
                                           double left = coins.unit();
                                           std::size_t arm = 0;
                                           while (arm + 1 < world.arms && left >= policy[kind][arm])
                                             left -= policy[kind][arm++];
                                           return arm;
                                         },
                                         [&](std::size_t, std::size_t, double) { ++updates; }, {30'000, UINT64_MAX});
  HOLDS(estimate.events() == 30'000u);
  HOLDS(updates == estimate.kept());
  const double share = 1 / static_cast<double>(world.arms);
  HOLDS(std::abs(static_cast<double>(estimate.kept()) / 30'000 - share) < 6 * std::sqrt(share / 30'000));
  HOLDS(std::abs(*estimate.value() - truth) < 6 * std::sqrt(.25 / static_cast<double>(estimate.kept())));
}

TEST(OfflineReplay, EstimatesALearningPolicyLikeALiveRunStatistical) {
  const World world{2, {{.2, .8}}};
  struct Learner {
    std::array<double, 2> sums{};
    std::size_t select(std::uint64_t step) const {
      if (step < 4) return step % 2;
      return sums[1] > sums[0] ? 1 : 0;
    }
  };
  constexpr std::uint64_t steps = 10;
  constexpr int runs = 20'000;
  SeededDraws draws(5);
  double live = 0, replayed = 0;
  for (int run = 0; run < runs; ++run) {
    Learner in_log, alive;
    replayed +=
        *replay([&] { return std::optional(world.event(draws)); },
                [&](std::uint64_t step, std::size_t) { return in_log.select(step); },
                [&](std::size_t, std::size_t arm, double reward) { in_log.sums[arm] += reward; }, {UINT64_MAX, steps})
             .value();
    for (std::uint64_t step = 0; step < steps; ++step) {
      const std::size_t arm = alive.select(step);
      const double reward = draws.unit() < world.chance[0][arm] ? 1 : 0;
      alive.sums[arm] += reward;
      live += reward / steps;
    }
  }
  EXPECT_NEAR(replayed / runs, live / runs, 5 * std::sqrt(2 * .06 / runs));
}

TEST(OfflineReplay, LearnsFromKeptEventsOnlyAndCountsStepsByThem) {
  const std::vector<LoggedEvent<int>> log{{1, 0, 1}, {2, 1, 5}, {3, 0, 0}, {4, 0, .5}};
  std::size_t at = 0;
  std::vector<std::uint64_t> steps;
  std::vector<int> learned;
  const ReplayEstimate estimate = replay([&] { return at < log.size() ? std::optional(log[at++]) : std::nullopt; },
                                         [&](std::uint64_t step, int) {
                                           steps.push_back(step);
                                           return std::size_t{0};
                                         },
                                         [&](int context, std::size_t arm, double) {
                                           EXPECT_EQ(arm, 0u);
                                           learned.push_back(context);
                                         });
  EXPECT_EQ(steps, (std::vector<std::uint64_t>{0, 1, 1, 2}));
  EXPECT_EQ(learned, (std::vector<int>{1, 3, 4}));
  EXPECT_EQ(estimate.events(), 4u);
  EXPECT_EQ(estimate.kept(), 3u);
  EXPECT_DOUBLE_EQ(*estimate.value(), .5);
}

TEST(OfflineReplay, SaysNothingOfNoEvents) {
  ReplayEstimate empty;
  empty.mark();
  EXPECT_FALSE(empty.value());
  EXPECT_TRUE(empty.curve().empty());
  EXPECT_FALSE(empty.offer(0, 1, 1));
  EXPECT_FALSE(empty.value());
  EXPECT_TRUE(empty.offer(1, 1, .25));
  empty.mark();
  ASSERT_EQ(empty.curve().size(), 1u);
  EXPECT_EQ(empty.curve()[0].events, 2u);
  EXPECT_EQ(empty.curve()[0].kept, 1u);
  EXPECT_EQ(empty.curve()[0].reward, .25);
  EXPECT_THROW(empty.offer(0, 0, std::numeric_limits<double>::quiet_NaN()), InputError);
}

}  // namespace
}  // namespace sotto::apps
