// The contexts of P2B: vectors of d features that are not negative, sum to 1 and have q decimals. The number of such
// vectors is C(10^q + d - 1, d - 1), because 10^q units are dealt to d places.
//
// A context of the grid is stored as d counts of units; a unit is 10^-q, and the counts sum to 10^q. On grids of at
// most Grid::most_ranked points, each point has a rank: the point's number in lexicographic order.
//
// Errors: d = 0 or above most_dimension, q outside 1..most_decimals, and features that are NaN or infinite are
// InputError; spans of the wrong size are std::invalid_argument.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace sotto::apps::p2b {

inline constexpr unsigned most_decimals = 6;
inline constexpr std::size_t most_dimension = 4096;

struct StateCount {
  std::string text;                    // all digits of the number
  double value = 0;                    // the number, rounded; infinite beyond 1e308
  std::optional<std::uint64_t> exact;  // the exact number, if it is below 2^63
};

// The number of points of the grid: C(10^q + d - 1, d - 1).
[[nodiscard]] StateCount states(unsigned decimals, std::size_t dimension);

// The number of units of a context: 10^q.
[[nodiscard]] std::uint32_t grid_units(unsigned decimals);

// Rounds a context to the grid. The context is scaled to sum 1 and rounded down. The units that are left over go to the
// features with the largest remainders, and among equal remainders to the first features. Negative features are treated
// as 0; a context of only zeros is replaced by equal features. Returns the number of negative features.
std::size_t to_counts(std::span<const double> context, unsigned decimals, std::span<std::uint32_t> counts);

class Grid {
 public:
  Grid(std::size_t dimension, unsigned decimals);

  [[nodiscard]] std::size_t dimension() const noexcept { return dimension_; }
  [[nodiscard]] unsigned decimals() const noexcept { return decimals_; }
  [[nodiscard]] std::uint32_t units() const noexcept { return units_; }
  [[nodiscard]] const StateCount& states() const noexcept { return states_; }

  // Ranks exist only if the grid has at most `most_ranked` points; otherwise rank() and all_counts() throw
  // std::invalid_argument.
  static constexpr std::uint64_t most_ranked = std::uint64_t{1} << 24;
  [[nodiscard]] bool ranked() const noexcept { return !ways_.empty(); }
  [[nodiscard]] std::uint64_t rank(std::span<const std::uint32_t> counts) const;
  // The counts of all points in the order of their ranks, states() x dimension().
  [[nodiscard]] std::vector<std::uint32_t> all_counts() const;

  // Draws a uniform point: d - 1 bars among 10^q stars.
  template <class D>
  void draw(D& draws, std::span<std::uint32_t> counts) const {
    // Draws d - 1 distinct places out of 10^q + d - 1 by Floyd's method, and keeps the places in increasing order.
    std::vector<std::uint64_t> bars;
    bars.reserve(dimension_);
    const std::uint64_t places = units_ + dimension_ - 1;
    for (std::uint64_t j = places - (dimension_ - 1); j < places; ++j) {
      insert_bar(bars, draws.below(j + 1), j);
    }
    counts_between(bars, counts);
  }

 private:
  static void insert_bar(std::vector<std::uint64_t>& bars, std::uint64_t place, std::uint64_t instead);
  void counts_between(std::span<const std::uint64_t> bars, std::span<std::uint32_t> counts) const;

  std::size_t dimension_;
  unsigned decimals_;
  std::uint32_t units_;
  StateCount states_;
  std::vector<std::uint64_t> ways_;  // (dimension + 1) x (units + 1), see grid.cc; empty if the points have no ranks
};

// A buffer for the numbers of one context. Small contexts stay on the stack, so that encoding allocates nothing.

template <class T>
class SmallBuffer {
 public:
  explicit SmallBuffer(std::size_t size) : heap_(size > stack_.size() ? size : 0), size_(size) {}

  [[nodiscard]] std::span<T> values() {
    return heap_.empty() ? std::span<T>(stack_).first(size_) : std::span<T>(heap_);
  }

 private:
  std::array<T, 64> stack_;
  std::vector<T> heap_;
  std::size_t size_;
};

}  // namespace sotto::apps::p2b
