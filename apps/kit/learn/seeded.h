// Draws that are the same on every machine, unlike the distributions of the standard library. Seeded draws are not
// secure, so no secret may depend on them.
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

  // A uniform multiple of 2^-53 in [0, 1).
  double unit() { return static_cast<double>(engine_() >> 11) * 0x1p-53; }

  std::uint64_t below(std::uint64_t bound) { return uniform_below(bound, engine_); }

  std::vector<std::size_t> permutation(std::size_t count) {
    std::vector<std::size_t> order(count);
    std::iota(order.begin(), order.end(), std::size_t{0});
    for (std::size_t i = count; i > 1; --i) std::swap(order[i - 1], order[below(i)]);
    return order;
  }

 private:
  std::mt19937_64 engine_;
};

struct NormalPair {
  double first;
  double second;
};

template <class Words>
[[nodiscard]] NormalPair normal_pair(Words& words) {
  // u is in (0, 1] and has 53 bits, so its logarithm is finite.
  const double u = (static_cast<double>(words.next() >> 11) + 1) * 0x1p-53;
  const double angle = 2 * std::numbers::pi * (static_cast<double>(words.next() >> 11) * 0x1p-53);
  const double radius = std::sqrt(-2 * std::log(u));
  return {radius * std::cos(angle), radius * std::sin(angle)};
}

// A stream of words that depends only on a seed and a step, not for secrets. The words are AES-128 in counter mode. The
// key is the seed and the step, 8 bytes each, little-endian.
class StepStream {
 public:
  StepStream(std::uint64_t seed, std::uint64_t step);

  // 64 uniform bits.
  [[nodiscard]] std::uint64_t next();
  // The number is exactly uniform in [0, n), n >= 1, by rejection.
  [[nodiscard]] std::uint64_t below(std::uint64_t n);

 private:
  KeyStream stream_;
  std::array<std::uint64_t, Expansion::group_words> words_{};
  std::size_t taken_ = Expansion::group_words;
};

}  // namespace sotto::apps
