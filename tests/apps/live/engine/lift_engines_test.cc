// The lift that a running service counts (order/lift_window.h).
#include "apps/live/roles/archive.h"
#include "tests/apps/live/engine/visitors.h"

namespace sotto::apps::live::testing {
namespace {

LiveSettings lift_settings() {
  LiveSettings settings = engine_settings();
  settings.lift = true;
  settings.lift_levels = {0, 1};
  settings.archive = settings.remember;
  settings.agreement_window = 1;      // each learn fills a window, and the next learn shows it
  settings.agreement_epsilon = 1000;  // noise of scale 1 / 250, so zeros
  return settings;
}

// Whether the played arm was the best, by the shares of all parties.
bool was_best(Engines& engines, const Visit& visit) {
  unsigned bit = 0;
  for (NodeId party = 0; party < engines.topology().parties(); ++party) {
    const MemoryRows& rows = engines.rows(party);
    const OrderNumber number = visit.told->number;
    const BatchRow batch = decode_batch_row(rows.get(key_of(LiveTable::batches, number)).value()).value();
    const ArchiveRow row = decode_archive_row(rows.get(key_of(LiveTable::archive, number)).value()).value();
    const auto place = std::find(batch.events.begin(), batch.events.end(), visit.id) - batch.events.begin();
    bit ^= row.best.at(static_cast<std::size_t>(place));
  }
  return bit == 1;
}

// The last learn of the service. Its counts are not shown yet.
std::vector<OrderNumber> batches_of_last_learn(Engines& engines) {
  std::vector<OrderNumber> batches;
  engines.rows(engines.actor_id()).each(LiveTable::chain, [&](const RowKey&, const LiveRow& bytes) {
    const ChainRow row = decode_chain_row(bytes).value();
    if (row.entry.shape.kind == EntryKind::learn) batches = row.entry.batches;
    return true;
  });
  return batches;
}

void expect_counts(Engines& engines, const Visitors& visitors, const LiftWindow& lift) {
  const std::vector<OrderNumber> last = batches_of_last_learn(engines);
  LiftWords expected(6, 0);
  for (const Visit& visit : visitors.visits()) {
    if (std::find(last.begin(), last.end(), visit.told->number) != last.end()) continue;
    if (visit.told->state != DecisionState::decided) continue;
    if (!visit.rewarded && !engines.settings().default_reward) continue;
    const std::size_t level = visit.rewarded && visit.reward == 1 ? 1 : 0;
    ++expected[level];
    if (visit.told->arm == *engines.settings().baseline_arm) ++expected[(was_best(engines, visit) ? 2 : 4) + level];
  }
  EXPECT_EQ(lift.all, expected);
  EXPECT_GT(expected[0], 0u);
  EXPECT_GT(expected[2], 0u);
}

void play_all(Engines& engines, Visitors& visitors) {
  engines.start();
  ASSERT_TRUE(engines.run_until([&] {
    visitors.proceed(20);
    return visitors.all_done() && nothing_pending(engines);
  }));
}

class Lifts : public ::testing::TestWithParam<std::size_t> {};

TEST_P(Lifts, AreCountedFromAllEvents) {
  LiveSettings settings = lift_settings();
  if (GetParam() == 3) settings.default_reward.reset();
  Engines engines(GetParam(), settings);
  Visitors visitors(engines, 300);
  ASSERT_NO_FATAL_FAILURE(play_all(engines, visitors));
  const LiftWindow lift = engines.actor->status().lift;
  EXPECT_EQ(lift.opened + 1, engines.actor->counters().learns);
  EXPECT_EQ(engines.party[0]->status().lift.words, LiftWords{}) << "no share leaves the role's rows";
  EXPECT_EQ(engines.rewarder->status().lift.words, LiftWords{});
  EXPECT_EQ(engines.party[0]->status().lift.all, LiftWords{}) << "the sums are the actor's";
  engines.kill_all();
  expect_model(engines, visitors);
  expect_counts(engines, visitors, lift);
}

INSTANTIATE_TEST_SUITE_P(Live, Lifts, ::testing::Values(2, 3, 5));

class LiftsWithoutDealer : public ::testing::TestWithParam<RandomnessBy> {};

TEST_P(LiftsWithoutDealer, AreCountedFromAllEvents) {
  LiveSettings settings = lift_settings();
  settings.batch_sizes = {1, 8};
  Engines engines(GetParam() == RandomnessBy::replicated ? 3 : 2, settings, GetParam());
  Visitors visitors(engines, 150);
  ASSERT_NO_FATAL_FAILURE(play_all(engines, visitors));
  const LiftWindow lift = engines.actor->status().lift;
  engines.kill_all();
  expect_counts(engines, visitors, lift);
}

INSTANTIATE_TEST_SUITE_P(Live, LiftsWithoutDealer,
                         ::testing::Values(RandomnessBy::replicated, RandomnessBy::ot, RandomnessBy::helper),
                         [](const auto& mode) { return std::string(name_of(mode.param)); });

TEST(LiveLift, CountsEachEventOnceWhateverEnds) {
  Engines engines(2, lift_settings());
  Visitors visitors(engines, 600);
  LiftWindow lift;
  ASSERT_NO_FATAL_FAILURE(play_through_kills(engines, visitors, 20, 10, 50, 3, [&] {
    if (!visitors.all_done() || !nothing_pending(engines)) return false;
    lift = engines.actor->status().lift;
    return true;
  }));
  engines.kill_all();
  expect_model(engines, visitors);
  expect_counts(engines, visitors, lift);
}

// The noise of a window: each count is at least as uncertain as the noise of the rewarder, and counts of the baseline
// arm also have that of every party. The events have no level, so the counts are nothing but noise.
TEST(LiveLift, HasTheNoiseOfEveryRole) {
  LiveSettings settings = lift_settings();
  settings.default_reward.reset();
  settings.agreement_epsilon = .2;
  settings.batch_sizes = {1};
  settings.cut_off = 0;
  settings.reward_wait = 1;
  Engines engines(3, settings);
  for (const NodeId role : engines.roles()) engines.insecure_seeds[role] = 91u + role;
  // The service's clock runs a hundred times as fast, because learns pause between each other.
  engines.now = [began = live_time_now()] { return began + 100 * (live_time_now() - began); };
  std::vector<LiftWords> shown;
  std::size_t asked = 0;
  engines.start();
  ASSERT_TRUE(engines.run_until([&] {
    const LiveStatus status = engines.actor->status();
    if (status.lift.opened > shown.size()) shown.push_back(status.lift.last);
    if (engines.all_ready() && status.pending == 0 && status.queue == 0 && status.lift.opened + 1 >= asked) {
      DecisionRequest request;
      request.event = EventId{static_cast<std::byte>(asked), static_cast<std::byte>(asked >> 8), std::byte{1}};
      ++asked;
      engines.actor->ask({request}, true, [](const auto&, CallRefusal) {});
    }
    return shown.size() >= 120;
  }));
  const auto variance = [](double scale) {
    const double next = std::exp(-1 / scale);
    return 2 * next / ((1 - next) * (1 - next));
  };
  const double of_rewarder = variance(4 / settings.agreement_epsilon);
  const double of_baseline = of_rewarder + 3 * variance(2 / settings.agreement_epsilon);
  for (std::size_t kind = 0; kind < 2; ++kind) {
    double squares = 0;
    double counts = 0;
    for (const LiftWords& words : shown) {
      for (std::size_t i = kind == 0 ? 0 : 2; i < (kind == 0 ? 2u : 6u); ++i) {
        squares += std::pow(static_cast<double>(static_cast<std::int64_t>(words[i])), 2);
        ++counts;
      }
    }
    const double expected = kind == 0 ? of_rewarder : of_baseline;
    EXPECT_GT(squares / counts, .6 * expected) << kind;
    EXPECT_LT(squares / counts, 1.6 * expected) << kind;
  }
}

}  // namespace
}  // namespace sotto::apps::live::testing
