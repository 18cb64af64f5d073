// Measures primitives and a step of the bandit with all parties in this process and frames in memory. Google
// Benchmark's "items" are lanes here, or steps of the bandit.
#include <benchmark/benchmark.h>

#include <cmath>
#include <memory>
#include <vector>

#include "apps/bandit/model/bandit_plan.h"
#include "apps/bandit/model/program/private_bandit.h"
#include "bench/lab/measure/primitives.h"
#include "sotto/protocol/ring/fixed_point.h"
#include "sotto/protocol/simulate/simulate.h"

namespace sotto {

using namespace sotto::apps::lab;
namespace {

using namespace protocols;
using apps::lab::find_primitive;
using apps::lab::PrimitiveProgram;

constexpr int repetitions = 50;
constexpr unsigned fraction_bits = 20;

Task<Unit> repeat(Party& party, PrimitiveProgram& program) {
  co_await program.prepare(party);
  for (int i = 0; i < repetitions; ++i) {
    program.arrange();
    co_await program.run(party);
  }
  co_return Unit{};
}

// Arguments: number of lanes or arms, and number of parties.
void run_often(benchmark::State& state, const char* name) {
  const auto size = static_cast<std::size_t>(state.range(0));
  const Topology topology(static_cast<std::size_t>(state.range(1)));
  SimulationOptions options;
  options.insecure_seed = 1;
  for (auto _ : state) {
    std::vector<std::unique_ptr<PrimitiveProgram>> programs;
    const auto start = [&](Party& party) {
      programs.push_back(find_primitive(name)->make(size));
      return repeat(party, *programs.back());
    };
    (void)simulate(topology, start, options);
  }
  state.SetItemsProcessed(state.iterations() * repetitions * state.range(0));
}

class Site final : public apps::bandit::SiteOf<apps::bandit::Contexts, apps::bandit::Arms, apps::bandit::Rewards> {
 public:
  Site(std::size_t arms, std::size_t parties) : arms_(arms), parties_(parties) {}
  void context(std::size_t party, std::uint64_t step, std::span<std::uint64_t> out) override {
    const double size = 0.9 / std::sqrt(static_cast<double>(out.size() * parties_));
    for (std::size_t i = 0; i < out.size(); ++i) {
      out[i] = encode(((step + party + i) % 3 == 0 ? -1 : 1) * size, fraction_bits);
    }
  }
  void pull(std::uint64_t, std::size_t arm) override { arm_ = arm; }
  std::uint64_t reward(std::uint64_t step) override { return arm_ == step % arms_ ? 1 : 0; }

 private:
  std::size_t arms_;
  std::size_t parties_;
  std::size_t arm_ = 0;
};

// Arguments: number of arms and number of parties.
void bandit_steps(benchmark::State& state) {
  apps::bandit::BanditParameters parameters;
  const auto parties = static_cast<std::size_t>(state.range(1));
  parameters.arms = static_cast<std::size_t>(state.range(0));
  parameters.columns.assign(parties, 20 / parties);
  parameters.steps = repetitions;
  parameters.exploration.threshold = (std::uint64_t{1} << 63) / 5;
  const apps::bandit::BanditPlan plan = apps::bandit::plan_bandit(parameters);
  SimulationOptions options;
  options.insecure_seed = 1;
  for (auto _ : state) {
    Site site(parameters.arms, parties);
    (void)simulate(
        parameters.topology(), [&](Party& party) { return apps::bandit::private_bandit(party, plan, site); }, options);
  }
  state.SetItemsProcessed(state.iterations() * repetitions);
}

BENCHMARK_CAPTURE(run_often, multiply, "multiply")->ArgsProduct({{1, 1000}, {2, 5}});
BENCHMARK_CAPTURE(run_often, mask_trunc, "mask_trunc")->ArgsProduct({{1, 1000}, {2, 5}});
BENCHMARK_CAPTURE(run_often, compare, "compare")->ArgsProduct({{1, 1000}, {2, 5}});
BENCHMARK_CAPTURE(run_often, argmax, "argmax")->ArgsProduct({{2, 10, 64}, {2, 5}});
BENCHMARK(bandit_steps)->ArgsProduct({{10}, {2, 5}});

}  // namespace
}  // namespace sotto
