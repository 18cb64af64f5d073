// Explores all interleavings of a small decision service, with deaths between any two writes and old copies of disks.
// The service uses the real classes of the roles, with disks in memory. Services with deliberate errors show that the
// properties are checked.
#include <fmt/format.h>

#include <deque>
#include <random>
#include <string>
#include <unordered_map>
#include <utility>

#include "tests/exploration/steps.h"
#include "tests/framework.h"

namespace sotto::apps::testing {

using namespace sotto::apps::bandit;
namespace {

struct Explored {
  std::size_t states = 0;
  std::size_t edges = 0;
  std::size_t goals = 0;
  std::size_t skips = 0;
  std::size_t refusals = 0;
  std::size_t frozen = 0;
  std::string wrong;
};

struct KeyHash {
  std::size_t operator()(const std::array<std::uint64_t, 2>& key) const { return key[0]; }
};

std::ptrdiff_t first_stuck(std::size_t states, const std::vector<std::array<std::uint32_t, 2>>& edges,
                           const std::vector<std::uint32_t>& goals, const std::vector<bool>& excused) {
  std::vector<std::vector<std::uint32_t>> before(states);
  for (const auto& [from, to] : edges) before[to].push_back(from);
  std::vector<bool> good(states);
  std::vector<std::uint32_t> stack = goals;
  for (const std::uint32_t goal : goals) good[goal] = true;
  while (!stack.empty()) {
    const std::uint32_t at = stack.back();
    stack.pop_back();
    for (const std::uint32_t from : before[at]) {
      if (good[from]) continue;
      good[from] = true;
      stack.push_back(from);
    }
  }
  for (std::size_t state = 0; state < states; ++state) {
    if (!good[state] && !excused[state]) return static_cast<std::ptrdiff_t>(state);
  }
  return -1;
}

Explored explore(const Bounds& bounds, std::size_t limit = 3'000'000) {
  Steps steps(bounds);
  Explored result;
  std::unordered_map<std::array<std::uint64_t, 2>, std::uint32_t, KeyHash> index;
  std::vector<std::array<std::uint32_t, 2>> edges;
  std::vector<std::uint32_t> goals;
  std::vector<std::uint32_t> came_from;
  std::vector<std::string> labels;
  std::vector<bool> excused;
  std::deque<World> worlds{steps.beginning()};
  index[steps.state_key(worlds.front())] = 0;
  came_from.push_back(0);
  labels.emplace_back();
  excused.push_back(false);
  const auto trace = [&](std::size_t at) {
    std::string text;
    for (; at != 0; at = came_from[at]) text = "\n  " + labels[at] + text;
    return text;
  };
  for (std::uint32_t at = 0; !worlds.empty(); ++at) {
    World world = std::move(worlds.front());
    worlds.pop_front();
    if (steps.is_goal(world)) goals.push_back(at);
    if (world.frozen != 0) ++result.frozen;
    if (world.refused != 0) ++result.refusals;
    try {
      for (Steps::Step& step : steps.of(world)) {
        ++result.edges;
        if (step.world.skipped.size() > world.skipped.size()) ++result.skips;
        const auto [found, is_new] =
            index.try_emplace(steps.state_key(step.world), static_cast<std::uint32_t>(index.size()));
        if (!step.is_fault) edges.push_back({at, found->second});
        if (!is_new) continue;
        came_from.push_back(at);
        labels.push_back(step.label);
        excused.push_back(step.world.restored != 0 || step.world.rolled_back);
        worlds.push_back(std::move(step.world));
      }
    } catch (const Violation& violation) {
      result.wrong = violation.what() + trace(at);
      result.states = index.size();
      return result;
    }
    if (index.size() > limit) {
      result.wrong = "more states than expected";
      break;
    }
  }
  result.states = index.size();
  result.goals = goals.size();
  if (!result.wrong.empty()) return result;
  const std::ptrdiff_t stuck = first_stuck(result.states, edges, goals, excused);
  if (stuck >= 0) {
    result.wrong = "all-learned: the end cannot be reached from here" + trace(static_cast<std::size_t>(stuck));
  }
  return result;
}

Explored expect_sound(const std::string& name, const Bounds& bounds, std::size_t least_states) {
  Explored explored = explore(bounds);
  EXPECT_EQ(explored.wrong, "") << name;
  EXPECT_GE(explored.states, least_states) << name;
  EXPECT_GT(explored.goals, 0u) << name;
  ::testing::Test::RecordProperty(name, fmt::format("{} states, {} steps", explored.states, explored.edges));
  return explored;
}

TEST(LiveExploration, NoPropertyBreaksOverACrash) {
  expect_sound("one_event", {.events = 1, .crashes = 1, .baseline = true, .reward = true}, 1'000);
  expect_sound("two_events", {.events = 2, .crashes = 0, .baseline = true, .reward = true}, 1'000);
}

TEST(LiveExploration, AnOldCopyIsRefusedOrHarmless) {
  for (std::size_t role = 0; role < live_roles; ++role) {
    expect_sound(role_names[role], {.events = 1, .crashes = 0, .restored = static_cast<LiveRole>(role)}, 1'000);
  }
}

TEST(LiveExploration, NoPropertyBreaksOverASnapshot) {
  expect_sound("snapshot", {.events = 1, .crashes = 1, .snapshot = true}, 1'000);
}

TEST(LiveExploration, ALostStoreIsMadeUpFor) {
  expect_sound("copy", {.events = 1, .crashes = 0, .snapshot = true, .lost = party_1}, 1'000);
}

TEST(LiveExploration, TheDealerIsAWitness) {
  expect_sound("rollback", {.events = 1, .crashes = 0, .rollback = true}, 1'000);
}

TEST(LiveExploration, AForgottenEventIsRefused) {
  const Explored explored = expect_sound("forgotten", {.events = 1, .crashes = 0, .forgets = true}, 300);
  EXPECT_GT(explored.refusals, 0u);
}

TEST(LiveExploration, AModeIsChangedInItsPlace) {
  const Explored explored = expect_sound("frozen", {.events = 1, .crashes = 1, .frozen = true}, 1'000);
  EXPECT_GT(explored.frozen, 0u);
}

TEST(LiveExploration, WhatIsKeptIsAnswered) {
  expect_sound("kept", {.events = 1, .crashes = 1, .baseline = true, .kept = true}, 1'000);
}

TEST(LiveExploration, NoSkippedProgramIsPlayed) {
  const Explored explored = expect_sound("dealt_ahead", {.events = 2, .crashes = 0, .deals_ahead = true}, 1'000);
  EXPECT_GT(explored.skips, 0u);
}

// The larger explorations take hours under sanitizers, and minutes without.
TEST(LiveExplorationLong, NoPropertyBreaksOverACrashAmongEvents) {
  expect_sound("two_events", {.events = 2, .crashes = 1, .baseline = true, .reward = true}, 150'000);
}

TEST(LiveExplorationLong, ALostStoreIsMadeUpForOverACrash) {
  for (const LiveRole role : {actor_role, party_1, rewarder_role}) {
    expect_sound(role_names[role], {.events = 1, .crashes = 1, .reward = role == rewarder_role, .lost = role}, 1'000);
  }
}

TEST(LiveExplorationLong, ALostStoreOfMoreEventsIsMadeUpFor) {
  for (const LiveRole role : {actor_role, party_1, rewarder_role}) {
    expect_sound(role_names[role], {.events = 2, .crashes = 0, .lost = role}, 1'000);
  }
  expect_sound("copy", {.events = 2, .crashes = 0, .snapshot = true, .lost = party_0}, 1'000);
}

TEST(LiveExplorationLong, NoPropertyBreaksOverManyCrashes) {
  expect_sound("two_crashes", {.events = 1, .crashes = 2, .baseline = true, .reward = true}, 100'000);
  expect_sound("three_events", {.events = 3, .crashes = 0, .reward = true}, 10'000);
}

TEST(LiveExplorationLong, NoPropertyBreaksOverThreeCrashes) {
  expect_sound("three_crashes", {.events = 1, .crashes = 3}, 1'500'000);
}

TEST(LiveExplorationLong, ModesAndSkipsOverACrashAmongEvents) {
  EXPECT_GT(expect_sound("frozen", {.events = 2, .crashes = 1, .frozen = true}, 600'000).frozen, 0u);
  EXPECT_GT(expect_sound("dealt_ahead", {.events = 2, .crashes = 1, .deals_ahead = true}, 200'000).skips, 0u);
}

TEST(LiveExplorationLong, AnOldCopyAndACrashAreHarmless) {
  for (std::size_t role = 0; role < live_roles; ++role) {
    expect_sound(role_names[role], {.events = 1, .crashes = 1, .restored = static_cast<LiveRole>(role)}, 100'000);
  }
}

struct SeededError {
  Seeded seeded;
  const char* caught_as;
  Bounds bounds;
};

void expect_caught(const SeededError& error) {
  Bounds bounds = error.bounds;
  bounds.seeded = error.seeded;
  EXPECT_THAT(explore(bounds).wrong, ::testing::HasSubstr(error.caught_as));
}

// If the roles themselves refuse the effect of a seeded error, the refusal counts as catching the error.
TEST(LiveExplorationStatistical, SeededErrorsAreCaught) {
  const Bounds plain{.events = 1, .crashes = 1};
  const Bounds with_baseline{.events = 1, .crashes = 1, .baseline = true};
  const Bounds with_reward{.events = 1, .crashes = 1, .reward = true};
  const Bounds with_copy{.events = 1, .crashes = 1, .restored = party_0};
  const Bounds with_rewarders_copy{.events = 1, .crashes = 0, .restored = rewarder_role};
  expect_caught({Seeded::told_before_commit, "kept: what an event was told is rolled back", plain});
  expect_caught({Seeded::done_before_prepare, "durable:", plain});
  expect_caught({Seeded::arms_before_disk, "shown: the actor sees two draws of an arm", plain});
  expect_caught({Seeded::baseline_not_stored, "one-arm:", with_baseline});
  expect_caught({Seeded::learned_not_stored, "a learn of batch 1, which is not to be learned", plain});
  expect_caught({Seeded::batches_in_memory, "a learn of batch 1, which is not to be learned", plain});
  expect_caught({Seeded::features_erased_early, "the features of a batch are gone", plain});
  expect_caught({Seeded::told_before_all_ready, "durable:", plain});
  expect_caught({Seeded::epoch_without_dealer, "no randomness is made twice", plain});
  expect_caught({Seeded::matched_by_number, "kept:", with_copy});
  expect_caught({Seeded::no_floor, "kept:", with_copy});
  expect_caught({Seeded::no_floor, "the rewarder has opened epoch 0 and done number 0", with_rewarders_copy});
  expect_caught({Seeded::rewards_not_closed, "reward:", with_reward});
  expect_caught({Seeded::no_catch_up, "no-refusal: the rewarder lacks a number", plain});
  expect_caught(
      {Seeded::learned_half, "version: a learn leaves the parties with two models", {.events = 1, .crashes = 0}});
  expect_caught({Seeded::learned_early, "version: two models in one program", {.events = 2, .crashes = 0}});
  expect_caught({Seeded::kept_over_epochs, "version: a learn leaves the parties", {.events = 2, .crashes = 1}});
  const Bounds with_modes{.events = 1, .crashes = 1, .frozen = true};
  expect_caught({Seeded::mode_not_stored, "frozen:", with_modes});
  expect_caught({Seeded::frozen_not_stored, "frozen:", with_modes});
  expect_caught({Seeded::asked_not_stored, "all-learned:", {.events = 1, .crashes = 1, .kept = true}});
  expect_caught({Seeded::skip_not_dropped, "fresh: a program that was skipped", {.events = 2, .crashes = 0}});
  expect_caught({Seeded::ids_not_kept, "kept: a party does not know an event", plain});
  const Bounds with_lost_party{.events = 2, .crashes = 0, .snapshot = true, .lost = party_1};
  expect_caught({Seeded::model_not_gone_back, "version: two models in one program", with_lost_party});
  const Bounds with_lost_party_and_crash{.events = 1, .crashes = 1, .snapshot = true, .lost = party_1};
  expect_caught({Seeded::drop_not_stored, "which is not to be learned", with_lost_party_and_crash});
  expect_caught({Seeded::batches_not_adopted, "no such batch", {.events = 1, .crashes = 0, .lost = rewarder_role}});
  expect_caught({Seeded::refusals_not_said, "once:", {.events = 1, .crashes = 0, .forgets = true}});
  expect_caught({Seeded::witness_is_silent, "witness:", {.events = 2, .crashes = 0, .rollback = true}});
}

// A copy of a store that lacks at most one number is accepted. Acknowledgements that were given after the copy are then
// lost without a notice, as docs/guides/live.md says.
TEST(LiveExploration, TheLimitsOfOldCopies) {
  expect_caught({Seeded::nothing, "reward:", {.events = 1, .crashes = 0, .reward = true, .restored = rewarder_role}});
  expect_caught({Seeded::nothing, "one-arm:", {.events = 1, .crashes = 0, .baseline = true, .restored = actor_role}});
}

// If the actor loses its store, an event that got the baseline and was in no batch is new again. The event may then get
// a second answer without any notice.
TEST(LiveExploration, TheLimitOfALostActor) {
  expect_caught({Seeded::nothing, "one-arm:", {.events = 1, .crashes = 0, .baseline = true, .lost = actor_role}});
}

// Random walks with all faults take more steps than the exploration can. At the end of a walk, steps without faults
// must reach the goal.
TEST(LiveExploration, RandomWalksComeToTheEnd) {
  const Bounds bounds{.events = World::most_events, .crashes = 12, .baseline = true, .reward = true};
  for (std::uint32_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    Steps steps(bounds);
    World world = steps.beginning();
    std::size_t length = 0;
    ASSERT_NO_THROW({
      for (; !steps.is_goal(world) && length < 20'000; ++length) {
        std::vector<Steps::Step> next = steps.of(world);
        const bool faults = random() % 20 == 0;
        if (!faults) std::erase_if(next, [](const Steps::Step& step) { return step.is_fault; });
        if (!next.empty()) world = std::move(next[random() % next.size()].world);
      }
    });
    EXPECT_LT(length, 20'000u);
  }
}

}  // namespace
}  // namespace sotto::apps::testing
