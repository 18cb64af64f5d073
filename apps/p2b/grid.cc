#include "apps/p2b/grid.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/multiprecision/cpp_int.hpp>
#include <cmath>
#include <cstdlib>
#include <numeric>
#include <stdexcept>

#include "core/text/count.h"
#include "sotto/protocol/error/errors.h"

namespace sotto::apps::p2b {
namespace {

void check_grid(unsigned decimals, std::size_t dimension) {
  if (decimals < 1 || decimals > most_decimals) {
    throw InputError("--decimals", fmt::format("{} is not within 1..{}: choose how many decimals contexts keep",
                                               decimals, most_decimals));
  }
  if (dimension < 1 || dimension > most_dimension) {
    throw InputError("--dimension",
                     fmt::format("{} where 1..{} are possible", counted(dimension, "feature"), most_dimension));
  }
}

std::size_t check_features(std::span<const double> context) {
  std::size_t negative = 0;
  for (std::size_t i = 0; i < context.size(); ++i) {
    if (!std::isfinite(context[i])) {
      throw InputError("context", fmt::format("feature {} is no finite number", i));
    }
    negative += context[i] < 0 ? 1 : 0;
  }
  return negative;
}

// Returns `power` times the sum of all features above 0. Sets `power` to a power of two for which the result and its
// inverse do not overflow.
double sum_of(std::span<const double> context, double& power) {
  const auto sum_times = [&](double factor) {
    double sum = 0;
    for (const double feature : context) sum += std::max(feature, 0.0) * factor;
    return sum;
  };
  power = 1;
  double sum = sum_times(power);
  if (std::isinf(sum)) {
    sum = sum_times(power = 0x1p-200);
  } else if (sum < 0x1p-900) {
    sum = sum_times(power = 0x1p200);
  }
  return sum;
}

void deal_the_rest(std::span<const double> remainders, std::uint32_t rest, std::span<std::uint32_t> counts) {
  if (counts.size() <= 64) {
    std::uint64_t given = 0;
    for (; rest > 0; --rest) {
      std::size_t best = 0;
      double most = -1;
      for (std::size_t i = 0; i < counts.size(); ++i) {
        if ((given >> i & 1U) == 0 && remainders[i] > most) {
          most = remainders[i];
          best = i;
        }
      }
      given |= std::uint64_t{1} << best;
      ++counts[best];
    }
    return;
  }
  std::vector<std::size_t> order(counts.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return remainders[a] > remainders[b]; });
  for (std::size_t i = 0; i < rest; ++i) ++counts[order[i]];
}

}  // namespace

StateCount states(unsigned decimals, std::size_t dimension) {
  check_grid(decimals, dimension);
  const std::uint64_t units = grid_units(decimals);
  const std::uint64_t total = units + dimension - 1;
  const std::uint64_t chosen = std::min<std::uint64_t>(units, dimension - 1);
  boost::multiprecision::cpp_int count = 1;
  for (std::uint64_t i = 1; i <= chosen; ++i) count = count * (total - i + 1) / i;  // exact: C(total, i)
  StateCount result;
  result.text = count.str();
  result.value = std::strtod(result.text.c_str(), nullptr);
  if (result.value < 0x1p63) result.exact = static_cast<std::uint64_t>(count);
  return result;
}

std::uint32_t grid_units(unsigned decimals) {
  std::uint32_t units = 1;
  for (unsigned i = 0; i < decimals; ++i) units *= 10;
  return units;
}

