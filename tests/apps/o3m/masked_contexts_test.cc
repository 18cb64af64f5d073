#include "apps/o3m/masked_contexts.h"

#include "sotto/protocol/mesh/peers.h"
#include "sotto/protocol/transport/stream.h"
#include "tests/apps/o3m/test_site.h"
#include "tests/apps/support.h"

namespace sotto::apps::o3m {

namespace {

O3mParameters parameters_of(std::vector<std::size_t> columns, std::uint64_t steps, std::size_t arms) {
  O3mParameters p;
  p.steps = steps;
  p.arms = arms;
  p.bounds.assign(columns.size(), 2.0);
  p.columns = std::move(columns);
  return p;
}

// An orthogonal matrix of Givens rotations, made independently of the project's masks.
std::vector<double> rotation(std::size_t d, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> angle(0, 6.28);
  std::vector<double> q(d * d, 0.0);
  for (std::size_t i = 0; i < d; ++i) q[i * d + i] = 1;
  for (std::size_t turn = 0; turn < 5 * d; ++turn) {
    const std::size_t a = random() % d;
    const std::size_t b = random() % d;
    if (a == b) continue;
    const double c = std::cos(angle(random));
    const double s = std::sqrt(1 - c * c);
    for (std::size_t k = 0; k < d; ++k) {
      const double x = q[a * d + k];
      const double y = q[b * d + k];
      q[a * d + k] = c * x - s * y;
      q[b * d + k] = s * x + c * y;
    }
  }
  return q;
}

Contexts random_contexts(const O3mParameters& p) {
  std::mt19937_64 random(5);
  Contexts all;
  for (const std::size_t columns : p.columns) {
    std::uniform_real_distribution<double> value(-1 / std::sqrt(columns), 1 / std::sqrt(columns));
    std::vector<double> contexts(p.steps * p.arms * columns);
    for (double& x : contexts) x = value(random);
    all.push_back(std::move(contexts));
  }
  return all;
}

std::vector<double> masked_plainly(const O3mPlan& plan, const std::vector<double>& mask, const Contexts& contexts) {
  const O3mParameters& p = plan.parameters;
  const std::size_t d = p.dimension();
  std::vector<double> result(p.steps * plan.step_size(), 0.0);
  for (std::size_t row = 0; row < p.steps * p.arms; ++row) {
    for (std::size_t i = 0; i < d; ++i) {
      for (std::size_t j = 0; j < p.participants(); ++j) {
        for (std::size_t c = 0; c < p.columns[j]; ++c) {
          result[row * d + i] += mask[i * d + plan.offset(j) + c] * contexts[j][row * p.columns[j] + c];
        }
      }
    }
  }
  return result;
}

double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  EXPECT_EQ(a.size(), b.size());
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::fabs(a[i] - b[i]));
  return largest;
}

struct Case {
  std::vector<std::size_t> columns;
  std::optional<NodeId> generator;
  bool blocks;
};

const std::vector<Case> cases{{{3, 4}, {}, false},
                              {{3, 4}, NodeId{1}, false},
                              {{1, 2, 3}, {}, false},
                              {{1, 2, 3}, NodeId{2}, true},
                              {{2, 2, 1, 1, 2}, {}, true},
                              {{2, 2, 1, 1, 2}, NodeId{3}, false},
                              {{1, 1, 1, 1, 1, 1, 1, 1}, {}, false}};

O3mPlan plan_of(const Case& each, std::uint64_t steps, std::size_t batch) {
  O3mParameters p = parameters_of(each.columns, steps, 3);
  p.mask_generator = each.generator;
  p.insecure_blocks = each.blocks;
  O3mPlan plan = plan_o3m(p);
  plan.batch_steps = batch;
  return plan;
}

TEST(MaskedContexts, AreTheSumOfAllBlocksAtTheActiveParticipantAlone) {
  for (const Case& each : cases) {
    const O3mPlan plan = plan_of(each, 7, 3);
    const auto contexts = random_contexts(plan.parameters);
    const auto mask = rotation(plan.parameters.dimension(), 1);
    std::vector<TestSite> sites = sites_of(plan, contexts, mask);
    const auto run = simulate_masked(plan, sites);
    EXPECT_LT(largest_difference(sites[0].taken, masked_plainly(plan, mask, contexts)), 0x1p-40);
    for (NodeId node = 0; node < plan.topology().nodes(); ++node) {
      EXPECT_EQ(sites[node].drawn, node == plan.generator() ? 1 : 0);
      EXPECT_EQ(sites[node].taken.empty(), node > 0);
    }
    EXPECT_EQ(run.rounds, 1 + plan.batches());
    const auto planned = protocols::plan(plan.topology(), [&](Party& party) {
      return masked_contexts(party, plan, sites[0], Seed::insecure_from_number(0));
    });
    EXPECT_EQ(planned.total().sent, run.sent);
  }
}

