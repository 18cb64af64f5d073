// Seeded draws for preparing data. The draws are the same on every machine, because they use no distribution of the
// standard library, whose algorithms differ between implementations. The draws are not secure, so nothing secret may be
// drawn with them.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include "sotto/protocol/random/prg.h"

namespace sotto::apps {

class SeededDraws {
 public:
  explicit SeededDraws(std::uint64_t seed) : engine_(seed) {}

  // A uniform number in [0, 1) that is a multiple of 2^-53.
  double unit() { return static_cast<double>(engine_() >> 11) * 0x1p-53; }

  // A uniform whole number in [0, bound), bound > 0.
  std::uint64_t below(std::uint64_t bound) { return uniform_below(bound, engine_); }

  // A uniformly random order of 0 .. count - 1.
  std::vector<std::size_t> permutation(std::size_t count) {
    std::vector<std::size_t> order(count);
    std::iota(order.begin(), order.end(), std::size_t{0});
    for (std::size_t i = count; i > 1; --i) std::swap(order[i - 1], order[below(i)]);
    return order;
  }

 private:
  std::mt19937_64 engine_;
};

// Standard normal numbers from uniform words, by Box and Muller: two numbers from two words. The code does not use the
// distributions of the standard library, because their algorithms differ between implementations.

struct NormalPair {
  double first;
  double second;
};

// `Words` has next(), which gives 64 uniform bits.
template <class Words>
[[nodiscard]] NormalPair normal_pair(Words& words) {
  // u is in (0, 1] and has 53 bits, so its logarithm is finite.
  const double u = (static_cast<double>(words.next() >> 11) + 1) * 0x1p-53;
  const double angle = 2 * std::numbers::pi * (static_cast<double>(words.next() >> 11) * 0x1p-53);
  const double radius = std::sqrt(-2 * std::log(u));
  return {radius * std::cos(angle), radius * std::sin(angle)};
}

// Draws that depend only on a seed and the number of a step. The draws are the same on every machine. The draws are not
// for secrets.

// A random stream by AES-128 in counter mode. The key is the seed and the step, 8 bytes each, little-endian. StepStream
// allocates no memory if the CPU has AES.
class StepStream {
 public:
  StepStream(std::uint64_t seed, std::uint64_t step);

  // 64 uniform bits.
  [[nodiscard]] std::uint64_t next();
  // A number that is exactly uniform in [0, n), n >= 1, drawn by rejection.
  [[nodiscard]] std::uint64_t below(std::uint64_t n);

 private:
  KeyStream stream_;
  std::array<std::uint64_t, Expansion::group_words> words_{};
  std::size_t taken_ = Expansion::group_words;
};

}  // namespace sotto::apps
