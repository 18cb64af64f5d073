// Runs of the bandit in one process: by three parties with a dealer and without one, and by two with transfers or with a
// helper, preprocessing included. All roles' work is counted, on one core: time is that of the run over its steps.
#include <benchmark/benchmark.h>

#include <array>
#include <cmath>
#include <random>

#include "sotto/apps/bandit/parameters.h"
#include "sotto/apps/bandit/prepared_bandit.h"
#include "sotto/apps/bandit/site.h"
#include "sotto/core/ring/fixed_point.h"
#include "sotto/protocols/simulate/simulate.h"

namespace sotto::apps {
namespace {

// Contexts of norm 1 and rewards of 0 or 1 by a coin.
class RandomSite final : public QuietSite {
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

// Steps; events a batch; who makes the randomness, by its place in RandomnessBy.
void run_bandit(benchmark::State& state) {
  const auto steps = static_cast<std::uint64_t>(state.range(0));
  BanditParameters parameters{.columns = {7, 7, 6}, .arms = 10, .steps = steps};
  parameters.preprocessing = static_cast<RandomnessBy>(state.range(2));
  const bool of_two = parameters.preprocessing == RandomnessBy::ot || parameters.preprocessing == RandomnessBy::helper;
  if (of_two) parameters.columns = {10, 10};
  parameters.batch = static_cast<std::size_t>(state.range(1));
  parameters.exploration.threshold = std::uint64_t{1} << 60;
  const BanditPlan plan = plan_bandit(parameters);
  RandomSite site(plan);
  const auto bandit = [&](Party& party) { return prepared_bandit(party, plan, site, {}, {Seed::from_os(), "bench"}); };
  std::array<std::uint64_t, max_nodes> sent{};
  for (auto _ : state) sent = protocols::simulate(plan.parameters.topology(), bandit).sent;
  const auto all = static_cast<double>(steps) * static_cast<double>(state.iterations());
  state.counters["seconds_a_step"] = benchmark::Counter(all, benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
  state.counters["steps_a_second"] = benchmark::Counter(all, benchmark::Counter::kIsRate);
  state.counters["bytes_a_party_and_step"] = static_cast<double>(sent[0]) / static_cast<double>(steps);
}
BENCHMARK(run_bandit)
    ->ArgNames({"steps", "batch", "by"})
    ->Args({400, 1, static_cast<int>(RandomnessBy::dealer)})
    ->Args({400, 1, static_cast<int>(RandomnessBy::replicated)})
    ->Args({40, 1, static_cast<int>(RandomnessBy::ot)})
    ->Args({400, 1, static_cast<int>(RandomnessBy::helper)})
    ->Args({8192, 256, static_cast<int>(RandomnessBy::dealer)})
    ->Args({8192, 256, static_cast<int>(RandomnessBy::replicated)})
    ->Args({512, 256, static_cast<int>(RandomnessBy::ot)})
    ->Args({8192, 256, static_cast<int>(RandomnessBy::helper)})
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace sotto::apps
