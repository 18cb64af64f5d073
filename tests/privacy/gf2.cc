#include "tests/privacy/rank.h"

namespace sotto::privacy {
namespace {

constexpr std::size_t most_pivots = 8;

// A strip of columns whose pivots are found one after the other. The rows without a pivot are changed only when all
// pivots of the strip are known. Then one of the 2^8 sums of the pivots' rows is added to each row without a pivot (the
// method of the four Russians).
class Strip {
 public:
  Strip(BitRows& rows, std::size_t rank) : rows_(rows), rank_(rank), sums_(0, 0) {}

  [[nodiscard]] std::size_t size() const { return columns_.size(); }
  [[nodiscard]] bool full() const { return size() == most_pivots || rank_ + size() == rows_.rows(); }

  void look_for_pivot(std::size_t column) {
    const std::size_t next = rank_ + size();
    for (std::size_t i = next; i < rows_.rows(); ++i) {
      for (std::size_t p = 0; p < size(); ++p) {
        if (rows_.at(i, columns_[p])) add(rows_.row(rank_ + p), rows_.row(i));
      }
      if (!rows_.at(i, column)) continue;
      if (i != next) std::swap_ranges(rows_.row(i).begin(), rows_.row(i).end(), rows_.row(next).begin());
      columns_.push_back(column);
      return;
    }
  }

  void clear_below() {
    if (columns_.empty()) return;
    for (std::size_t p = size(); p-- > 0;) {
      for (std::size_t above = 0; above < p; ++above) {
        if (rows_.at(rank_ + above, columns_[p])) add(rows_.row(rank_ + p), rows_.row(rank_ + above));
      }
    }
    sums_ = BitRows(std::size_t{1} << size(), rows_.columns());
    for (std::size_t which = 1; which < sums_.rows(); ++which) {
      const auto before = std::as_const(sums_).row(which & (which - 1));
      std::copy(before.begin(), before.end(), sums_.row(which).begin());
      add(rows_.row(rank_ + static_cast<std::size_t>(std::countr_zero(which))), sums_.row(which));
    }
    for (std::size_t i = rank_ + size(); i < rows_.rows(); ++i) {
      std::size_t which = 0;
      for (std::size_t p = 0; p < size(); ++p) which |= std::size_t{rows_.at(i, columns_[p])} << p;
      if (which != 0) add(sums_.row(which), rows_.row(i));
    }
  }

 private:
  void add(std::span<const std::uint64_t> from, std::span<std::uint64_t> to) const {
    for (std::size_t word = columns_.front() / 64; word < to.size(); ++word) to[word] ^= from[word];
  }

  BitRows& rows_;
  std::size_t rank_;
  std::vector<std::size_t> columns_;
  BitRows sums_;
};

// Brings the first `columns` columns into echelon form by adding rows to each other. Returns the rank.
std::size_t eliminate(BitRows& rows, std::size_t columns) {
  std::size_t rank = 0;
  for (std::size_t column = 0; column < columns && rank < rows.rows();) {
    Strip strip(rows, rank);
    for (; column < columns && !strip.full(); ++column) strip.look_for_pivot(column);
    strip.clear_below();
    rank += strip.size();
  }
  return rank;
}

// Returns each row with its own unit vector behind it. Elimination turns the unit vector into the set of rows that were
// added to the row. The unit vectors begin at a whole word.
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

  // Runs the elimination a second time to find the related rows, which is only needed if there is a leak.
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
