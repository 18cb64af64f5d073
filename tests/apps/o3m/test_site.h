#pragma once

#include "apps/o3m/masked_contexts.h"
#include "sotto/protocol/simulate/simulate.h"
#include "tests/apps/support.h"

namespace sotto::apps::o3m {

using Contexts = std::vector<std::vector<double>>;  // for each participant: [step][arm][own column]

class TestSite final : public O3mSite {
 public:
  TestSite(const O3mPlan& plan, std::vector<double> contexts, std::vector<double> mask)
      : plan_(plan), contexts_(std::move(contexts)), mask_(std::move(mask)) {}

  std::vector<double> draw_mask(std::size_t) override {
    ++drawn;
    return mask_;
  }
  std::span<const double> contexts(std::uint64_t first, std::size_t steps) override {
    const std::size_t step = contexts_.size() / plan_.parameters.steps;
    return std::span<const double>(contexts_).subspan(first * step, steps * step);
  }
  void take(std::uint64_t first, std::span<const double> masked) override {
    EXPECT_EQ(first * plan_.step_size(), taken.size());
    taken.insert(taken.end(), masked.begin(), masked.end());
  }

  int drawn = 0;
  std::vector<double> taken;

 private:
  const O3mPlan& plan_;
  std::vector<double> contexts_;
  std::vector<double> mask_;
};

inline std::vector<TestSite> sites_of(const O3mPlan& plan, const Contexts& contexts, const std::vector<double>& mask) {
  std::vector<TestSite> sites;
  for (std::size_t node = 0; node <= plan.topology().nodes(); ++node) {
    sites.emplace_back(plan, node < contexts.size() ? contexts[node] : std::vector<double>(), mask);
  }
  return sites;
}

inline auto simulate_masked(const O3mPlan& plan, std::vector<TestSite>& sites) {
  return protocols::simulate(plan.topology(), [&](Party& party) {
    NodeId node = 0;
    while (node + 1u < sites.size() && !party.is(node)) ++node;
    return masked_contexts(party, plan, sites.at(node), Seed::from_os());
  });
}

}  // namespace sotto::apps::o3m
