#include "apps/p2b/privacy.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/error/errors.h"

namespace sotto::apps {
namespace {

// log of the probability that Bin(n, p) is y. A sum over y, so that a huge n costs no precision.
long double log_binomial(long double n, std::uint64_t y, long double p) {
  long double sum = static_cast<long double>(y) * std::log(p) +
                    (n - static_cast<long double>(y)) * std::log1p(-p);
  for (std::uint64_t i = 0; i < y; ++i) {
    sum += std::log((n - static_cast<long double>(i)) / static_cast<long double>(i + 1));
  }
  return sum;
}

// P[= t-1] - P[>= t] / (1-p) of Bin(n-1, p), t <= n.
long double excess(long double n, std::uint64_t t, long double p) {
  const long double others = n - 1;
  const long double at = std::exp(log_binomial(others, t - 1, p));
  long double tail = 0;
  long double term = at;
  for (auto y = static_cast<long double>(t); y <= others; ++y) {
    term *= (others - y + 1) / y * p / (1 - p);
    tail += term;
    if (term < tail * 1e-22L) break;
  }
  return at - tail / (1 - p);
}

// Relative entropy of two coins, q in (0, 1].
long double divergence(long double q, long double p) {
  const long double first = q * std::log(q / p);
  return q < 1 ? first + (1 - q) * std::log((1 - q) / (1 - p)) : first;
}

}  // namespace

void check_probability(double p) {
  if (p > 0 && p < 1) return;
  throw InputError("--p",
                   fmt::format("{} is not between 0 and 1: it is the probability with which a "
                               "user reports, 0.5 in the paper",
                               p));
}

void check_threshold(std::size_t threshold) {
  if (threshold > 0) return;
  throw InputError("--threshold", "0 would release every code: 1 at least, 10 in the paper");
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
  CrowdDelta worst;
  long double best = 0;
  for (std::uint64_t t = threshold;; ++t) {
    // No crowd does better with this t or a larger one, by Chernoff's bound of P[= t-1]: t-1 is the share
    // p (2-p) of n-1 at least, and n is (t-1) / (p (2-p)) at least.
    const auto below = static_cast<long double>(t - 1);
    const long double others = std::max(below, below / share - 1);
    if (t > threshold && std::exp(-others * divergence(share, p)) <= best) break;
    const long double first = std::max(std::ceil(below / share), below + 1);
    // The division may have rounded to the wrong side of a whole number.
    for (const long double n : {first - 1, first, first + 1}) {
      if (n < below + 1) continue;
      const long double here = excess(n, t, p);
      if (here > best) {
        best = here;
        worst.crowd = static_cast<std::uint64_t>(n) - 1;
      }
    }
  }
  worst.delta = static_cast<double>(best * p);
  return worst;
}

double report_delta(double p, std::size_t threshold) { return worst_crowd(p, threshold).delta; }

}  // namespace sotto::apps
