#include "bench/lab/measure/kernel_speed.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <functional>

#include "core/ring/kernels.h"
#include "sotto/protocol/async/pool.h"
#include "sotto/protocol/random/prg.h"
#include "sotto/protocol/random/seed.h"

namespace sotto::apps::lab {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t expanded_words = 8192;           // 64 KB: stays in the cache
constexpr std::size_t copied_words = 8 * 1024 * 1024;  // 64 MB: does not
constexpr std::uint64_t most_repetitions = std::uint64_t{1} << 30;

Words random_words(std::size_t count, std::uint64_t seed) {
  Words words(count);
  Prg(Seed::insecure_from_number(seed)).fill(words, 64);
  return words;
}

double seconds_of(std::uint64_t repetitions, const std::function<void()>& work) {
  const Clock::time_point start = Clock::now();
  for (std::uint64_t i = 0; i < repetitions; ++i) work();
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// Billions of `items` a second.
std::vector<double> rates(double seconds, std::size_t batches, double items, const std::function<void()>& work) {
  std::uint64_t repetitions = 1;
  while (seconds_of(repetitions, work) < seconds && repetitions < most_repetitions) {
    repetitions *= 2;
  }
  std::vector<double> result;
  for (std::size_t batch = 0; batch < batches; ++batch) {
    const double time = std::max(seconds_of(repetitions, work), 1e-9);
    result.push_back(items * static_cast<double>(repetitions) / time / 1e9);
  }
  return result;
}

}  // namespace

std::vector<KernelSpeed> kernel_speeds(double seconds_of_a_batch, std::size_t batches) {
  std::vector<KernelSpeed> speeds;
  {
    Prg prg(Seed::insecure_from_number(1));
    Words sum(expanded_words);
    speeds.push_back({"expand a seed and add it to 64 KB", "GB/s",
                      rates(seconds_of_a_batch, batches, 8.0 * expanded_words, [&] { prg.add_to(sum, 64); })});
  }
  for (const std::size_t n : {std::size_t{256}, std::size_t{1024}}) {
    const Words a = random_words(n * n, 1);
    const Words b = random_words(n * n, 2);
    Words out(n * n);
    const double multiplications = static_cast<double>(n) * static_cast<double>(n * n);
    speeds.push_back({fmt::format("product of {0} x {0} ring matrices", n), "G multiply-adds/s",
                      rates(seconds_of_a_batch, batches, multiplications,
                            [&] { kernels().matmul_add(out.data(), a.data(), b.data(), n, n, n); })});
  }
  {
    const Words from(copied_words, 1);
    Words to(copied_words);
    // The empty statement tells the compiler that the copy is read.
    speeds.push_back({"copy 64 MB of memory", "GB/s", rates(seconds_of_a_batch, batches, 8.0 * copied_words, [&] {
                        std::memcpy(to.data(), from.data(), 8 * copied_words);
                        asm volatile("" : : "r"(to.data()) : "memory");
                      })});
  }
  return speeds;
}

}  // namespace sotto::apps::lab
