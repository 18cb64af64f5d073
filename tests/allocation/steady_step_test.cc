// A program of its own, because it takes the place of malloc to count: after the first steps of the
// private bandit, a step asks the system for no memory at all, at any role. Here the protocol
// alone, in one process.
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "sotto/core/async/pool.h"
#include "sotto/protocols/simulate/simulate.h"
#include "tests/allocation/steps.h"

namespace sotto::testing {
namespace {

TEST(SteadyStep, AllocatesNothing) {
  if (!pool_is_pooling()) GTEST_SKIP() << "under sanitizers every block comes from the system";
  constexpr std::uint64_t steps = 40;
  for (const std::size_t arms : {1u, 10u, 40u, 100u}) {  // 100 by a tournament
    for (const std::size_t parties : {2u, 3u, 5u}) {
      const apps::BanditPlan plan = plan_of_steps(parties, arms, steps);
      std::vector<std::unique_ptr<CountingSite>> sites;  // parties, actor, dealer
      const auto run = protocols::simulate(plan.parameters.topology(), [&](Party& party) {
        sites.push_back(std::make_unique<CountingSite>());
        return private_bandit(party, plan, *sites.back());
      });
      EXPECT_GT(run.rounds, 0u);
      ASSERT_EQ(sites.size(), parties + 2);
      for (std::size_t i = 0; i < sites.size(); ++i) {
        EXPECT_EQ(sites[i]->steps(), steps);
        EXPECT_GT(sites[i]->first_requests(), 0u);
        EXPECT_EQ(sites[i]->steady_requests(), 0u)
            << parties << " parties, " << arms << " arms, until a step of role " << i;
      }
    }
  }
}

}  // namespace
}  // namespace sotto::testing
