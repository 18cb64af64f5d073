#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>

#include "sotto/protocol/error/errors.h"

namespace sotto::apps::bandit {

// Returns the place of the only 1. Throws ProtocolError unless one word is 1 and all others are 0. The error names the
// step, but shows none of the words.
[[nodiscard]] inline std::size_t arm_of(std::span<const std::uint64_t> one_hot, std::uint64_t step) {
  const auto ones = std::count(one_hot.begin(), one_hot.end(), 1u);
  const auto zeros = std::count(one_hot.begin(), one_hot.end(), 0u);
  if (ones != 1 || zeros + 1 != std::ssize(one_hot)) {
    throw ProtocolError(ProtocolError::Kind::malformed, "compute parties", step,
                        "the opened arm is not one-hot: the parties run another program, or a score left its range");
  }
  return static_cast<std::size_t>(std::find(one_hot.begin(), one_hot.end(), 1u) - one_hot.begin());
}

}  // namespace sotto::apps::bandit
