// Runs of the bandit in one process: by three parties with a dealer and without one, and by two with transfers or with
// a helper, preprocessing included. All roles' work is counted, on one core: time is that of the run over its steps.
#include <benchmark/benchmark.h>

#include <array>
#include <cmath>
#include <random>

#include "apps/bandit/model/parameters.h"
#include "apps/bandit/model/program/plan_bandit.h"
#include "apps/bandit/model/program/prepared_bandit.h"
#include "apps/bandit/model/sites.h"
#include "sotto/protocol/ring/fixed_point.h"
#include "sotto/protocol/simulate/simulate.h"

namespace sotto::apps {

using namespace sotto::apps::bandit;
namespace {

// Contexts of norm 1 and rewards of 0 or 1 by a coin.
class RandomSite final : public Contexts, public Arms, public Rewards {
 public:
  explicit RandomSite(const BanditPlan& plan) : plan_(plan), random_(1) {}
  void context(std::size_t, std::uint64_t, std::span<std::uint64_t> out) override {
    const double largest = 1 / std::sqrt(static_cast<double>(plan_.parameters.features()));
    std::uniform_real_distribution<double> entry(-largest, largest);
    for (std::uint64_t& word : out) word = encode(entry(random_), plan_.context_bits);
  }
  void pull(std::uint64_t, std::size_t) override {}
  std::uint64_t reward(std::uint64_t) override { return random_() & 1; }

 private:
  const BanditPlan& plan_;
  std::mt19937_64 random_;
};

// Steps; events a batch; who makes the randomness, and what a single step updates, by their places in RandomnessBy and
// StepUpdate.
void run_bandit(benchmark::State& state) {
  const auto steps = static_cast<std::uint64_t>(state.range(0));
  BanditParameters parameters{.columns = {7, 7, 6}, .arms = 10, .steps = steps};
  parameters.preprocessing = static_cast<RandomnessBy>(state.range(2));
  const bool of_two = parameters.preprocessing == RandomnessBy::ot || parameters.preprocessing == RandomnessBy::helper;
  if (of_two) parameters.columns = {10, 10};
  parameters.batch = static_cast<std::size_t>(state.range(1));
  parameters.update = static_cast<StepUpdate>(state.range(3));
  parameters.exploration.threshold = std::uint64_t{1} << 60;
  const BanditPlan plan = plan_bandit(parameters);
  RandomSite world(plan);
  BanditSite site(world);
  const auto bandit = [&](Party& party) { return prepared_bandit(party, plan, site, {}, {Seed::from_os(), "bench"}); };
  std::array<std::uint64_t, max_nodes> sent{};
  for (auto _ : state) sent = protocols::simulate(plan.parameters.topology(), bandit).sent;
  const auto all = static_cast<double>(steps) * static_cast<double>(state.iterations());
  state.counters["seconds_a_step"] = benchmark::Counter(all, benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
  state.counters["steps_a_second"] = benchmark::Counter(all, benchmark::Counter::kIsRate);
  state.counters["bytes_a_party_and_step"] = static_cast<double>(sent[0]) / static_cast<double>(steps);
}
void in_all_modes(benchmark::internal::Benchmark* bench) {
  bench->ArgNames({"steps", "batch", "by", "update"});
  for (const auto& [by, name] : names_of(RandomnessBy{})) {
    const bool by_transfers = by == RandomnessBy::ot;
    for (const auto& [update, word] : names_of(StepUpdate{})) {
      bench->Args({by_transfers ? 40 : 400, 1, static_cast<int>(by), static_cast<int>(update)});
    }
    bench->Args({by_transfers ? 512 : 8192, 256, static_cast<int>(by), 0});
  }
}
BENCHMARK(run_bandit)->Apply(in_all_modes)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace sotto::apps
