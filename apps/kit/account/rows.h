// The key of a subject in the rows of an account.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "apps/kit/store/database.h"
#include "sotto/protocol/random/seed.h"

namespace sotto::apps {

using SubjectKey = std::array<std::byte, Seed::size>;

// Epsilons are added in floating point, so a sum may exceed the budget by up to this amount.
inline constexpr double budget_rounding = 1e-9;

[[nodiscard]] inline std::span<const std::byte> bytes_of(const SubjectKey& key) { return {key.data(), key.size()}; }

[[nodiscard]] inline SubjectKey key_at(const Statement& row) {
  SubjectKey key{};
  const std::vector<std::byte> bytes = row.bytes(0);
  std::copy_n(bytes.begin(), std::min(bytes.size(), key.size()), key.begin());
  return key;
}

}  // namespace sotto::apps
