// The kernels of every table that this CPU runs, random expansion and bit packing. Items are multiply-adds or lanes.
#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "sotto/core/random/expansion.h"
#include "sotto/core/random/prg.h"
#include "sotto/core/ring/kernels.h"
#include "sotto/core/wire/bit_pack.h"
#include "sotto/core/wire/bit_pack_tables.h"

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

void matmul(benchmark::State& state, const Kernels* table) {
  const auto m = static_cast<std::size_t>(state.range(0));
  const auto k = static_cast<std::size_t>(state.range(1));
  const auto n = static_cast<std::size_t>(state.range(2));
  const Words a = random_words(m * k, 1);
  const Words b = random_words(k * n, 2);
  Words out(m * n);
  for (auto _ : state) {
    table->matmul_add(out.data(), a.data(), b.data(), m, k, n);
    benchmark::ClobberMemory();
  }
  count_items(state, m * k * n);
}

void matvec(benchmark::State& state, const Kernels* table) {
  const auto rows = static_cast<std::size_t>(state.range(0));
  const auto columns = static_cast<std::size_t>(state.range(1));
  const Words matrix = random_words(rows * columns, 1);
  const Words vector = random_words(columns, 2);
  Words out(rows);
  for (auto _ : state) {
    table->matvec_add(out.data(), matrix.data(), vector.data(), rows, columns);
    benchmark::ClobberMemory();
  }
  count_items(state, rows * columns);
}

// Kernels that go through n lanes of each of up to four inputs.
struct LaneKernel {
  const char* name;
  void (*run)(const Kernels& table, Words& out, std::vector<Words>& in);
};

constexpr LaneKernel lane_kernels[] = {
    {"add", [](const Kernels& t, Words& out, std::vector<Words>& in) { t.add(out.data(), in[0].data(), out.size()); }},
    {"multiply", [](const Kernels& t, Words& out,
                    std::vector<Words>& in) { t.multiply(out.data(), in[0].data(), in[1].data(), out.size()); }},
    {"multiply_add",
     [](const Kernels& t, Words& out, std::vector<Words>& in) {
       t.multiply_add(out.data(), in[0].data(), in[1].data(), out.size());
     }},
    {"scale_add",
     [](const Kernels& t, Words& out, std::vector<Words>& in) {
       t.scale_add(out.data(), 0x9e3779b97f4a7c15, in[0].data(), out.size());
     }},
    {"dot", [](const Kernels& t, Words& out,
               std::vector<Words>& in) { out[0] = t.dot(in[0].data(), in[1].data(), out.size()); }},
    {"masked_scale_add",
     [](const Kernels& t, Words& out, std::vector<Words>& in) {
       t.masked_scale_add(out.data(), 5, in[0].data(), in[1].data(), 1, out.size());
     }},
    {"truncation_mask",
     [](const Kernels& t, Words& out, std::vector<Words>& in) {
       t.truncation_mask(out.data(), in[1].data(), in[0].data(), 20, out.size());
     }},
};

void lanes(benchmark::State& state, const Kernels* table, const LaneKernel* kernel) {
  Words out(static_cast<std::size_t>(state.range(0)));
  std::vector<Words> in;
  for (std::uint64_t seed = 1; seed <= 4; ++seed) in.push_back(random_words(out.size(), seed));
  for (auto _ : state) {
    kernel->run(*table, out, in);
    benchmark::ClobberMemory();
  }
  count_items(state, out.size());
}

// A symmetric matrix by its triangle; items are entries of the triangle.
void symmetric_matvec(benchmark::State& state, const Kernels* table) {
  const auto d = static_cast<std::size_t>(state.range(0));
  const Words triangle = random_words(d * (d + 1) / 2, 1);
  const Words y = random_words(d, 2);
  Words out(d);
  for (auto _ : state) {
    table->symmetric_matvec_add(out.data(), triangle.data(), y.data(), d);
    benchmark::ClobberMemory();
  }
  count_items(state, triangle.size());
}

void symmetric_outer(benchmark::State& state, const Kernels* table) {
  const auto d = static_cast<std::size_t>(state.range(0));
  const Words x = random_words(d, 1);
  const Words y = random_words(d, 2);
  Words triangle(d * (d + 1) / 2);
  for (auto _ : state) {
    table->symmetric_outer_add(triangle.data(), x.data(), y.data(), d);
    benchmark::ClobberMemory();
  }
  count_items(state, triangle.size());
}

[[maybe_unused]] const bool registered = [] {
  for (const Kernels* table : available_kernels()) {
    const std::string name = table->name;
    benchmark::RegisterBenchmark(("matmul/" + name).c_str(), matmul, table)
        ->Args({1024, 1024, 1024})
        ->Args({512, 512, 512})
        ->Args({256, 256, 256})
        ->Args({96, 128, 512})
        ->Args({64, 64, 64})
        ->Args({32, 32, 32})
        ->Args({20, 20, 20})
        ->Args({1, 20, 200})
        ->Args({10, 20, 10});
    benchmark::RegisterBenchmark(("matvec/" + name).c_str(), matvec, table)
        ->Args({20, 20})
        ->Args({200, 20})
        ->Args({512, 512});
    for (const LaneKernel& kernel : lane_kernels) {
      benchmark::RegisterBenchmark((std::string(kernel.name) + "/" + name).c_str(), lanes, table, &kernel)
          ->Arg(20)
          ->Arg(210)
          ->Arg(1024);
    }
    benchmark::RegisterBenchmark(("symmetric_matvec/" + name).c_str(), symmetric_matvec, table)->Arg(20)->Arg(100);
    benchmark::RegisterBenchmark(("symmetric_outer/" + name).c_str(), symmetric_outer, table)->Arg(20)->Arg(100);
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

// A draw of each of the sizes of a bandit step, one after the other.
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
