// count_lift, against counts in the clear.
#include "apps/bandit/model/batch/lift.h"

#include "apps/bandit/model/batch/kept_programs.h"
#include "sotto/protocol/error/errors.h"
#include "tests/apps/bandit/model/batch/batch_runs.h"

namespace sotto::apps::bandit::testing {
namespace {

constexpr std::size_t lift_places = 70;

// Random inputs of all roles, as a learn brings them.
struct LiftWorld {
  LiftWorld(std::size_t count_of_parties, std::size_t count_of_levels, unsigned seed = 1)
      : parties(count_of_parties), levels(count_of_levels), plan(plan_of(parties, levels)) {
    std::mt19937_64 random(seed);
    best.assign(parties, {});
    counted.assign(parties, {});
    shown.assign(parties, {});
    for (std::size_t place = 0; place + 6 < lift_places; ++place) {  // the last places have no event
      told.push_back(random() % 8 != 0 ? 1 : 0);
      base.push_back(told.back() & (random() % 2));
      rewards.push_back(random() % 6 == 0 ? std::nullopt : std::optional<std::size_t>(random() % levels));
      for (std::size_t party = 0; party < parties; ++party) {
        best[party].push_back(random() % 2);
        counted[party].push_back(random() % 5 != 0 ? 1 : 0);
      }
    }
    for (std::size_t i = 0; i < 3 * levels; ++i) {
      noise.push_back(random() % 100);
      for (auto& share : shown) share.push_back(random());
    }
  }
  static BatchPlan plan_of(std::size_t parties, std::size_t levels, RandomnessBy by = RandomnessBy::dealer) {
    BanditParameters p;
    p.columns.assign(parties, 2);
    p.arms = 3;
    p.steps = 1000;
    p.separate_rewarder = true;
    p.preprocessing = by;
    BatchPlan plan = plan_batches(std::move(p), lift_places);
    plan.notes_best = true;
    plan.lift_levels = levels;
    return plan;
  }
  [[nodiscard]] Numbers expected() const {
    Numbers counts(3 * levels, 0);
    for (std::size_t place = 0; place < told.size(); ++place) {
      bool counts_here = told[place] == 1 && rewards[place];
      unsigned bit = 0;
      for (std::size_t party = 0; party < parties; ++party) {
        counts_here = counts_here && counted[party][place] == 1;
        bit ^= best[party][place];
      }
      if (!counts_here) continue;
      ++counts[*rewards[place]];
      if (base[place] == 1) ++counts[(bit == 1 ? 1 : 2) * levels + *rewards[place]];
    }
    return counts;
  }
  [[nodiscard]] Task<LearnResult> play(Party& party) const {
    LearnInputs inputs;
    inputs.size = lift_places;
    inputs.lift.coins = {5 + told.size(), 7};
    for (std::size_t p = 0; p < parties; ++p) {
      if (!party.is(static_cast<NodeId>(p))) continue;
      inputs.contexts.assign(lift_places * 2, 0);
      inputs.lift.best = best[p];
      inputs.lift.counted = counted[p];
      inputs.lift.shown = shown[p];
    }
    inputs.lift.told = told;
    inputs.lift.base = base;
    inputs.lift.rewards = rewards;
    inputs.lift.noise = noise;
    return run_learn(party, plan, std::move(inputs));
  }
  // Checks the roles' results of the program.
  template <class Results>
  void expect_results(const Results& nodes) const {
    Numbers sums(3 * levels, 0);
    Numbers sent(3 * levels, 0);
    Numbers opened = noise;
    for (std::size_t party = 0; party < parties; ++party) {
      ByteReader lanes(nodes[party].lift_lanes);
      for (std::size_t i = 0; i < sums.size(); ++i) {
        sums[i] += nodes[party].lift.at(i);
        sent[i] += lanes.number<std::uint64_t>();
        opened[i] += shown[party][i];
      }
      EXPECT_TRUE(lanes.at_end());
    }
    EXPECT_EQ(sums, expected());
    EXPECT_EQ(nodes[actor_of(plan.parameters.topology())].shown_lift, opened);
    EXPECT_EQ(sent, opened) << "a party knows what it sent";
  }

