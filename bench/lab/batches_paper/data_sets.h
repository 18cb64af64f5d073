// What `sotto-lab paper batches` plays: contexts with labels, of norm 1, and how many events a run has.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "bench/lab/measure/labelled_data.h"

namespace sotto::apps::lab {

struct DataSet {
  std::string name;
  LabelledData data;
  std::uint64_t events = 0;
};

// The order of the rows in the run of that seed: uniform, and not that of a file, whose neighbours are often alike.
// They are used in it and wrap round.
[[nodiscard]] std::vector<std::size_t> row_order(const LabelledData& data, std::uint64_t seed);
// The rows in that order.
[[nodiscard]] LabelledData in_order(const LabelledData& data, const std::vector<std::size_t>& order);

inline constexpr std::uint64_t digits_events = 10'782;  // six times all rows
inline constexpr std::uint64_t glyph_events = 20'000;
inline constexpr std::uint64_t glyph_seed = 1;

// The digits that come with sotto, 20 principal components. Throws InputError where they are not found.
[[nodiscard]] DataSet digits_set();

// MNIST's training set from a folder of IDX files, 20 principal components, each row once. Throws InputError.
[[nodiscard]] DataSet mnist_set(const std::filesystem::path& folder);

// 26 arms, made up: printed letters, each measured by 16 numbers from 0 to 15, and a constant. Every letter has a shape
// of its own in each of three typefaces; a print differs from it by normal noise and rounding. Equal seeds give equal
// prints on any machine.
[[nodiscard]] DataSet glyph_set(std::uint64_t events = glyph_events, std::uint64_t seed = glyph_seed);

}  // namespace sotto::apps::lab
