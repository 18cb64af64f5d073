// The same over links: each role a thread, joined by TCP on loopback, with the drivers of a real
// run. What a thread asks for is its role's.
#include <gtest/gtest.h>

#include "sotto/core/async/pool.h"
#include "sotto/protocols/preprocessing/correlations.h"
#include "sotto/protocols/preprocessing/session_keys.h"
#include "tests/allocation/steps.h"
#include "tests/net/roles.h"

namespace sotto::testing {
namespace {

void run_dealer_of(net::Mesh& mesh, const apps::BanditPlan& plan, CountingSite& site) {
  const protocols::SessionKeys keys = protocols::draw_session_keys(mesh.topology(), 1);
  net::send_seeds(mesh, keys.nodes, {});
  Rounds rounds(mesh.topology(), std::nullopt);
  protocols::DealerCorrelations correlations(rounds.ledger(), keys.nodes, keys.coins);
  Party party(Role::dealer, std::nullopt, rounds, correlations);
  auto program = private_bandit(party, plan, site);
  program.start_on(rounds);
  (void)net::run_dealer(rounds, correlations, mesh, {});
}

void run_node_of(net::Mesh& mesh, const apps::BanditPlan& plan, CountingSite& site) {
  const NodeId self = mesh.self();
  const Topology topology = mesh.topology();
  const Seed seed = net::receive_seed(mesh, {});
  Rounds rounds(topology, self);
  protocols::NodeCorrelations correlations(rounds.ledger(), self, seed);
  Party party(topology.is_party(self) ? Role::party : Role::actor, self, rounds, correlations);
  auto program = private_bandit(party, plan, site);
  program.start_on(rounds);
  (void)net::run_node(rounds, mesh, self == topology.last_party() ? &correlations : nullptr, {});
}

TEST(SteadyStep, AllocatesNothingOverLinks) {
  if (!pool_is_pooling()) GTEST_SKIP() << "under sanitizers every block comes from the system";
  constexpr std::uint64_t steps = 100;
  for (const std::size_t arms : {10u, 40u, 100u}) {
    for (const std::size_t parties : {2u, 3u}) {
      const apps::BanditPlan plan = plan_of_steps(parties, arms, steps);
      std::map<NodeId, CountingSite> sites;
      auto configs = net::testing::tcp_configs(plan.parameters.topology());
      for (const auto& [role, config] : configs) sites[role];
      const auto outcomes =
          net::testing::run_roles(std::move(configs), [&](NodeId role, net::MeshConfig config) {
            net::Mesh mesh = net::set_up_mesh(std::move(config));
            if (role == net::dealer_id) {
              run_dealer_of(mesh, plan, sites.at(role));
            } else {
              run_node_of(mesh, plan, sites.at(role));
            }
          });
      for (const auto& [role, outcome] : outcomes) {
        EXPECT_EQ(outcome.code, 0) << "role " << static_cast<int>(role) << ": " << outcome.message;
        EXPECT_EQ(sites.at(role).steps(), steps);
        EXPECT_GT(sites.at(role).first_requests(), 0u);
        EXPECT_EQ(sites.at(role).steady_requests(), 0u)
            << "role " << static_cast<int>(role) << ", " << parties << " parties, " << arms
            << " arms";
      }
    }
  }
}

}  // namespace
}  // namespace sotto::testing
