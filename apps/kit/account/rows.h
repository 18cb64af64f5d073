// The key of a subject, and functions that convert keys to and from the rows of an account.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "apps/kit/store/database.h"
#include "sotto/protocol/random/seed.h"

namespace sotto::apps {

// The keyed hash of an id.
using SubjectKey = std::array<std::byte, Seed::size>;

// Sums of epsilons are rounded, so an excess over the budget of up to this amount is allowed.
inline constexpr double budget_rounding = 1e-9;

[[nodiscard]] inline std::span<const std::byte> bytes_of(const SubjectKey& key) { return {key.data(), key.size()}; }

// The subject's key in the first column of the row.
[[nodiscard]] inline SubjectKey key_at(const Statement& row) {
  SubjectKey key{};
  const std::vector<std::byte> bytes = row.bytes(0);
  std::copy_n(bytes.begin(), std::min(bytes.size(), key.size()), key.begin());
  return key;
}

}  // namespace sotto::apps