  std::size_t parties;
  std::size_t levels;
  BatchPlan plan;
  std::vector<std::uint8_t> told, base;
  std::vector<std::optional<std::size_t>> rewards;
  std::vector<std::vector<std::uint8_t>> best, counted;
  std::vector<Numbers> shown;
  Numbers noise;
};

class LiftOfParties : public ::testing::TestWithParam<std::size_t> {};

TEST_P(LiftOfParties, IsTheCountInTheClear) {
  for (const std::size_t levels : {2u, 5u}) {
    const LiftWorld world(GetParam(), levels);
    const Topology topology = world.plan.parameters.topology();
    const auto run = protocols::simulate(topology, [&](Party& party) { return world.play(party); });
    world.expect_results(run.nodes);
    EXPECT_EQ(run.rounds, BatchPlan::learn_rounds) << "a learn takes longer than the counts";
    const Ledger planned =
        protocols::plan(topology, [&](Party& party) { return learn_without_inputs(party, world.plan, lift_places); });
    EXPECT_EQ(planned.total().rounds, run.rounds);
    EXPECT_EQ(planned.total().sent, run.sent);
  }
}

INSTANTIATE_TEST_SUITE_P(Parties, LiftOfParties, ::testing::Values(2, 3, 5));

// The features of an event change only the event's bit. The bit moves two counts by 1, or none.
TEST(LiftCounts, MoveByTheBitOfAnEventOnce) {
  const LiftWorld world(2, 2);
  const Numbers before = world.expected();
  std::size_t moved = 0;
  for (std::size_t place = 0; place < world.told.size(); ++place) {
    LiftWorld other = world;
    other.best[1][place] ^= 1;
    const Numbers after = other.expected();
    std::uint64_t moves = 0;
    for (std::size_t i = 0; i < after.size(); ++i) {
      moves += after[i] > before[i] ? after[i] - before[i] : before[i] - after[i];
      EXPECT_TRUE(i >= world.levels || after[i] == before[i]) << "counts of all events do not depend on the bit";
    }
    EXPECT_TRUE(moves == 0 || moves == 2) << place;
    moved += moves / 2;
  }
  EXPECT_GT(moved, 0u);
}

// A reward that changes moves at most four counts by 1.
TEST(LiftCounts, MoveByARewardInFourPlaces) {
  const LiftWorld world(2, 5);
  const Numbers before = world.expected();
  std::uint64_t most = 0;
  for (std::size_t place = 0; place < world.told.size(); ++place) {
    LiftWorld other = world;
    other.rewards[place] = world.rewards[place] ? (*world.rewards[place] + 1) % 5 : 0;
    const Numbers after = other.expected();
    std::uint64_t moves = 0;
    for (std::size_t i = 0; i < after.size(); ++i) {
      moves += after[i] > before[i] ? after[i] - before[i] : before[i] - after[i];
    }
    most = std::max(most, moves);
  }
  EXPECT_EQ(most, 4u);
}

TEST(LiftCounts, RefuseARewarderThatBringsTwoLevels) {
  const LiftWorld world(2, 2);
  const auto program = [&](Party& party) -> Task<Unit> {
    LiftEvents events;
    events.events = 4;
    const auto zeros = [](std::span<std::uint64_t> out) { std::fill(out.begin(), out.end(), 0); };
    events.told = events.base = events.noise = events.best = events.counted = events.shown = zeros;
    events.coins = [](std::span<std::uint64_t> out) { std::fill(out.begin(), out.end(), 99); };
    events.rewards = [](std::span<std::uint64_t> out) {
      std::fill(out.begin(), out.end(), 0);
      std::fill(out.begin() + 8, out.end(), 1);
      out[3] = 1;
    };
    (void)co_await count_lift(party, world.plan, std::move(events));
    co_return Unit{};
  };
  EXPECT_THROW((void)protocols::simulate(world.plan.parameters.topology(), program), ProtocolError);
}

}  // namespace
}  // namespace sotto::apps::bandit::testing
