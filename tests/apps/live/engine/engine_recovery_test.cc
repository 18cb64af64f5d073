#include "tests/apps/live/engine/visitors.h"

namespace sotto::apps::live::testing {

using namespace sotto::apps::bandit;
using namespace sotto::apps::bandit::testing;
namespace {

bool is_idle(const Engines& engines) {
  const LiveStatus status = engines.actor->status();
  return status.pending == 0 && status.queue == 0 && status.running == 0;
}

[[nodiscard]] bool play(Engines& engines, Visitors& visitors) {
  return engines.run_until([&] {
    visitors.proceed(20);
    return visitors.all_done() && engines.actor && is_idle(engines);
  });
}

OrderMark copy_model(Engines& engines) {
  std::optional<CallResult<OrderMark>> heard;
  engines.actor->take_snapshot([&](CallResult<OrderMark> result) { heard = std::move(result); });
  EXPECT_TRUE(engines.run_until([&] { return heard.has_value(); }));
  EXPECT_EQ(heard->trouble, CallRefusal::none);
  return heard->result;
}

void restart_all(Engines& engines) {
  engines.kill_all();
  engines.io.poll();
  engines.start();
  ASSERT_TRUE(engines.run_until([&] { return engines.all_ready(); }));
}

// Empties the disks of actor and rewarder, and starts all roles with the flags that rebuild both disks.
void rebuild_actor_and_rewarder(Engines& engines) {
  engines.kill_all();
  engines.disk(engines.actor_id()) = Disk{};
  engines.disk(engines.rewarder_id()) = Disk{};
  for (const NodeId role : engines.roles()) {
    if (role == net::dealer_id) continue;
    RecoveryRequest& recovery_request = engines.recovery_requests[role];
    recovery_request.rebuild = role == engines.actor_id() || role == engines.rewarder_id();
    recovery_request.accept_actor = role != engines.actor_id();
    recovery_request.accept_rewarder = role != engines.rewarder_id();
  }
  restart_all(engines);
}

IntegerSums sum_of(const IntegerSums& a, const IntegerSums& b, const IntegerSums& start) {
  IntegerSums sum = a;
  for (std::size_t i = 0; i < sum.gram.size(); ++i) sum.gram[i] += b.gram[i] - start.gram[i];
  for (std::size_t i = 0; i < sum.targets.size(); ++i) sum.targets[i] += b.targets[i];
  return sum;
}

void expect_model(Engines& engines, const IntegerSums& expected) {
  const ModelWords model = model_on_disks(engines, engines.plan());
  EXPECT_EQ(model.gram, expected.gram);
  EXPECT_EQ(model.targets, expected.targets);
}

TEST(LiveEngineRecovery, TheModelGoesBackToACopy) {
  Engines engines(3);
  Visitors first(engines, 60, 1);
  engines.start();
  ASSERT_TRUE(play(engines, first));
  const OrderMark copy = copy_model(engines);
  ASSERT_TRUE(engines.run_until([&] { return engines.party[2]->status().snapshots.size() == 1; }));
  EXPECT_EQ(engines.party[2]->status().snapshots.front().number, copy.number);
  EXPECT_EQ(engines.party[2]->status().snapshots.front().id, copy.id);
  const Disk backup = engines.disk(2);
  Visitors second(engines, 40, 2);
  ASSERT_TRUE(play(engines, second));
  engines.kill_all();
  engines.disk(2) = backup;
  for (const NodeId party : {0, 1, 2}) {
    engines.recovery_requests[party].go_back = true;
    engines.recovery_requests[party].snapshot = copy.number;
  }
  restart_all(engines);
  expect_model(engines, first.expected(engines.plan()));
  EXPECT_EQ(engines.actor->status().dropped, 40u);
  Visitors third(engines, 50, 3);
  ASSERT_TRUE(play(engines, third));
  const BatchPlan plan = engines.plan();
  expect_model(engines, sum_of(first.expected(plan), third.expected(plan), IntegerSums(plan)));
}

TEST(LiveEngineRecovery, ActorAndRewarderAreRebuilt) {
  Engines engines(2);
  Visitors first(engines, 60, 1);
  engines.start();
  ASSERT_TRUE(play(engines, first));
  rebuild_actor_and_rewarder(engines);
  std::optional<AskReply> reply;
  DecisionRequest again;
  again.event = first.visits().front().id;
  engines.actor->ask({again}, true, [&](const auto& replies, CallRefusal) { reply = replies.at(0).second; });
  ASSERT_TRUE(engines.run_until([&] { return reply.has_value(); }));
  EXPECT_EQ(reply->status, AskStatus::already_decided);
  expect_model(engines, first.expected(engines.plan()));
  Visitors second(engines, 50, 2);
  ASSERT_TRUE(play(engines, second));
  const BatchPlan plan = engines.plan();
  expect_model(engines, sum_of(first.expected(plan), second.expected(plan), IntegerSums(plan)));
}

TEST(LiveEngineRecovery, WaitsForEveryRoleToBeTold) {
  Engines engines(2);
  Visitors first(engines, 10, 1);
  engines.start();
  ASSERT_TRUE(play(engines, first));
  engines.kill_all();
  engines.disk(0) = Disk{};
  engines.recovery_requests[0].go_back = true;
  engines.start();
  ASSERT_TRUE(engines.run_until_refused(engines.actor_id(), "party 1 has no flag for a recovery"));
  engines.kill(1);
  engines.recovery_requests[1].go_back = true;
  engines.start(1);
  Visitors second(engines, 30, 2);
  ASSERT_TRUE(play(engines, second));
  expect_model(engines, second.expected(engines.plan()));
}

SnapshotRow imported(Engines& before, NodeId party) {
  ForeignModel foreign;
  foreign.arm_names = before.settings().arms;
  foreign.arms = foreign.arm_names.size();
  foreign.steps = before.plan().parameters.steps;
  foreign.batch = before.settings().largest_batch();
  before.rows(party).each(LiveTable::models, [&](const RowKey&, const LiveRow& row) {
    foreign.model = decode_model_words(row, before.plan()).value();
    return true;
  });
  const LiveStatus status = before.party[party]->status();
  const std::uint64_t learned = before.actor->status().decisions_ever.value_or(0);
  return {{0, status.checkpoint, learned, sum_bits(foreign, before.topology().parties())}, true, encode(foreign)};
}

void put_snapshot(Engines& engines, NodeId party, const SnapshotRow& row) {
  RowDraft draft(engines.rows(party));
  draft.put(key_of(LiveTable::snapshots, OrderNumber{0}), encode(row));
  draft.commit();
}

TEST(LiveEngineRecovery, AServiceBeginsFromAnother) {
  Engines before(2);
  Visitors first(before, 60, 1);
  before.start();
  ASSERT_TRUE(play(before, first));
  const ModelWords old = model_on_disks(before, before.plan());
  LiveSettings settings = engine_settings();
  settings.arms = {"a", "new", "b", "c", "d"};
  Engines after(2, settings);
  for (const NodeId party : {0, 1}) put_snapshot(after, party, imported(before, party));
  after.start();
  ASSERT_TRUE(after.run_until([&] { return after.all_ready(); }));
  const ModelWords fresh = model_on_disks(after, after.plan());
  const std::size_t triangle = old.gram.size() / 4;
  const auto block = [](const Numbers& words, std::size_t arm, std::size_t size) {
    return Numbers(words.begin() + static_cast<std::ptrdiff_t>(arm * size),
                   words.begin() + static_cast<std::ptrdiff_t>((arm + 1) * size));
  };
  for (const std::size_t arm : {0, 2, 3, 4}) {
    const std::size_t was = arm == 0 ? 0 : arm - 1;
    EXPECT_EQ(block(fresh.gram, arm, triangle), block(old.gram, was, triangle));
    EXPECT_EQ(block(fresh.targets, arm, 4), block(old.targets, was, 4));
  }
  const IntegerSums empty(after.plan());
  EXPECT_EQ(block(fresh.gram, 1, triangle), block(empty.gram, 1, triangle));
  EXPECT_EQ(block(fresh.targets, 1, 4), Numbers(4, 0));
  Visitors second(after, 50, 2);
  ASSERT_TRUE(play(after, second));
  IntegerSums expected = second.expected(after.plan());
  for (std::size_t i = 0; i < expected.gram.size(); ++i) expected.gram[i] += fresh.gram[i] - empty.gram[i];
  for (std::size_t i = 0; i < expected.targets.size(); ++i) expected.targets[i] += fresh.targets[i];
  expect_model(after, expected);
}

void restart_party(Engines& engines) {
  engines.kill(0);
  engines.start(0);
  ASSERT_TRUE(engines.run_until([&] { return engines.all_ready(); }));
}

// A service for a larger number of steps has fewer bits for the sums, so the first learn rounds the imported sums.
// `before_it` runs before the first learn.
void expect_rounded(std::size_t parties, RandomnessBy preprocessing, void (*before_it)(Engines&) = restart_party) {
  Engines before(parties, engine_settings(), preprocessing);
  before.steps = 1000;
  Visitors first(before, 20, 1);
  before.start();
  ASSERT_TRUE(play(before, first));
  const ModelWords old = model_on_disks(before, before.plan());
  Engines after(parties, engine_settings(), preprocessing);
  after.steps = 100'000'000;
  const unsigned cut = 2 * (before.plan().context_bits - after.plan().context_bits);
  ASSERT_GE(cut, 2u);
  for (NodeId party = 0; party < parties; ++party) put_snapshot(after, party, imported(before, party));
  after.start();
  ASSERT_TRUE(after.run_until([&] { return after.all_ready(); }));
  before_it(after);
  Visitors second(after, 20, 2);
  ASSERT_TRUE(play(after, second));
  const ModelWords model = model_on_disks(after, after.plan());
  const IntegerSums added = second.expected(after.plan());
  const IntegerSums empty(after.plan());
  const auto expect_near = [](const Numbers& now, const Numbers& was, const Numbers& more, const Numbers& none,
                              unsigned bits) {
    for (std::size_t i = 0; i < now.size(); ++i) {
      const auto kept = static_cast<std::int64_t>(now[i] - (more[i] - none[i]));
      const double unit = std::ldexp(static_cast<double>(static_cast<std::int64_t>(was[i])), -static_cast<int>(bits));
      EXPECT_LT(std::abs(static_cast<double>(kept) - unit), 1) << i;
    }
  };
  expect_near(model.gram, old.gram, added.gram, empty.gram, cut);
  expect_near(model.targets, old.targets, added.targets, Numbers(added.targets.size()), cut / 2);
}

TEST(LiveEngineRecovery, MoreStepsRoundTheSums) { expect_rounded(2, RandomnessBy::dealer); }
TEST(LiveEngineRecovery, MoreStepsRoundTheSumsOfThreeParties) { expect_rounded(3, RandomnessBy::replicated); }
TEST(LiveEngineRecovery, MoreStepsRoundTheSumsByTransfers) { expect_rounded(2, RandomnessBy::ot); }
TEST(LiveEngineRecovery, MoreStepsRoundTheSumsThoughStoresAreLost) {
  expect_rounded(2, RandomnessBy::dealer, rebuild_actor_and_rewarder);
}

TEST(LiveEngineRecovery, AModelThatNotAllBringIsRefused) {
  Engines before(2);
  Visitors first(before, 10, 1);
  before.start();
  ASSERT_TRUE(play(before, first));
  Engines after(2);
  put_snapshot(after, 0, imported(before, 0));
  after.start();
  ASSERT_TRUE(after.run_until_refused(after.actor_id(), "party 1"));
  after.kill(1);
  SnapshotRow other = imported(before, 1);
  other.name.id[0] ^= std::byte{1};
  put_snapshot(after, 1, other);
  after.start(1);
  ASSERT_TRUE(after.run_until([&] { return after.party[1]->status().readiness == Readiness::refused; }));
  after.kill(1);
  put_snapshot(after, 1, imported(before, 1));
  after.start(1);
  ASSERT_TRUE(after.run_until([&] { return after.all_ready(); }));
  expect_model(after, first.expected(after.plan()));
}

}  // namespace
}  // namespace sotto::apps::live::testing
