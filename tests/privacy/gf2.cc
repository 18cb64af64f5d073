#include "tests/privacy/gf2.h"

namespace sotto::privacy {
namespace {

// Brings the first `columns` columns into echelon form by adding rows to rows below. The rank.
std::size_t eliminate(BitRows& rows, std::size_t columns) {
  std::size_t rank = 0;
  for (std::size_t column = 0; column < columns && rank < rows.rows(); ++column) {
    std::size_t pivot = rank;
    while (pivot < rows.rows() && !rows.at(pivot, column)) ++pivot;
    if (pivot == rows.rows()) continue;
    const std::span<std::uint64_t> found = rows.row(rank);
    if (pivot != rank) std::swap_ranges(found.begin(), found.end(), rows.row(pivot).begin());
    // What is left of the column is zero in both.
    const std::size_t first = column / 64;
    for (std::size_t below = pivot + 1; below < rows.rows(); ++below) {
      if (!rows.at(below, column)) continue;
      std::uint64_t* const to = rows.row(below).data();
      for (std::size_t word = first; word < found.size(); ++word) to[word] ^= found[word];
    }
    ++rank;
  }
  return rank;
}

// Each row followed by a unit vector of its own, which becomes the rows that were added to it. The unit vectors begin
// at a whole word.
BitRows with_units(const BitRows& rows, std::size_t& units) {
  units = rows.row(0).size() * 64;
  BitRows wide(rows.rows(), units + rows.rows());
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    const auto row = rows.row(i);
    std::copy(row.begin(), row.end(), wide.row(i).begin());
    wide.put(i, units + i, 1);
  }
  return wide;
}

}  // namespace

std::optional<std::vector<std::size_t>> relation(const BitRows& rows) {
  if (rows.rows() == 0) return std::nullopt;
  BitRows work = rows;
  const std::size_t rank = eliminate(work, rows.columns());
  if (rank == rows.rows()) return std::nullopt;

  // Once more, to see which: it is needed where something is wrong only.
  std::size_t units = 0;
  BitRows wide = with_units(rows, units);
  const std::size_t zero = eliminate(wide, rows.columns());
  std::vector<std::size_t> added;
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    if (wide.at(zero, units + i)) added.push_back(i);
  }
  return added;
}

}  // namespace sotto::privacy
