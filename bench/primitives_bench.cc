// Primitives and a step of the bandit, with all parties in this process and frames in memory: what
// all roles together compute, without any network. A program repeats the primitive, so that setting
// up a simulation weighs little; items are lanes, or steps of the bandit.
#include <benchmark/benchmark.h>

#include <cmath>
#include <vector>

#include "sotto/apps/bandit/private_bandit.h"
#include "sotto/core/async/when_all.h"
#include "sotto/core/ring/fixed_point.h"
#include "sotto/protocols/arithmetic/mask_trunc.h"
#include "sotto/protocols/arithmetic/product.h"
#include "sotto/protocols/compare/argmax.h"
#include "sotto/protocols/compare/below_zero.h"
#include "sotto/protocols/io/mask.h"
#include "sotto/protocols/io/share_input.h"
#include "sotto/protocols/simulate/simulate.h"

namespace sotto {
namespace {

using namespace protocols;

constexpr int repetitions = 50;
constexpr unsigned fraction_bits = 20;

Task<Masked> numbers(Party& party, Shape shape) {
  const auto fill = [](std::span<std::uint64_t> words) {
    for (std::size_t i = 0; i < words.size(); ++i) {
      words[i] = encode(0.001 * static_cast<double>(i % 1000) - 0.5, fraction_bits);
    }
  };
  Input input = input_at(party, 0, shape, fraction_bits, fill);
  co_return co_await share_input(party, 0, std::move(input), "numbers");
}

Task<Unit> multiply_often(Party& party, std::size_t lanes) {
  const Masked x = co_await numbers(party, Shape{1, lanes});
  const Arith shares = x.shares(party);
  for (int i = 0; i < repetitions; ++i) {
    const Arith product = co_await multiply(party, shares, shares, "product");
    benchmark::DoNotOptimize(&product);
  }
  co_return Unit{};
}

Task<Unit> truncate_often(Party& party, std::size_t lanes) {
  const Masked x = co_await numbers(party, Shape{1, lanes});
  const Arith product = elementwise(party, x, x);
  for (int i = 0; i < repetitions; ++i) {
    const Masked truncated = co_await mask_trunc(party, product, fraction_bits, "truncation");
    benchmark::DoNotOptimize(&truncated);
  }
  co_return Unit{};
}

Task<Unit> compare_often(Party& party, std::size_t lanes) {
  const Masked x = co_await numbers(party, Shape{1, lanes});
  const Masked y = co_await numbers(party, Shape{1, lanes});
  for (int i = 0; i < repetitions; ++i) {
    const Arith less = co_await less_than(party, x, y, 24, "comparison");
    benchmark::DoNotOptimize(&less);
  }
  co_return Unit{};
}

Task<Unit> argmax_often(Party& party, std::size_t arms) {
  const Masked scores = co_await numbers(party, Shape{1, arms});
  for (int i = 0; i < repetitions; ++i) {
    const Arith one_hot = co_await argmax(party, scores, ArgmaxOptions{0, 24, {}});
    benchmark::DoNotOptimize(&one_hot);
  }
  co_return Unit{};
}

using Often = Task<Unit> (*)(Party&, std::size_t);

// Arguments: lanes or arms, parties.
template <Often often>
void run_often(benchmark::State& state) {
  const auto lanes = static_cast<std::size_t>(state.range(0));
  const Topology topology(static_cast<std::size_t>(state.range(1)));
  SimulationOptions options;
  options.insecure_seed = 1;
  for (auto _ : state) {
    (void)simulate(
        topology, [&](Party& party) { return often(party, lanes); }, options);
  }
  state.SetItemsProcessed(state.iterations() * repetitions * state.range(0));
}

// Every party has ten columns; arm = step modulo arms earns 1.
class Site final : public apps::BanditSite {
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
  void step_done(std::uint64_t) override {}

 private:
  std::size_t arms_;
  std::size_t parties_;
  std::size_t arm_ = 0;
};

// Arguments: arms, parties.
void bandit_steps(benchmark::State& state) {
  apps::BanditParameters parameters;
  const auto parties = static_cast<std::size_t>(state.range(1));
  parameters.arms = static_cast<std::size_t>(state.range(0));
  parameters.columns.assign(parties, 20 / parties);
  parameters.steps = repetitions;
  parameters.exploration.threshold = (std::uint64_t{1} << 63) / 5;
  const apps::BanditPlan plan = apps::plan_bandit(parameters);
  SimulationOptions options;
  options.insecure_seed = 1;
  for (auto _ : state) {
    Site site(parameters.arms, parties);
    (void)simulate(
        parameters.topology(),
        [&](Party& party) { return apps::private_bandit(party, plan, site); }, options);
  }
  state.SetItemsProcessed(state.iterations() * repetitions);
}

BENCHMARK(run_often<multiply_often>)->Name("multiply")->ArgsProduct({{1, 1000}, {2, 5}});
BENCHMARK(run_often<truncate_often>)->Name("mask_trunc")->ArgsProduct({{1, 1000}, {2, 5}});
BENCHMARK(run_often<compare_often>)->Name("below_zero")->ArgsProduct({{1, 1000}, {2, 5}});
BENCHMARK(run_often<argmax_often>)->Name("argmax")->ArgsProduct({{2, 10, 64}, {2, 5}});
BENCHMARK(bandit_steps)->ArgsProduct({{10}, {2, 5}});

}  // namespace
}  // namespace sotto
