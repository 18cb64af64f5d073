// Google Benchmark's "items" are multiply-adds or lanes here.

#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "apps/kit/learn/linear_bandit.h"
#include "apps/kit/learn/seeded.h"
#include "apps/o3m/masking.h"
#include "core/ring/kernels.h"
#include "core/wire/bit_pack.h"
#include "core/wire/bit_pack_tables.h"
#include "sotto/protocol/random/expansion.h"
#include "sotto/protocol/random/prg.h"
#include "sotto/protocol/random/seed.h"

namespace sotto {
namespace {

using Words = std::vector<std::uint64_t>;

Words random_words(std::size_t count, std::uint64_t seed) {
  Words words(count);
  Prg(Seed::insecure_from_number(seed)).fill(words, 64);
  return words;
}

void count_items(benchmark::State& state, std::size_t items) {
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(items));
}

using Shape = std::vector<std::size_t>;

struct Sizes {
  std::size_t out, a, b, items;
};

struct Operands {
  Shape shape;
  std::uint64_t* out;
  const std::uint64_t* a;
  std::uint64_t* b;
};

struct KernelBench {
  const char* name;
  std::vector<std::vector<std::int64_t>> shapes;
  Sizes (*sizes)(const Shape& s);
  void (*run)(const Kernels& t, const Operands& o);
};

void kernel(benchmark::State& state, const Kernels* table, const KernelBench* bench) {
  Shape shape;
  for (std::size_t i = 0; i < bench->shapes.front().size(); ++i) {
    shape.push_back(static_cast<std::size_t>(state.range(i)));
  }
  const Sizes sizes = bench->sizes(shape);
  const Words a = random_words(sizes.a, 1);
  Words b = random_words(sizes.b, 2);
  Words out(sizes.out);
  const Operands operands{shape, out.data(), a.data(), b.data()};
  for (auto _ : state) {
    bench->run(*table, operands);
    benchmark::ClobberMemory();
  }
  count_items(state, sizes.items);
}

Sizes lanes(const Shape& s) { return {s[0], s[0], s[0], s[0]}; }
std::size_t triangle(std::size_t d) { return d * (d + 1) / 2; }
const std::vector<std::vector<std::int64_t>> lane_shapes{{20}, {210}, {1024}};

const std::vector<KernelBench> kernel_benches{
    {"matmul",
     {{1024, 1024, 1024},
      {512, 512, 512},
      {256, 256, 256},
      {96, 128, 512},
      {64, 64, 64},
      {32, 32, 32},
      {20, 20, 20},
      {1, 20, 200},
      {10, 20, 10}},
     [](const Shape& s) {
       return Sizes{s[0] * s[2], s[0] * s[1], s[1] * s[2], s[0] * s[1] * s[2]};
     },
     [](const Kernels& t, const Operands& o) { t.matmul_add(o.out, o.a, o.b, o.shape[0], o.shape[1], o.shape[2]); }},
    {"matvec",
     {{20, 20}, {200, 20}, {512, 512}},
     [](const Shape& s) {
       return Sizes{s[0], s[0] * s[1], s[1], s[0] * s[1]};
     },
     [](const Kernels& t, const Operands& o) { t.matvec_add(o.out, o.a, o.b, o.shape[0], o.shape[1]); }},
    {"add", lane_shapes, lanes, [](const Kernels& t, const Operands& o) { t.add(o.out, o.a, o.shape[0]); }},
    {"multiply", lane_shapes, lanes,
     [](const Kernels& t, const Operands& o) { t.multiply(o.out, o.a, o.b, o.shape[0]); }},
    {"multiply_add", lane_shapes, lanes,
     [](const Kernels& t, const Operands& o) { t.multiply_add(o.out, o.a, o.b, o.shape[0]); }},
    {"scale_add", lane_shapes, lanes,
     [](const Kernels& t, const Operands& o) { t.scale_add(o.out, 0x9e3779b97f4a7c15, o.a, o.shape[0]); }},
    {"dot", lane_shapes, lanes, [](const Kernels& t, const Operands& o) { *o.out = t.dot(o.a, o.b, o.shape[0]); }},
    {"masked_scale_add", lane_shapes, lanes,
     [](const Kernels& t, const Operands& o) { t.masked_scale_add(o.out, 5, o.a, o.b, 1, o.shape[0]); }},
    {"truncation_mask", lane_shapes, lanes,
     [](const Kernels& t, const Operands& o) { t.truncation_mask(o.out, o.b, o.a, 20, o.shape[0]); }},
    {"symmetric_matvec",
     {{20}, {100}},
     [](const Shape& s) {
       return Sizes{s[0], triangle(s[0]), s[0], triangle(s[0])};
     },
     [](const Kernels& t, const Operands& o) { t.symmetric_matvec_add(o.out, o.a, o.b, o.shape[0]); }},
    {"symmetric_outer",
     {{20}, {100}},
     [](const Shape& s) {
       return Sizes{triangle(s[0]), s[0], s[0], triangle(s[0])};
     },
     [](const Kernels& t, const Operands& o) { t.symmetric_outer_add(o.out, o.a, o.b, o.shape[0]); }},
};

[[maybe_unused]] const bool registered = [] {
  for (const Kernels* table : available_kernels()) {
    for (const KernelBench& bench : kernel_benches) {
      const std::string name = std::string(bench.name) + "/" + table->name;
      auto* registered_bench = benchmark::RegisterBenchmark(name.c_str(), kernel, table, &bench);
      for (const auto& shape : bench.shapes) registered_bench->Args(shape);
    }
  }
  return true;
}();

using Draw = void (Prg::*)(std::span<std::uint64_t>, unsigned);

void prg(benchmark::State& state, const Expansion* table, Draw draw) {
  Words out(static_cast<std::size_t>(state.range(0)));
  const auto bits = static_cast<unsigned>(state.range(1));
  Prg generator(Seed::insecure_from_number(1), *table);
  for (auto _ : state) {
    (generator.*draw)(out, bits);
    benchmark::ClobberMemory();
  }
  count_items(state, out.size());
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(out.size() * stream_bytes(bits)));
}

