// The contexts of P2B: vectors of d features that are not negative, sum to 1 and have q decimals. The number of these
// vectors is C(10^q + d - 1, d - 1).
//
// A context is stored as d counts of the unit 10^-q, which sum to 10^q. The rank of a context is its number in
// lexicographic order.
//
// InputError: d is 0 or above most_dimension, q is outside 1..most_decimals, or a feature is NaN or infinite.
// std::invalid_argument: a span has the wrong size.
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
  std::string text;
  double value = 0;                    // rounded; infinite above 1e308
  std::optional<std::uint64_t> exact;  // empty if the number is 2^63 or more
};

[[nodiscard]] StateCount states(unsigned decimals, std::size_t dimension);

// Returns 10^q.
[[nodiscard]] std::uint32_t grid_units(unsigned decimals);

// Scales the context to sum 1 and rounds it down. The remaining units go to the features with the largest remainders,
// and among equal remainders to the first features. Negative features count as 0, and a context of only zeros becomes
// uniform. Returns the number of negative features.
std::size_t to_counts(std::span<const double> context, unsigned decimals, std::span<std::uint32_t> counts);

class Grid {
 public:
  Grid(std::size_t dimension, unsigned decimals);

  [[nodiscard]] std::size_t dimension() const noexcept { return dimension_; }
  [[nodiscard]] unsigned decimals() const noexcept { return decimals_; }
  [[nodiscard]] std::uint32_t units() const noexcept { return units_; }
  [[nodiscard]] const StateCount& states() const noexcept { return states_; }

  // On a larger grid, rank() and all_counts() throw std::invalid_argument.
  static constexpr std::uint64_t most_ranked = std::uint64_t{1} << 24;
  [[nodiscard]] bool ranked() const noexcept { return !ways_.empty(); }
  [[nodiscard]] std::uint64_t rank(std::span<const std::uint32_t> counts) const;
  // Returns states() x dimension() counts, in the order of ranks.
  [[nodiscard]] std::vector<std::uint32_t> all_counts() const;

  template <class D>
  void draw(D& draws, std::span<std::uint32_t> counts) const {
    // Draws d - 1 distinct places out of 10^q + d - 1 by Floyd's method.
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
  std::vector<std::uint64_t> ways_;
};

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
