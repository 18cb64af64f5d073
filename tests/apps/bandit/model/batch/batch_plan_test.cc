#include "apps/bandit/model/batch/batch_plan.h"
#include "apps/bandit/model/bandit_plan.h"
#include "apps/bandit/model/phases.h"

#include <bit>

#include "apps/bandit/run/local/local.h"
#include "apps/bandit/run/result/link_model.h"
#include "tests/apps/support.h"
#include "tests/properties.h"

namespace sotto::apps::bandit {

using namespace sotto::apps::bandit::run;
namespace {

BanditParameters parameters_of(std::uint64_t events, std::size_t arms, std::size_t batch, std::uint64_t lag = 0) {
  BanditParameters p;
  p.columns = {10, 10};
  p.arms = arms;
  p.steps = events;
  p.batch = batch;
  p.reward_lag = lag;
  return p;
}

void expect_order(BatchSchedule order, std::uint64_t from, std::size_t batch, std::uint64_t lag) {
  const std::uint64_t events = order.events();
  std::uint64_t decided = from;
  std::uint64_t learned = from;
  std::deque<EventRange> waiting;
  while (!order.done()) {
    const auto [learns, range] = order.next();
    HOLDS(range.count >= 1u);
    HOLDS(range.count <= batch);
    if (learns) {
      HOLDS(range == waiting.front());
      HOLDS(range.first == learned);
      HOLDS(decided == events || decided - (range.first + range.count) >= lag);
      waiting.pop_front();
      learned += range.count;
    } else {
      HOLDS(range.first == decided);
      HOLDS(waiting.empty() || decided - (waiting.front().first + waiting.front().count) < lag);
      waiting.push_back(range);
      decided += range.count;
    }
    HOLDS(order.decided() == decided);
    HOLDS(order.learned() == learned);
  }
  HOLDS(decided == events);
  HOLDS(learned == events);
}

PROPERTY(BatchSchedule, DecidesAndLearnsEachEventOnceInOrder) {
  const auto events = draw_in_range<std::uint64_t>(1, 3000);
  const auto arms = draw_in_range<std::size_t>(1, 12);
  const auto batch = draw_in_range<std::size_t>(1, 700);
  const auto lag = draw_one_of<std::uint64_t>({0, draw_in_range<std::uint64_t>(0, 4000), ~std::uint64_t{0}});
  const auto from = draw_in_range<std::uint64_t>(0, events + 1);
  expect_order(BatchSchedule(parameters_of(events, arms, batch, lag), from), from, batch, lag);
  expect_order(BatchSchedule::even(events, batch, from), from, batch, 0);
}

PROPERTY(BatchSchedule, BeginsMoreThanACheckpointHoldsByNoMoreThanStated) {
  const auto events = draw_in_range<std::uint64_t>(1, 3000);
  const auto batch = draw_in_range<std::size_t>(1, 100);
  const auto lag = draw_in_range<std::uint64_t>(0, 300);
  const auto every = draw_in_range<std::uint64_t>(1, 200);
  const std::uint64_t most = most_begun_between_checkpoints(every, batch, lag);
  std::uint64_t saved = 0;
  BatchSchedule order(parameters_of(events, 3, batch, lag));
  while (!order.done()) {
    (void)order.next();
    HOLDS(order.decided() <= saved + most);
    if (order.learned() / every != saved / every) saved = order.learned();
  }
}

TEST(BatchSchedule, OneEventAtATimeIsTheSingleStep) {
  EXPECT_FALSE(parameters_of(10, 2, 1).in_batches());
  BatchSchedule order = BatchSchedule::even(3);
  for (std::uint64_t event = 0; event < 3; ++event) {
    EXPECT_EQ(order.next(), (BatchTurn{false, {event, 1}}));
    EXPECT_EQ(order.next(), (BatchTurn{true, {event, 1}}));
  }
  EXPECT_TRUE(order.done());
  EXPECT_EQ(most_begun_between_checkpoints(7, 1, 0), 7u);
}

std::vector<std::size_t> sizes_of(const BanditParameters& p) {
  std::vector<std::size_t> sizes;
  for (BatchSchedule order(p); !order.done();) {
    const BatchTurn turn = order.next();
    if (!turn.learns) sizes.push_back(turn.events.count);
  }
  return sizes;
}

TEST(BatchSchedule, BeginsSmallWhereTheFirstBatchWouldBeManyUniformArms) {
  EXPECT_EQ(sizes_of(parameters_of(100, 1, 40)), (std::vector<std::size_t>{40, 40, 20}));
  EXPECT_EQ(sizes_of(parameters_of(30, 1, 41)).front(), 8u);
  EXPECT_EQ(sizes_of(parameters_of(30, 1, 40, 1)).front(), 8u);
  // With 10 arms, the first batches have 64 events. The batch size doubles as soon as the doubled size is at most half
  // of the number of earlier events.
  const std::vector<std::size_t> sizes = sizes_of(parameters_of(3000, 10, 500));
  std::uint64_t before = 0;
  for (std::size_t i = 0; i + 1 < sizes.size(); before += sizes[i++]) {
    const bool full = sizes[i] == 500;
    EXPECT_TRUE(full || std::has_single_bit(sizes[i])) << sizes[i];
    EXPECT_TRUE(sizes[i] == 64 || sizes[i] <= before / 2) << sizes[i] << " after " << before;
  }
  EXPECT_EQ(sizes.front(), 64u);
  EXPECT_EQ(*std::max_element(sizes.begin(), sizes.end()), 500u);
}

TEST(BatchSchedule, StartsInTheRun) {
  EXPECT_TRUE(BatchSchedule(parameters_of(10, 2, 4), 10).done());
  EXPECT_THROW(BatchSchedule(parameters_of(10, 2, 4), 11), std::invalid_argument);
}

TEST(BatchPlan, HasTheWidthsThatFollowFromItsBounds) {
  struct Row {
    std::uint64_t events;
    unsigned Fx, FA, FW, FP, Fb, Fw, FS;
    double d;
  };
  const Row rows[] = {{10'000, 20, 20, 34, 26, 20, 20, 18, 6e-5},
                      {100'000, 20, 17, 35, 25, 18, 20, 17, 4e-4},
                      {1'000'000, 20, 15, 36, 24, 16, 20, 16, 2e-3},
                      {10'000'000, 19, 12, 37, 23, 13, 20, 15, 1.4e-2}};
  for (const Row& row : rows) {
    SCOPED_TRACE(row.events);
    const BatchPlan plan = plan_batches(parameters_of(row.events, 10, 256), 256);
    EXPECT_EQ(plan.context_bits, row.Fx);
    EXPECT_EQ(plan.gram_bits, row.FA);
    EXPECT_EQ(plan.inverse_bits, row.FW);
    EXPECT_EQ(plan.residual_bits, row.FP);
    EXPECT_EQ(plan.target_bits, row.Fb);
    EXPECT_EQ(plan.weight_bits, row.Fw);
    EXPECT_EQ(plan.sum_bits, row.FS);
    EXPECT_NEAR(plan.rounding / row.d, 1, .2);
    EXPECT_EQ(plan.reward_bits, 0u);
    EXPECT_EQ(plan.table_bits, 12u);
  }
  EXPECT_EQ(plan_batches(parameters_of(10'000, 10, 16), 16).table_bits, 8u);
}

TEST(BatchPlan, TakesFewerFeatureBitsWhereAsked) {
  BanditParameters p = parameters_of(10'000, 10, 64);
  p.fraction_bits = 14;
  EXPECT_EQ(plan_batches(p, 64).context_bits, 14u);
  EXPECT_EQ(plan_batches(p, 64).weight_bits, 20u);
  p.fraction_bits = 24;
  EXPECT_EQ(plan_batches(p, 64).context_bits, 20u);
}

TEST(BatchPlan, RefusesByTheNamesOfFlags) {
  const auto refusal = [](double norm, std::size_t batch, std::uint64_t events) {
    BanditParameters p = parameters_of(events, 10, batch);
    p.max_norm = norm;
    try {
      (void)plan_bandit(p);
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  for (const double norm : {.5, 1.0, 2.0, 8.0}) {
    const std::size_t most = largest_event_batch(norm);
    EXPECT_EQ(refusal(norm, most, 10'000), "") << norm;
    EXPECT_THAT(refusal(norm, most + 1, 10'000), HasSubstr("--batch")) << norm;
    EXPECT_THAT(refusal(norm, most + 1, 10'000), HasSubstr("--max-norm")) << norm;
  }
  EXPECT_EQ(largest_event_batch(1), 1925u);
  EXPECT_EQ(refusal(1, 256, 10'000'000), "");
  EXPECT_THAT(refusal(1, 256, 1'000'000'000), HasSubstr("--steps"));
}

BanditPlan plan_of(std::size_t parties, std::size_t arms, std::uint64_t events, std::size_t batch, std::uint64_t lag) {
  BanditParameters p = parameters_of(events, arms, batch, lag);
  p.columns.assign(parties, 2);
  return plan_bandit(p);
}

TEST(FullBatches, HaveTheRoundsOfTheirPlanAndTheLargestChunk) {
  for (const std::size_t arms : {2u, 10u, 70u}) {
    const BanditPlan plan = plan_of(3, arms, 40, 8, 5);
    const Ledger full = plan_full_batches(plan);
    ASSERT_EQ(full.phases().size(), 2u);
    EXPECT_EQ(full.phases()[0].name, decide_phase);
    EXPECT_EQ(full.phases()[0].rounds.size(), plan.batches->decide_rounds());
    EXPECT_EQ(full.phases()[1].name, learn_phase);
    EXPECT_EQ(full.phases()[1].rounds.size(), BatchPlan::learn_rounds);
    for (const BanditSchedule schedule : {BanditSchedule{0, 0}, BanditSchedule{0, 7}, BanditSchedule{16, 7},
                                          BanditSchedule{36, 7}, BanditSchedule{40, 7}}) {
      EXPECT_EQ(largest_chunk(plan, schedule), plan_costs(plan, schedule).largest_chunk())
          << arms << " arms, from event " << schedule.from_step;
    }
  }
  const BanditPlan warm = plan_of(2, 2, 500, 100, 0);
  EXPECT_EQ(largest_chunk(warm, {}), plan_costs(warm).largest_chunk());
}

TEST(FullBatches, AreWhatALongRunSends) {
  const BanditPlan plan = plan_of(2, 4, 320, 32, 40);
  const Ledger whole = plan_costs(plan);
  const Ledger full = plan_full_batches(plan);
  EXPECT_EQ(cost_of_steps(whole).rounds, 10 * (5u + BatchPlan::learn_rounds));
  EXPECT_EQ(cost_of_steps(whole).sent[0], 5 * cost_of_steps(full).sent[0]);
  const StepFrames frames = step_frames(plan);
  EXPECT_EQ(frames.steps, 32);
  ASSERT_EQ(frames.rounds.size(), 5u + BatchPlan::learn_rounds);
  EXPECT_EQ(2 * frames.sent_by_largest_party(), cost_of_steps(full).sent_by_largest_party(full.topology()));
}

}  // namespace
}  // namespace sotto::apps::bandit
