// Streams of pseudorandom numbers for experiments. Streams with equal keys are equal, so results do not depend on
// threads. SplitMix64 (Steele, Lea and Flood 2014) is fast and of good statistical quality, but is not secure.
#pragma once

#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <numbers>

#include "sotto/protocol/random/prg.h"

namespace sotto::apps::lab {

class Stream {
 public:
  explicit Stream(std::initializer_list<std::uint64_t> key) {
    for (const std::uint64_t part : key) state_ = mix(state_ + gamma + part);
  }

  [[nodiscard]] std::uint64_t next() { return mix(state_ += gamma); }

  // Uniform in [0, n), n >= 1.
  [[nodiscard]] std::uint64_t below(std::uint64_t n) {
    return uniform_below(n, [this] { return next(); });
  }

  // Uniform in [0, 1), a multiple of 2^-53.
  [[nodiscard]] double unit() { return static_cast<double>(next() >> 11) * 0x1p-53; }

  [[nodiscard]] double normal() {
    const double radius = std::sqrt(-2 * std::log(1 - unit()));
    return radius * std::cos(2 * std::numbers::pi * unit());
  }

 private:
  static constexpr std::uint64_t gamma = 0x9e3779b97f4a7c15;

  [[nodiscard]] static std::uint64_t mix(std::uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }

  std::uint64_t state_ = 0;
};

}  // namespace sotto::apps::lab
