// Seeded draws for preparing data: the same on every machine, because no distribution of the standard library (whose
// algorithms differ between implementations) is used. Nothing secret is ever drawn here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include "sotto/protocol/random/prg.h"

namespace sotto::apps {

class SeededDraws {
 public:
  explicit SeededDraws(std::uint64_t seed) : engine_(seed) {}

  // Uniform in [0, 1), a multiple of 2^-53.
  double unit() { return static_cast<double>(engine_() >> 11) * 0x1p-53; }

  // Uniform in [0, bound), bound > 0.
  std::uint64_t below(std::uint64_t bound) { return uniform_below(bound, engine_); }

  // A uniform order of 0 .. count - 1.
  std::vector<std::size_t> permutation(std::size_t count) {
    std::vector<std::size_t> order(count);
    std::iota(order.begin(), order.end(), std::size_t{0});
    for (std::size_t i = count; i > 1; --i) std::swap(order[i - 1], order[below(i)]);
    return order;
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace sotto::apps