void prg_small_draws(benchmark::State& state, const Expansion* table) {
  Words out(400);
  Prg generator(Seed::insecure_from_number(1), *table);
  const std::size_t sizes[] = {10, 20, 210, 1, 40, 400};
  std::size_t lanes_of_turn = 0;
  for (const std::size_t size : sizes) lanes_of_turn += size;
  for (auto _ : state) {
    for (const std::size_t size : sizes) generator.add_to(std::span(out).first(size), 64);
    benchmark::ClobberMemory();
  }
  count_items(state, lanes_of_turn);
}

void prg_construct(benchmark::State& state, const Expansion* table) {
  const Seed seed = Seed::insecure_from_number(1);
  for (auto _ : state) benchmark::DoNotOptimize(Prg(seed, *table).next());
}

[[maybe_unused]] const bool registered_prg = [] {
  for (const Expansion* table : available_expansions()) {
    const std::string name = table->name;
    benchmark::RegisterBenchmark(("prg_fill/" + name).c_str(), prg, table, &Prg::fill)
        ->ArgsProduct({{1, 10, 100, 400, 4096, 1 << 20}, {64, 20}});
    benchmark::RegisterBenchmark(("prg_add_to/" + name).c_str(), prg, table, &Prg::add_to)
        ->ArgsProduct({{10, 100, 400, 4096, 1 << 20}, {64, 43, 20, 16, 1}});
    benchmark::RegisterBenchmark(("prg_small_draws/" + name).c_str(), prg_small_draws, table);
    benchmark::RegisterBenchmark(("prg_construct/" + name).c_str(), prg_construct, table);
  }
  return true;
}();

void seed_derive(benchmark::State& state) {
  const Seed seed = Seed::insecure_from_number(1);
  for (auto _ : state) benchmark::DoNotOptimize(seed.derive("a purpose"));
}
BENCHMARK(seed_derive);

using Bytes = std::vector<unsigned char>;

void bit_pack(benchmark::State& state, const BitPacking* table) {
  const auto bits = static_cast<unsigned>(state.range(1));
  const Words lanes = random_words(static_cast<std::size_t>(state.range(0)), 1);
  Bytes out(packed_bytes(lanes.size(), bits));
  for (auto _ : state) {
    table->pack(lanes.data(), lanes.size(), bits, out.data());
    benchmark::ClobberMemory();
  }
  count_items(state, lanes.size());
}

void bit_unpack_add(benchmark::State& state, const BitPacking* table) {
  const auto bits = static_cast<unsigned>(state.range(1));
  Words lanes = random_words(static_cast<std::size_t>(state.range(0)), 1);
  Bytes in(packed_bytes(lanes.size(), bits));
  table->pack(lanes.data(), lanes.size(), bits, in.data());
  for (auto _ : state) {
    table->unpack_add(in.data(), bits, lanes.data(), lanes.size());
    benchmark::ClobberMemory();
  }
  count_items(state, lanes.size());
}

[[maybe_unused]] const bool registered_packing = [] {
  const std::vector<std::vector<std::int64_t>> sizes = {{10, 200, 4096}, {1, 2, 5, 10, 20, 30, 32, 43, 64}};
  for (const BitPacking* table : available_bit_packings()) {
    const std::string name = table->name;
    benchmark::RegisterBenchmark(("bit_pack/" + name).c_str(), bit_pack, table)->ArgsProduct(sizes);
    benchmark::RegisterBenchmark(("bit_unpack_add/" + name).c_str(), bit_unpack_add, table)->ArgsProduct(sizes);
  }
  return true;
}();

}  // namespace
}  // namespace sotto

namespace sotto::apps {

// Google Benchmark's "items" are steps or contexts here.

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
