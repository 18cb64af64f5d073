// The bandit on randomness that was made ahead, of its whole run or of a part: it learns what its twin learns, in the
// online phase of a run without a stock.
#include "tests/apps/bandit/model/worlds.h"
#include "tests/protocols/preprocessing/stock_in_memory.h"

namespace sotto::apps::bandit::run {
namespace {

using namespace bandit::testing;
using protocols::testing::place_of;
using protocols::testing::StockInMemory;
using protocols::testing::Stocks;

Stocks made_ahead(const BanditPlan& plan, std::size_t most) {
  const Topology topology = plan.parameters.topology();
  Stocks stocks(topology.nodes() + 1);
  BanditSite site;
  (void)protocols::simulate(topology, [&](Party& party) {
    StockInMemory& stock = stocks[place_of(party)];
    return prepare_bandit(party, plan, site, {Seed::from_os(), "ahead"}, stock,
                          [&stock, most] { return stock.stretches() >= most; });
  });
  return stocks;
}

Outcome play_on(const BanditWorld& world, BanditParameters parameters, std::size_t most, Stocks* left = nullptr) {
  const BanditPlan plan = plan_bandit(std::move(parameters));
  Stocks stocks = made_ahead(plan, most);
  WorldSite::Record record;
  WorldSite site(world, plan, record);
  auto run = protocols::simulate(plan.parameters.topology(), [&](Party& party) {
    return prepared_bandit(party, plan, site, {}, {Seed::from_os(), "test"}, &stocks[place_of(party)]);
  });
  if (left != nullptr) *left = std::move(stocks);
  Ledger planned = run.ledger;
  return Outcome{std::move(record), std::move(run), std::move(planned), plan};
}

TEST(BanditOnAStock, LearnsWhatItsTwinLearnsWhereTheStockIsWhole) {
  for (const auto by : {RandomnessBy::replicated, RandomnessBy::ot, RandomnessBy::helper}) {
    for (const std::size_t batch : {std::size_t{1}, std::size_t{8}}) {
      const BanditWorld world = make_world(32, 4, 3, true, 1, 21);
      BanditParameters p = parameters_for(
          world, by == RandomnessBy::replicated ? std::vector<std::size_t>{2, 1, 1} : std::vector<std::size_t>{2, 2},
          32);
      p.batch = batch;
      p.separate_rewarder = batch > 1;
      p.exploration.threshold = std::uint64_t{1} << 61;
      p.preprocessing = by;
      const Outcome outcome = play_on(world, p, 99);
      expect_like_twin(world, outcome, 3e-3, 2e-2);
      expect_measured_as_planned(outcome);
      expect_same_program_costs(outcome, play(world, p));
      EXPECT_LT(outcome.run.ledger.of("preprocessing").rounds, 10u);  // of keys
    }
  }
}

// A stretch is 90 steps here: of two the first is made ahead.
TEST(BanditOnAStock, MakesTheRestInTheRun) {
  const BanditWorld world = make_world(100, 20, 10, true, 1, 5);
  BanditParameters p = parameters_for(world, {7, 7, 6}, 100);
  p.exploration.threshold = std::uint64_t{1} << 61;
  p.preprocessing = RandomnessBy::replicated;
  Stocks stocks;
  const Outcome outcome = play_on(world, p, 1, &stocks);
  expect_like_twin(world, outcome, 3e-3, 1e-3);
  expect_measured_as_planned(outcome);
  for (const StockInMemory& stock : stocks) EXPECT_FALSE(stock.is_whole());
  EXPECT_GT(outcome.run.ledger.of("preprocessing").rounds, 60u);
  EXPECT_THROW((void)stocks[0].take(0), std::runtime_error);
}

}  // namespace
}  // namespace sotto::apps::bandit::run
