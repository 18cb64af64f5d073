// Linear bandits and the masks of O3M, inside one thread. Items are steps or contexts.
#include <benchmark/benchmark.h>

#include <vector>

#include "apps/kit/learn/linear_bandit.h"
#include "apps/kit/learn/normal.h"
#include "apps/kit/learn/step_stream.h"
#include "apps/o3m/masking.h"
#include "sotto/protocol/random/seed.h"

namespace sotto::apps {

using namespace sotto::apps::o3m;
namespace {

std::vector<double> normals(std::size_t count) {
  StepStream stream(1, count);
  std::vector<double> values(count);
  for (double& value : values) value = normal_pair(stream).first;
  return values;
}

void linear_step(benchmark::State& state, LinearAlgorithm algorithm) {
  constexpr std::size_t different = 8;
  LinearBanditOptions options;
  options.algorithm = algorithm;
  options.dimension = static_cast<std::size_t>(state.range(0));
  options.arms = static_cast<std::size_t>(state.range(1));
  LinearBandit bandit(options);
  const std::size_t size = options.dimension * options.arms;
  const std::vector<double> contexts = normals(different * size);
  std::uint64_t step = 0;
  for (auto _ : state) {
    const auto of_step = std::span(contexts).subspan(step % different * size, size);
    const std::size_t arm = bandit.select(step++, of_step);
    bandit.update(of_step.subspan(arm * options.dimension, options.dimension), 0.5);
  }
  state.SetItemsProcessed(state.iterations());
}

void mask(benchmark::State& state) {
  constexpr std::size_t rows = 100;
  const auto d = static_cast<std::size_t>(state.range(0));
  const auto columns = static_cast<std::size_t>(state.range(1));
  const BlockMask mask(block_of(random_orthogonal(d, Seed::insecure_from_number(1)), d, 0, columns));
  const std::vector<double> contexts = normals(rows * columns);
  std::vector<double> masked(rows * d);
  for (auto _ : state) {
    mask.apply(contexts, masked);
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(rows));
}

void orthogonal(benchmark::State& state) {
  const auto d = static_cast<std::size_t>(state.range(0));
  for (auto _ : state) {
    benchmark::DoNotOptimize(random_orthogonal(d, Seed::insecure_from_number(1)));
  }
}

BENCHMARK_CAPTURE(linear_step, ucb, LinearAlgorithm::ucb)->Args({20, 10})->Args({100, 10})->Args({1000, 100});
BENCHMARK_CAPTURE(linear_step, ts, LinearAlgorithm::ts)->Args({20, 10})->Args({100, 10})->Args({1000, 100});
BENCHMARK(mask)->Args({100, 20})->Args({1000, 200});
BENCHMARK(orthogonal)->Arg(100)->Arg(1000);

}  // namespace
}  // namespace sotto::apps
