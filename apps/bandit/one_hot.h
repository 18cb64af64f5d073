// The one-hot that is opened to the actor, and the arm that it stands for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace sotto::apps {

// The place of the only 1 among words in Z/2^8 of which all others are 0. Throws ProtocolError, which names the step
// and no word, on everything else: no 1, more than one, or any other value, even where the words add up to 1.
[[nodiscard]] std::size_t arm_of(std::span<const std::uint64_t> one_hot, std::uint64_t step);

}  // namespace sotto::apps
