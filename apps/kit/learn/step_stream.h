// Draws that a seed and the number of a step fix, and nothing else: they are the same on any machine. Nothing secret is
// drawn here.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "sotto/protocol/random/prg.h"

namespace sotto::apps {

// AES-128 in counter mode; the key is the seed and the step, 8 bytes each, little-endian. Allocates nothing where the
// CPU has AES.
class StepStream {
 public:
  StepStream(std::uint64_t seed, std::uint64_t step);

  // 64 uniform bits.
  [[nodiscard]] std::uint64_t next();
  // Uniform in [0, n), n >= 1: exactly so, by rejection.
  [[nodiscard]] std::uint64_t below(std::uint64_t n);

 private:
  KeyStream stream_;
  std::array<std::uint64_t, Expansion::group_words> words_{};
  std::size_t taken_ = Expansion::group_words;
};

}  // namespace sotto::apps