void run_over_links(const O3mPlan& plan, const Contexts& contexts, const std::vector<double>& mask,
                    std::vector<double>& taken, std::map<NodeId, std::string>& failures) {
  const Topology topology = plan.topology();
  std::map<NodeId, std::map<NodeId, std::unique_ptr<net::ByteStream>>> streams;
  for (NodeId self = 0; self < topology.nodes(); ++self) {
    for (const NodeId peer : net::peers_of(topology, self)) {
      if (!net::connects_to(topology, self, peer)) continue;
      auto [mine, theirs] = net::make_stream_pair();
      streams[self][peer] = std::move(mine);
      streams[peer][self] = std::move(theirs);
    }
  }
  std::vector<TestSite> sites = sites_of(plan, contexts, mask);
  for (NodeId self = 0; self < topology.nodes(); ++self) failures[self] = "";
  std::vector<std::jthread> threads;
  for (NodeId self = 0; self < topology.nodes(); ++self) {
    threads.emplace_back(
        [&plan, &topology, self, links = &streams.at(self), site = &sites[self], said = &failures.at(self)] {
          try {
            net::MeshConfig config{topology, self, net::SessionId{}, "protocol = o3m\n", ""};
            config.streams = std::move(*links);
            net::Mesh mesh = net::set_up_mesh(std::move(config));
            const MaskedRun run = run_masked(mesh, plan, *site, Seed::from_os(), {});
            EXPECT_EQ(run.bytes_sent, run.planned_bytes_sent);
            EXPECT_EQ(run.rounds, 1 + plan.batches());
          } catch (const Error& error) {
            *said = error.what();
          }
        });
  }
  threads.clear();
  taken = sites[0].taken;
}

TEST(MaskedContexts, CrossLinksWithTheBytesThatWerePlanned) {
  for (const Case& each : cases) {
    const O3mPlan plan = plan_of(each, 20, 3);
    const auto contexts = random_contexts(plan.parameters);
    const auto mask = rotation(plan.parameters.dimension(), 2);
    std::vector<double> taken;
    std::map<NodeId, std::string> failures;
    run_over_links(plan, contexts, mask, taken, failures);
    for (const auto& [node, said] : failures) EXPECT_EQ(said, "") << int{node};
    EXPECT_LT(largest_difference(taken, masked_plainly(plan, mask, contexts)), 0x1p-40);
  }
}

TEST(MaskedContexts, RefuseAMaskThatIsNotOrthogonal) {
  for (const double bad : {1.5, std::nan(""), HUGE_VAL}) {
    const O3mPlan plan = plan_of({{2, 3, 1}, {}, false}, 4, 2);
    const auto contexts = random_contexts(plan.parameters);
    std::vector<double> mask = rotation(6, 3);
    mask[2] = bad;
    std::vector<double> taken;
    std::map<NodeId, std::string> failures;
    run_over_links(plan, contexts, mask, taken, failures);
    EXPECT_NE(failures[1].find("mask generator sent a block of 6 x 3 whose columns are not"), std::string::npos)
        << failures[1];
    for (const auto& [node, said] : failures) EXPECT_NE(said, "") << int{node};
    EXPECT_TRUE(taken.empty());
  }
}

TEST(O3mPlan, HasTheBitsThatTheBoundsLeave) {
  O3mParameters p = parameters_of({2, 2}, 10, 4);
  for (const auto& [bound, bits] :
       std::map<double, unsigned>{{0.0, 52u}, {0.4, 52u}, {500.0, 52u}, {600.0, 51u}, {0x1p17, 44u}, {0x1p18, 43u}}) {
    p.bounds = {bound, bound};
    EXPECT_EQ(plan_o3m(p).fraction_bits, bits) << bound;
  }
  p.bounds = {0x1p18, 0x1.1p18};
  EXPECT_THROW((void)plan_o3m(p), InputError);
  p.bounds = {1, std::nan("")};
  EXPECT_THROW((void)plan_o3m(p), InputError);
}

TEST(O3mPlan, RefusesWhatCannotBeRun) {
  const auto refused = [](auto change) {
    O3mParameters p = parameters_of({2, 2, 2}, 10, 4);
    change(p);
    EXPECT_THROW((void)plan_o3m(p), InputError);
  };
  refused([](O3mParameters& p) { p.steps = 0; });
  refused([](O3mParameters& p) { p.arms = 0; });
  refused([](O3mParameters& p) { p.columns[1] = 0; });
  refused([](O3mParameters& p) { p.columns[1] = 20'000; });
  refused([](O3mParameters& p) { p.mask_generator = NodeId{0}; });
  refused([](O3mParameters& p) { p.mask_generator = NodeId{3}; });
  refused([](O3mParameters& p) { p = parameters_of({2}, 10, 4); });
  refused([](O3mParameters& p) { p = parameters_of({1, 1, 1, 1, 1, 1, 1, 1, 1}, 10, 4); });
}

}  // namespace
}  // namespace sotto::apps::o3m
