#include "apps/bandit/model/program/private_bandit.h"
#include "apps/kit/learn/linear_bandit.h"
#include "sotto/protocol/async/pool.h"
#include "sotto/protocol/mesh/driver/run.h"
#include "sotto/protocol/random/expansion.h"
#include "sotto/protocol/simulate/simulate.h"
#include "tests/allocation/requests.h"
#include "tests/allocation/steps.h"
#include "tests/apps/kit/learn/samples.h"
#include "tests/net/roles.h"

namespace sotto::testing {
namespace {

TEST(SteadyStep, AllocatesNothing) {
  if (!pool_is_pooling()) GTEST_SKIP() << "under sanitizers every block comes from the system";
  constexpr std::uint64_t steps = 40;
  for (const std::size_t arms : {1u, 10u, 40u, 100u}) {  // 100 arms are compared in a tournament
    for (const std::size_t parties : {2u, 3u, 5u}) {
      const apps::bandit::BanditPlan plan = plan_of_steps(parties, arms, steps);
      std::vector<std::unique_ptr<CountingSite>> sites;
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

using apps::LinearAlgorithm;

TEST(LinearStep, AllocatesNothing) {
  // On a CPU without AES instructions, OpenSSL makes the noise and allocates memory.
  const bool own_aes = expansion().schedule != nullptr;
  for (const auto algorithm : {LinearAlgorithm::ucb, LinearAlgorithm::ts}) {
    if (!own_aes && algorithm == LinearAlgorithm::ts) continue;
    apps::LinearBanditOptions options;
    options.algorithm = algorithm;
    options.dimension = 30;
    options.arms = 7;
    options.refresh_every = 200;
    apps::LinearBandit bandit(options);
    apps::StepStream stream(1, 2);
    for (std::uint64_t t = 0; t < 199; ++t) {
      const std::vector<double> contexts = apps::testing::directions(stream, 7, 30);
      const std::uint64_t before = memory_requests();
      const std::size_t arm = bandit.select(t, contexts);
      bandit.update(std::span(contexts).subspan(arm * 30, 30), 0.5);
      ASSERT_EQ(memory_requests(), before) << "step " << t;
    }
  }
}

// Each role is a thread, so the requests of a thread are the requests of its role.
TEST(SteadyStep, AllocatesNothingOverLinks) {
  if (!pool_is_pooling()) GTEST_SKIP() << "under sanitizers every block comes from the system";
  constexpr std::uint64_t steps = 100;
  for (const std::size_t arms : {10u, 40u, 100u}) {
    for (const std::size_t parties : {2u, 3u}) {
      const apps::bandit::BanditPlan plan = plan_of_steps(parties, arms, steps);
      std::map<NodeId, CountingSite> sites;
      auto configs = net::testing::tcp_configs(plan.parameters.topology());
      for (const auto& [role, config] : configs) sites[role];
      const auto outcomes = net::testing::run_roles(std::move(configs), [&](NodeId role, net::MeshConfig config) {
        net::Mesh mesh = net::set_up_mesh(std::move(config));
        const auto program = [&](Party& party) { return private_bandit(party, plan, sites.at(role)); };
        (void)net::run_program(mesh, program, {}, 1);
      });
      for (const auto& [role, outcome] : outcomes) {
        EXPECT_EQ(outcome.code, 0) << "role " << static_cast<int>(role) << ": " << outcome.message;
        EXPECT_EQ(sites.at(role).steps(), steps);
        EXPECT_GT(sites.at(role).first_requests(), 0u);
        EXPECT_EQ(sites.at(role).steady_requests(), 0u)
            << "role " << static_cast<int>(role) << ", " << parties << " parties, " << arms << " arms";
      }
    }
  }
}

}  // namespace
}  // namespace sotto::testing
