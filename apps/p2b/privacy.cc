#include "apps/p2b/privacy.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "sotto/protocol/error/errors.h"

namespace sotto::apps::p2b {
namespace {

constexpr long double pi = 3.14159265358979323846264338327950288L;
constexpr long double nothing = -std::numeric_limits<long double>::infinity();
constexpr double least_delta = std::numeric_limits<double>::min();
constexpr double least_printed = 1e-300;
constexpr std::uint64_t most_summed = 1'000;

// Returns the logarithm of n! / (sqrt(2 pi n) (n/e)^n), for a whole number n >= 1.
long double stirling_error(long double n) {
  if (n < 32) {
    long double log_factorial = 0;
    for (long double i = 2; i <= n; ++i) log_factorial += std::log(i);
    return log_factorial - (n + 0.5L) * std::log(n) + n - 0.5L * std::log(2 * pi);
  }
  const long double m = 1 / (n * n);
  return (1 / 12.0L - m * (1 / 360.0L - m * (1 / 1260.0L - m * (1 / 1680.0L - m * (1 / 1188.0L))))) / n;
}

// Returns x log(x / mean) + mean - x, where `beyond` is x - mean. If x and mean are close, this function uses a series.
long double deviance(long double x, long double mean, long double beyond) {
  if (std::abs(beyond) >= 0.1L * (x + mean)) return x * std::log(x / mean) - beyond;
  const long double v = beyond / (x + mean);
  long double sum = beyond * v;
  long double power = 2 * x * v;
  for (long double odd = 3;; odd += 2) {
    power *= v * v;
    const long double next = sum + power / odd;
    if (next == sum) return sum;
    sum = next;
  }
}

// Returns the logarithm of the probability that Bin(n, p) is y. For small y this function adds y logarithms, and for
// large y it uses Loader's saddle-point expansion (2000).
long double log_binomial(long double n, std::uint64_t count, long double p) {
  const auto y = static_cast<long double>(count);
  if (y >= n) return y * std::log(p);
  if (count > most_summed) {
    const long double beyond = y - n * p;
    return stirling_error(n) - stirling_error(y) - stirling_error(n - y) - deviance(y, n * p, beyond) -
           deviance(n - y, n * (1 - p), -beyond) + 0.5L * std::log(n / (2 * pi * y * (n - y)));
  }
  long double sum = y * std::log(p) + (n - y) * std::log1p(-p);
  for (std::uint64_t i = 0; i < count; ++i) {
    sum += std::log((n - static_cast<long double>(i)) / static_cast<long double>(i + 1));
  }
  return sum;
}

// Returns the logarithm of P[= t-1] - P[>= t] / (1-p) for Bin(n-1, p), with t <= n. If the difference is not above 0,
// returns the constant `nothing`.
long double log_excess(long double n, std::uint64_t t, long double p) {
  const long double others = n - 1;
  long double tail = 0;  // P[>= t] divided by P[= t-1]
  long double term = 1;
  for (auto y = static_cast<long double>(t); y <= others; ++y) {
    term *= (others - y + 1) / y * p / (1 - p);
    tail += term;
    if (term < tail * 1e-22L) break;
  }
  const long double left = 1 - tail / (1 - p);
  return left > 0 ? log_binomial(others, t - 1, p) + std::log(left) : nothing;
}

// Returns the relative entropy of two coins that show heads with probability p (2-p) and p.
long double divergence(long double p) { return p * (2 - p) * std::log(2 - p) + (1 - p) * (1 - p) * std::log1p(-p); }

std::uint64_t whole(long double count) {
  constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  return count < static_cast<long double>(most) ? static_cast<std::uint64_t>(count) : most;
}

}  // namespace

void check_probability(double p) {
  if (p > 0 && p < 1) return;
  throw InputError(
      "--p",
      fmt::format("{} is not between 0 and 1: it is the probability with which a user reports, 0.5 in the paper", p));
}

void check_threshold(std::size_t threshold) {
  if (threshold == 0) {
    throw InputError("--threshold", "0 would release every code: 1 at least, 10 in the paper");
  }
  if (threshold > most_threshold) {
    throw InputError("--threshold",
                     fmt::format("{} is too large: {} at most, 10 in the paper", threshold, most_threshold));
  }
}

double report_epsilon(double p) {
  check_probability(p);
  return -std::log1p(-p);
}

CrowdDelta worst_crowd(double probability, std::size_t threshold) {
  check_probability(probability);
  check_threshold(threshold);
  const long double p = probability;
  const long double share = p * (2 - p);
  const long double exponent = divergence(p);
  CrowdDelta worst;
  long double best = nothing;  // a logarithm, because at large thresholds the best value is below any double
  for (std::uint64_t t = threshold;; ++t) {
    // Because of Chernoff's bound on P[= t-1], no n gives a larger value with this t or a larger t, so the search ends.
    // The bound holds because t-1 >= p (2-p) (n-1) and n >= (t-1) / (p (2-p)).
    const auto below = static_cast<long double>(t - 1);
    const long double others = std::max(below, below / share - 1);
    if (t > threshold && -others * exponent <= best) break;
    const long double first = std::max(std::ceil(below / share), below + 1);
    // The division may round to the wrong side of a whole number.
    for (const long double n : {first - 1, first, first + 1}) {
      if (n < below + 1) continue;
      const long double here = log_excess(n, t, p);
      if (here > best) {
        best = here;
        worst.crowd = whole(n - 1);
      }
    }
  }
  worst.delta = std::max(static_cast<double>(std::exp(best) * p), least_delta);
  return worst;
}

double report_delta(double p, std::size_t threshold) { return worst_crowd(p, threshold).delta; }

std::string delta_text(double delta, int digits) {
  if (delta < least_printed) return "< 1e-300";
  return fmt::format("{:.{}g}", delta, digits);
}

}  // namespace sotto::apps::p2b
