#include "sotto/apps/bandit/one_hot.h"

#include <algorithm>

#include "sotto/core/error/errors.h"

namespace sotto::apps {

std::size_t arm_of(std::span<const std::uint64_t> one_hot, std::uint64_t step) {
  const auto ones = std::count(one_hot.begin(), one_hot.end(), 1u);
  const auto zeros = std::count(one_hot.begin(), one_hot.end(), 0u);
  if (ones != 1 || zeros + 1 != std::ssize(one_hot)) {
    throw ProtocolError(ProtocolError::Kind::malformed, "compute parties", step,
                        "the opened arm is not one-hot: the parties run another program, or a score left its range");
  }
  return static_cast<std::size_t>(std::find(one_hot.begin(), one_hot.end(), 1u) - one_hot.begin());
}

}  // namespace sotto::apps
