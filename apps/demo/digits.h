// The data of the demo: the UCI digits that come with sotto, divided between two companies.
//
// Each row is a handwritten digit. Its 64 pixels are reduced to 20 principal components, and the row is divided by its
// norm. Party 0 has the first ten components, party 1 the others. The label is the arm that earns a reward of 1.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace sotto::apps::bandit::demo {

struct Digits {
  static constexpr std::size_t parties = 2;
  static constexpr std::size_t columns_of_a_party = 10;
  static constexpr std::size_t columns = parties * columns_of_a_party;
  static constexpr std::size_t arms = 10;

  std::vector<double> values;  // row-major, `columns` a row
  std::vector<std::uint32_t> labels;

  [[nodiscard]] std::size_t rows() const { return labels.size(); }
  // The row of step `step`: beyond the last row they wrap around.
  [[nodiscard]] std::span<const double> row(std::uint64_t step) const {
    return std::span(values).subspan(step % rows() * columns, columns);
  }
  // The part of row(step) that party `party` has.
  [[nodiscard]] std::span<const double> part(std::size_t party, std::uint64_t step) const {
    return row(step).subspan(party * columns_of_a_party, columns_of_a_party);
  }
  [[nodiscard]] double reward(std::uint64_t step, std::size_t arm) const {
    return labels[step % rows()] == arm ? 1 : 0;
  }
};

// Throws InputError if the file of the digits is in neither of its places (apps/prepare/data/raw_data.h).
[[nodiscard]] Digits read_digits();

// Writes party_0.csv, party_1.csv and environment.csv into an existing folder, as `sotto prepare digits` writes them.
void write_digits(const Digits& digits, const std::filesystem::path& folder);

}  // namespace sotto::apps::bandit::demo
