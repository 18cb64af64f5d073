// Who makes the correlated randomness of a run: a dealer, its three compute parties by replicated secrets
// (protocols/preprocessing/replicated/), or its two compute parties by oblivious transfers
// (protocols/preprocessing/transfers/).
//
// With a dealer all compute parties but one may be corrupt, or the dealer. Of three parties one may be ("replicated"): any
// two that talk read everything. Of two parties one may be ("ot").
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

namespace sotto {

enum class RandomnessBy : std::uint8_t { dealer, replicated, ot };
constexpr auto names_of(RandomnessBy) {
  return std::array{std::pair{RandomnessBy::dealer, "dealer"}, std::pair{RandomnessBy::replicated, "replicated"},
                    std::pair{RandomnessBy::ot, "ot"}};
}
// As settings have it. Throws std::invalid_argument.
[[nodiscard]] const char* name_of(RandomnessBy by);

// Why so many compute parties cannot make it, and what can; empty where they can.
[[nodiscard]] std::string refusal_of(RandomnessBy by, std::size_t parties);

}  // namespace sotto
