// The O3M protocol over in-memory frames and over links, against Q x in plain numbers.
#include "sotto/apps/o3m/masked_contexts.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <memory>
#include <random>
#include <thread>

#include "sotto/apps/o3m/masking.h"
#include "sotto/apps/o3m/run_masked.h"
#include "sotto/core/error/errors.h"
#include "sotto/net/mesh/peers.h"
#include "sotto/net/transport/memory/pair.h"
#include "sotto/protocols/simulate/simulate.h"

namespace sotto::apps {
namespace {

O3mParameters parameters_of(std::vector<std::size_t> columns, std::uint64_t steps, std::size_t arms) {
  O3mParameters p;
  p.steps = steps;
  p.arms = arms;
  p.bounds.assign(columns.size(), 2.0);
  p.columns = std::move(columns);
  return p;
}

// An orthogonal matrix of Givens rotations, independent of how the project draws its masks.
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

// Contexts of all participants, each below 2 in norm.
std::vector<std::vector<double>> random_contexts(const O3mParameters& p) {
  std::mt19937_64 random(5);
  std::vector<std::vector<double>> all;
  for (const std::size_t columns : p.columns) {
    std::uniform_real_distribution<double> value(-1 / std::sqrt(columns), 1 / std::sqrt(columns));
    std::vector<double> contexts(p.steps * p.arms * columns);
    for (double& x : contexts) x = value(random);
    all.push_back(std::move(contexts));
  }
  return all;
}

class TestSite final : public O3mSite {
 public:
  TestSite(const O3mPlan& plan, NodeId self, const std::vector<std::vector<double>>& contexts,
           const std::vector<double>& mask)
      : plan_(plan), self_(self), contexts_(contexts), mask_(mask) {}

  std::vector<double> draw_mask(std::size_t) override {
    ++drawn;
    return mask_;
  }
  std::span<const double> contexts(std::uint64_t first, std::size_t steps) override {
    const std::size_t step = plan_.parameters.arms * plan_.parameters.columns.at(self_);
    return std::span(contexts_.at(self_)).subspan(first * step, steps * step);
  }
  void take(std::uint64_t first, std::span<const double> masked) override {
    EXPECT_EQ(first * plan_.step_size(), taken.size());
    taken.insert(taken.end(), masked.begin(), masked.end());
  }

  int drawn = 0;
  std::vector<double> taken;

 private:
  const O3mPlan& plan_;
  NodeId self_;
  const std::vector<std::vector<double>>& contexts_;
  const std::vector<double>& mask_;
};

std::vector<double> masked_plainly(const O3mPlan& plan, const std::vector<double>& mask,
                                   const std::vector<std::vector<double>>& contexts) {
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
    std::vector<std::unique_ptr<TestSite>> sites;
    for (NodeId node = 0; node < plan.topology().nodes(); ++node) {
      sites.push_back(std::make_unique<TestSite>(plan, node, contexts, mask));
    }
    TestSite nobody(plan, 0xff, contexts, mask);
    const auto run = protocols::simulate(plan.topology(), [&](Party& party) {
      O3mSite* site = &nobody;
      for (NodeId node = 0; node < sites.size(); ++node) {
        if (party.is(node)) site = sites[node].get();
      }
      return masked_contexts(party, plan, *site, Seed::from_os());
    });
    EXPECT_LT(largest_difference(sites[0]->taken, masked_plainly(plan, mask, contexts)), 0x1p-40);
    for (NodeId node = 0; node < sites.size(); ++node) {
      EXPECT_EQ(sites[node]->drawn, node == plan.generator() ? 1 : 0);
      if (node > 0) {
        EXPECT_TRUE(sites[node]->taken.empty());
      }
    }
    EXPECT_EQ(run.rounds, 1 + plan.batches());
    EXPECT_EQ(plan_masked_costs(plan).total().sent, run.sent);
  }
}

// All roles as threads, joined by pairs of streams.
void run_over_links(const O3mPlan& plan, const std::vector<std::vector<double>>& contexts,
                    const std::map<NodeId, std::vector<double>>& masks, std::vector<double>& taken,
                    std::map<NodeId, std::string>& failures) {
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
  std::vector<std::unique_ptr<TestSite>> sites;
  for (NodeId self = 0; self < topology.nodes(); ++self) {
    const auto own = masks.find(self);
    sites.push_back(std::make_unique<TestSite>(plan, self, contexts,
                                               own == masks.end() ? masks.at(plan.generator()) : own->second));
    failures[self] = "";
  }
  std::vector<std::jthread> threads;
  for (NodeId self = 0; self < topology.nodes(); ++self) {
    threads.emplace_back(
        [&plan, &topology, self, links = &streams.at(self), site = sites[self].get(), said = &failures.at(self)] {
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
  taken = sites[0]->taken;
}

TEST(MaskedContexts, CrossLinksWithTheBytesThatWerePlanned) {
  for (const Case& each : cases) {
    const O3mPlan plan = plan_of(each, 20, 3);
    const auto contexts = random_contexts(plan.parameters);
    const auto mask = rotation(plan.parameters.dimension(), 2);
    std::vector<double> taken;
    std::map<NodeId, std::string> failures;
    run_over_links(plan, contexts, {{plan.generator(), mask}}, taken, failures);
    for (const auto& [node, said] : failures) EXPECT_EQ(said, "") << int{node};
    EXPECT_LT(largest_difference(taken, masked_plainly(plan, mask, contexts)), 0x1p-40);
  }
}

TEST(MaskedContexts, RefuseAMaskThatIsNotOrthogonal) {
  for (const double bad : {1.5, std::nan(""), HUGE_VAL}) {
    const O3mPlan plan = plan_of({{2, 3, 1}, {}, false}, 4, 2);
    const auto contexts = random_contexts(plan.parameters);
    std::vector<double> mask = rotation(6, 3);
    mask[2] = bad;  // of participant 1
    std::vector<double> taken;
    std::map<NodeId, std::string> failures;
    run_over_links(plan, contexts, {{plan.generator(), mask}}, taken, failures);
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

TEST(Masking, FixedPointRoundsToTheNearest) {
  std::mt19937_64 random(4);
  std::uniform_real_distribution<double> value(-1000, 1000);
  std::vector<double> values(1000);
  for (double& x : values) x = value(random);
  values[0] = 0;
  values[1] = -0.5 * 0x1p-43;
  for (const unsigned bits : {43u, 50u, 52u}) {
    std::vector<std::uint64_t> words(values.size());
    std::vector<double> back(values.size());
    to_fixed(values, bits, words);
    from_fixed(words, bits, back);
    EXPECT_LE(largest_difference(values, back), std::ldexp(0.5, -static_cast<int>(bits)));
  }
}

TEST(Masking, FindsColumnsThatAreNotOrthonormal) {
  const auto q = rotation(6, 9);
  MaskBlock block = block_of(q, 6, 1, 4);
  EXPECT_LT(distance_from_orthonormal(block), 1e-12);
  block.values[3] += 1e-6;
  EXPECT_GT(distance_from_orthonormal(block), 1e-9);
  block.values[3] = std::nan("");
  EXPECT_GT(distance_from_orthonormal(block), 1e-9);
  EXPECT_THROW((void)block_of(q, 6, 3, 4), std::invalid_argument);
  EXPECT_THROW((void)block_of(q, 5, 0, 4), std::invalid_argument);
}

}  // namespace
}  // namespace sotto::apps
