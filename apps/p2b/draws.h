// The source of randomness in P2B: below(n) is uniform in [0, n). Experiments use seeded draws, which give no privacy.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

namespace sotto::apps::p2b {

template <class T>
concept Draws = requires(T& draws, std::uint64_t n) {
  { draws.below(n) } -> std::convertible_to<std::uint64_t>;
};

// Returns true with probability p, which is rounded to a multiple of 2^-53.
template <Draws D>
[[nodiscard]] bool draw_chance(double p, D& draws) {
  return static_cast<double>(draws.below(std::uint64_t{1} << 53)) < p * 0x1p53;
}

template <class T, Draws D>
void draw_order(std::span<T> values, D& draws) {
  for (std::size_t i = values.size(); i > 1; --i) {
    std::swap(values[i - 1], values[static_cast<std::size_t>(draws.below(i))]);
  }
}

inline constexpr double tie_tolerance = 1e-9;

// Returns the index of the largest score. If several scores are within tie_tolerance of the largest score, draws one of
// them uniformly. There must be at least one score.
template <Draws D>
[[nodiscard]] std::size_t draw_best(std::span<const double> scores, D& draws) {
  double best = scores[0];
  for (const double score : scores) best = score > best ? score : best;
  const double enough = best - tie_tolerance;
  std::size_t ties = 0;
  std::size_t last = 0;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const bool tied = scores[i] >= enough;
    ties += tied ? 1 : 0;
    last = tied ? i : last;
  }
  if (ties <= 1) return last;
  std::uint64_t wanted = draws.below(ties);
  for (std::size_t i = 0;; ++i) {
    if (scores[i] >= enough && wanted-- == 0) return i;
  }
}

}  // namespace sotto::apps::p2b
