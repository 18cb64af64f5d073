// The random rotation of the private mean, on whole numbers: H S without the factor D^(-1/2), H the Hadamard matrix of
// a power of two D, S signs. Exact, as nothing is divided; the factor is in the lattice's step.
//
// Sizes are the signs' size, a power of two; anything else is std::invalid_argument. Sums of absolute values must fit
// 63 bits.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sotto/apps/kit/dp/coins.h"

namespace sotto::apps {

// 1 or -1 each, uniform.
[[nodiscard]] std::vector<int> draw_signs(Coins& coins, std::size_t padded);

// values = H S values.
void rotate(std::span<std::int64_t> values, std::span<const int> signs);

// values = (H S)^-1 values, in floating point: S H values / D.
void rotate_back(std::span<double> values, std::span<const int> signs);

}  // namespace sotto::apps