std::size_t to_counts(std::span<const double> context, unsigned decimals, std::span<std::uint32_t> counts) {
  if (context.size() != counts.size() || context.empty()) {
    throw std::invalid_argument("to_counts: one count a feature, and at least one");
  }
  const std::size_t negative = check_features(context);
  double power = 1;
  const double sum = sum_of(context, power);
  const std::uint32_t units = grid_units(decimals);
  SmallBuffer<double> buffer(context.size());
  const std::span<double> remainders = buffer.values();
  std::uint64_t dealt = 0;
  const double scale = sum > 0 ? units / sum : 0;
  for (std::size_t i = 0; i < context.size(); ++i) {
    const double exact = scale > 0 ? std::max(context[i], 0.0) * power * scale
                                   : static_cast<double>(units) / static_cast<double>(context.size());
    // For a context that is a point of the grid, rounding may make `exact` slightly smaller than the whole number.
    const double whole = std::floor(exact + 1e-9 * (exact + 1));
    counts[i] = static_cast<std::uint32_t>(whole);
    remainders[i] = exact - whole;
    dealt += counts[i];
  }
  if (dealt > units) throw InputError("context", "its features cannot be scaled to sum 1");
  deal_the_rest(remainders, static_cast<std::uint32_t>(units - dealt), counts);
  return negative;
}

Grid::Grid(std::size_t dimension, unsigned decimals)
    : dimension_(dimension),
      decimals_(decimals),
      units_(grid_units(std::min(decimals, most_decimals))),
      states_(sotto::apps::p2b::states(decimals, dimension)) {
  if (!states_.exact || *states_.exact > most_ranked) return;
  // ways_[p][n] is the number of ways to deal n units to the places from p on.
  const std::size_t row = std::size_t{units_} + 1;
  ways_.assign((dimension_ + 1) * row, 0);
  ways_[dimension_ * row] = 1;
  for (std::size_t p = dimension_; p-- > 0;) {
    for (std::size_t n = 0; n < row; ++n) {
      ways_[p * row + n] = ways_[(p + 1) * row + n] + (n > 0 ? ways_[p * row + n - 1] : 0);
    }
  }
}

std::uint64_t Grid::rank(std::span<const std::uint32_t> counts) const {
  if (!ranked() || counts.size() != dimension_) {
    throw std::invalid_argument("Grid::rank: the grid is too large, or the counts do not fit");
  }
  const std::size_t row = std::size_t{units_} + 1;
  std::uint64_t rank = 0;
  std::size_t left = units_;
  for (std::size_t p = 0; p < dimension_; ++p) {
    if (counts[p] > left) throw std::invalid_argument("Grid::rank: counts sum to more than 10^q");
    // Points with equal counts before place p are ordered by their count in place p. This line adds the number of
    // points whose count in place p is smaller.
    rank += ways_[p * row + left] - ways_[p * row + left - counts[p]];
    left -= counts[p];
  }
  if (left != 0) throw std::invalid_argument("Grid::rank: counts sum to less than 10^q");
  return rank;
}

std::vector<std::uint32_t> Grid::all_counts() const {
  if (!ranked()) throw std::invalid_argument("Grid::all_counts: the grid is too large");
  std::vector<std::uint32_t> all;
  all.reserve(*states_.exact * dimension_);
  std::vector<std::uint32_t> counts(dimension_, 0);
  counts.back() = units_;
  for (;;) {
    all.insert(all.end(), counts.begin(), counts.end());
    std::size_t p = dimension_ - 1;
    while (counts[p] == 0) --p;
    if (p == 0) return all;
    const std::uint32_t moved = counts[p];
    counts[p] = 0;
    ++counts[p - 1];
    counts.back() = moved - 1;
  }
}

void Grid::insert_bar(std::vector<std::uint64_t>& bars, std::uint64_t place, std::uint64_t instead) {
  auto at = std::lower_bound(bars.begin(), bars.end(), place);
  // If the place was drawn before, Floyd's method adds the newest place instead, which is the largest.
  if (at != bars.end() && *at == place) {
    bars.push_back(instead);
    return;
  }
  bars.insert(at, place);
}

void Grid::counts_between(std::span<const std::uint64_t> bars, std::span<std::uint32_t> counts) const {
  if (counts.size() != dimension_) throw std::invalid_argument("Grid: one count a feature");
  std::uint64_t from = 0;
  for (std::size_t p = 0; p < bars.size(); ++p) {
    counts[p] = static_cast<std::uint32_t>(bars[p] - from);
    from = bars[p] + 1;
  }
  counts[dimension_ - 1] = static_cast<std::uint32_t>(units_ + dimension_ - 1 - from);
}

}  // namespace sotto::apps::p2b
