// Tuples in CSV files, with or without a header line.
//
// Without one: the three columns code, arm, reward. With one: the columns of these names, in any order; all others are
// metadata and are left out. A column `user` tells who reported: the first tuple of a user counts, its further ones are
// left out and counted. A file of a header alone has no tuples.
//
// Rewards outside [0, 1] are clipped and counted. Codes and arms that are no whole numbers within the limits, and files
// that are no such table, are InputError that names file:line:column.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sotto/apps/p2b/tuple.h"

namespace sotto::apps {

struct TupleLimits {
  std::optional<std::size_t> codes{};  // k
  std::optional<std::size_t> arms{};   // K
};

struct TupleFile {
  std::vector<Tuple> tuples;
  std::uint64_t clipped = 0;     // rewards
  std::uint64_t duplicates = 0;  // further tuples of a user, left out
};

[[nodiscard]] TupleFile read_tuples(const std::filesystem::path& path, const TupleLimits& limits);

// A header and a row a tuple.
[[nodiscard]] std::string tuples_csv(std::span<const Tuple> tuples);

}  // namespace sotto::apps
