#include "apps/live/engine/prepared_programs.h"
#include "sotto/protocol/simulate/simulate.h"
#include "tests/apps/live/engine/visitors.h"
#include "tests/framework.h"

namespace sotto::apps::live::testing {

using namespace sotto::apps::bandit;
namespace {

class WithoutDealer : public ::testing::TestWithParam<RandomnessBy> {
 protected:
  [[nodiscard]] static std::size_t parties() { return GetParam() == RandomnessBy::replicated ? 3 : 2; }
  [[nodiscard]] static LiveSettings settings() {
    LiveSettings settings = engine_settings();
    settings.batch_sizes = {1, 8};
    return settings;
  }
  [[nodiscard]] static LiveSettings idle_settings() {
    LiveSettings idle = settings();
    idle.cut_off = 0;
    idle.reward_wait = 3'600'000;
    idle.remember = 8'000'000;
    return idle;
  }
  [[nodiscard]] static bool play(Engines& engines, Visitors& visitors) {
    return engines.run_until([&] {
      visitors.proceed(12);
      return visitors.all_done() && nothing_pending(engines);
    });
  }
};

PreparedCounters prepared_of(const Engines& engines) { return engines.actor->counters().prepared.value(); }

bool all_are_accounted_for(const Engines& engines) {
  const auto roles = engines.roles();
  return std::all_of(roles.begin(), roles.end(), [&](NodeId role) {
    const LiveCounters counters = engines.service(role)->counters();
    const PreparedCounters& made = counters.prepared.value();
    return made.programs == counters.decides + counters.learns + counters.programs_skipped + made.ahead;
  });
}

TEST_P(WithoutDealer, WhatIsToldIsLearned) {
  Engines engines(parties(), settings(), GetParam());
  Visitors visitors(engines, 120);
  engines.start();
  ASSERT_TRUE(play(engines, visitors));
  expect_model(engines, visitors);
  EXPECT_EQ(engines.actor->counters().decided, 120u);
  EXPECT_EQ(engines.actor->status().epoch, 1u);
  EXPECT_TRUE(engines.run_until([&] { return all_are_accounted_for(engines); }));
  for (const NodeId role : engines.roles()) EXPECT_EQ(engines.service(role)->counters().dealt_bytes, 0u);
}

TEST_P(WithoutDealer, WithoutARewardAnEventIsNotLearned) {
  LiveSettings skipping = settings();
  skipping.default_reward.reset();
  skipping.reward_wait = 1000;
  Engines engines(parties(), skipping, GetParam());
  Visitors visitors(engines, 60);
  engines.start();
  ASSERT_TRUE(play(engines, visitors));
  expect_model(engines, visitors);
}

TEST_P(WithoutDealer, ApprenticesLearnFromTheCallersArms) {
  LiveSettings apprentice = settings();
  apprentice.mode = LiveMode::apprentice;
  apprentice.agreement_window = 40;
  apprentice.agreement_epsilon = 10;
  Engines engines(parties(), apprentice, GetParam());
  Visitors visitors(engines, 100);
  visitors.play_own_arms();
  engines.start();
  ASSERT_TRUE(play(engines, visitors));
  for (std::size_t i = 0; i < visitors.visits().size(); ++i) {
    EXPECT_EQ(visitors.visits()[i].told->arm, i % engines.settings().arms.size());
  }
  expect_model(engines, visitors);
  EXPECT_GE(engines.actor->status().agreement.opened, 1u);
  EXPECT_GE(engines.actor->status().agreement.last.agreed, 40 - 6) << "one arm is allowed, so that all agree";
}

TEST_P(WithoutDealer, EndsAtAnyTimeAndGoesOn) {
  Engines engines(parties(), settings(), GetParam());
  const std::size_t kills = takes_all_samples() ? 12 : 6;
  Visitors visitors(engines, 34 * kills);
  ASSERT_NO_FATAL_FAILURE(play_through_kills(engines, visitors, 12, kills, 30, 3,
                                             [&] { return visitors.all_done() && nothing_pending(engines); }));
  expect_model(engines, visitors);
}

std::vector<AskReply> ask_all(Engines& engines, std::size_t count, unsigned seed,
                              const std::vector<std::uint16_t>& barred) {
  std::vector<DecisionRequest> requests(count);
  for (std::size_t i = 0; i < count; ++i) {
    requests[i].event = EventId{static_cast<std::byte>(i), static_cast<std::byte>(seed), std::byte{1}};
    requests[i].barred = barred;
  }
  std::vector<AskReply> replies;
  engines.actor->ask(requests, true, [&](const auto& some, CallRefusal trouble) {
    EXPECT_EQ(trouble, CallRefusal::none);
    for (const auto& [place, reply] : some) replies.push_back(reply);
  });
  EXPECT_TRUE(engines.run_until([&] { return replies.size() == count; }));
  return replies;
}

// Programs for single events are ready when eight events arrive at the same time. A program for eight events is planned
// only at that moment, and the events wait for this program.
TEST_P(WithoutDealer, SaysThatADecideWaits) {
  Engines engines(parties(), idle_settings(), GetParam());
  engines.start();
  ASSERT_TRUE(engines.run_until([&] { return engines.all_ready(); }));
  ASSERT_TRUE(engines.run_until([&] { return prepared_of(engines).ahead == engines.settings().deal_ahead; }));
  (void)ask_all(engines, 1, 1, {});
  EXPECT_EQ(prepared_of(engines).waited, 0u);
  EXPECT_EQ(prepared_of(engines).seconds_waited, 0.0);
  (void)ask_all(engines, 8, 2, {});
  EXPECT_EQ(prepared_of(engines).waited, 1u);
  EXPECT_GT(prepared_of(engines).seconds_waited, 0.0);
}

TEST_P(WithoutDealer, LargeProgramsArePreparedInPieces) {
  LiveSettings large = settings();
  large.batch_sizes = {128};
  large.deal_ahead = 5;
  large.cut_off = 0;
  large.mode = LiveMode::frozen;
  Engines engines(parties(), large, GetParam());
  engines.start();
  ASSERT_TRUE(engines.run_until([&] { return engines.all_ready() && prepared_of(engines).ahead == 5; }));
  for (unsigned turn = 1; turn <= 2; ++turn) {
    for (const AskReply& reply : ask_all(engines, 128, turn, {})) {
      ASSERT_TRUE(reply.answer);
      EXPECT_EQ(reply.answer->state, DecisionState::decided);
    }
  }
  EXPECT_EQ(prepared_of(engines).waited, 0u);
}

TEST_P(WithoutDealer, TellsNoArmThatIsBarred) {
  LiveSettings frozen = settings();
  frozen.cut_off = 0;
  frozen.mode = LiveMode::frozen;
  Engines engines(parties(), frozen, GetParam());
  engines.start();
  for (unsigned turn = 0; turn < 4; ++turn) {
    for (const AskReply& reply : ask_all(engines, 8, turn, {0, 2})) {
      ASSERT_TRUE(reply.answer);
      EXPECT_EQ(reply.answer->state, DecisionState::decided);
      EXPECT_TRUE(reply.answer->arm == 1 || reply.answer->arm == 3) << reply.answer->arm;
    }
  }
  EXPECT_EQ(engines.actor->counters().learns, 0u);
}

TEST_P(WithoutDealer, NobodyKnowsOfARollbackOfAll) {
  Engines engines(parties(), idle_settings(), GetParam());
  engines.start();
  (void)ask_all(engines, 1, 1, {});
  std::map<NodeId, Disk> old;
  engines.kill_all();
  for (const NodeId role : engines.roles()) old[role] = engines.disk(role);
  engines.start();
  for (unsigned turn = 2; turn < 5; ++turn) (void)ask_all(engines, 1, turn, {});
  engines.kill(1);
  engines.disk(1) = old.at(1);
  engines.start(1);
  ASSERT_TRUE(engines.run_until_refused(engines.actor_id(), "party 1"));
  engines.kill_all();
  for (const NodeId role : engines.roles()) engines.disk(role) = old.at(role);
  engines.start();
  ASSERT_TRUE(engines.run_until([&] { return engines.all_ready(); }));
  EXPECT_EQ(engines.actor->status().number, 1u);
}

TEST(WithAHelper, ItKnowsOfARollbackOfAllOthers) {
  LiveSettings idle = engine_settings();
  idle.batch_sizes = {1};
  idle.cut_off = 0;
  idle.reward_wait = 3'600'000;
  idle.remember = 8'000'000;
  Engines engines(2, idle, RandomnessBy::helper);
  engines.start();
  (void)ask_all(engines, 1, 1, {});
  engines.kill_all();
  std::map<NodeId, Disk> old;
  for (const NodeId role : engines.roles()) old[role] = engines.disk(role);
  engines.start();
  for (unsigned turn = 2; turn < 10; ++turn) (void)ask_all(engines, 1, turn, {});
  ASSERT_TRUE(engines.run_until([&] { return engines.helper->status().number >= 2; }));
  engines.kill_all();
  const NodeId helper = engines.topology().helper();
  for (const NodeId role : engines.roles()) {
    if (role != helper) engines.disk(role) = old.at(role);
  }
  engines.start();
  ASSERT_TRUE(
      engines.run_until_refused(engines.actor_id(), "the stores of all roles except the helper are old copies"));
  engines.kill(helper);
  engines.accepts_rollback = true;
  engines.start(helper);
  ASSERT_TRUE(engines.run_until([&] { return engines.all_ready(); }));
  EXPECT_EQ(engines.actor->status().number, 1u);
}

TEST(WithAHelper, ItHearsOfNoEvent) {
  Engines engines(2, engine_settings(), RandomnessBy::helper);
  Visitors visitors(engines, 40);
  engines.start();
  ASSERT_TRUE(engines.run_until([&] {
    visitors.proceed(12);
    return visitors.all_done() && nothing_pending(engines);
  }));
  EXPECT_EQ(engines.helper->counters().decides, engines.actor->counters().decides);
  EXPECT_EQ(engines.helper->counters().padding, 0u);
  engines.kill_all();
  for (const auto& [key, row] : engines.disk(engines.topology().helper()).rows())
    EXPECT_EQ(key.table, LiveTable::epoch);
}

struct Preparation {
  std::uint64_t rounds = 0;
  std::uint64_t sent = 0;  // number of bytes of the party that sends the most
};

Task<std::uint64_t> prepared(Party& party, const BatchPlan& plan, std::vector<ProgramShape> shapes) {
  const PieceLanes lanes = co_await agree_on_lanes(party, plan, Seed::from_os(), "test");
  const std::uint64_t before = party.rounds().round();
  PlanFrame frame;
  frame.shapes = std::move(shapes);
  (void)co_await prepare_programs(party, lanes.back(), "test", plan, std::move(frame));
  co_return party.rounds().round() - before;
}

Preparation preparation_of(const BatchPlan& plan, const std::vector<ProgramShape>& shapes) {
  const auto program = [&](Party& party) { return prepared(party, plan, shapes); };
  const auto run = protocols::simulate(plan.parameters.topology(), program);
  EXPECT_EQ(protocols::plan(plan.parameters.topology(), program).total().sent, run.sent);
  return {run.nodes[0], *std::max_element(run.sent.begin(), run.sent.end())};
}

// The documentation says about 70 rounds, for one program and for many.
TEST_P(WithoutDealer, ManyProgramsArePreparedInTheRoundsOfOne) {
  const Engines engines(parties(), settings(), GetParam());
  const BatchPlan plan = engines.plan();
  const ProgramShape decide{EntryKind::decide, 8}, secret{EntryKind::decide, 8, true}, learn{EntryKind::learn, 8};
  const Preparation of_decide = preparation_of(plan, {decide});
  const Preparation of_learn = preparation_of(plan, {learn});
  const Preparation of_many = preparation_of(plan, {decide, learn, decide, learn, secret, decide});
  EXPECT_EQ(of_many.rounds, std::max(of_decide.rounds, of_learn.rounds));
  EXPECT_GE(of_many.rounds, 65u);
  EXPECT_LE(of_many.rounds, 80u) << of_decide.rounds << " of a decide, " << of_learn.rounds << " of a learn";
  EXPECT_GT(of_many.sent, std::max(of_decide.sent, of_learn.sent));
}

INSTANTIATE_TEST_SUITE_P(Live, WithoutDealer,
                         ::testing::Values(RandomnessBy::replicated, RandomnessBy::ot, RandomnessBy::helper),
                         [](const auto& mode) { return std::string(name_of(mode.param)); });

}  // namespace
}  // namespace sotto::apps::live::testing
