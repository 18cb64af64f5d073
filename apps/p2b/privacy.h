// The differential privacy of P2B. A user's tuple is reported with probability p. The tuple's code is released only if
// at least l tuples of the batch have this code.
//
// epsilon (Malekzadeh et al. 2020, equation 3, from Gehrke et al. 2012): ln(p (2-p)/(1-p) e^ebar + (1-p)), where ebar
// is the crowd's own epsilon. For codes ebar is 0, so epsilon is -ln(1-p).
//
// Delta is exact, not asymptotic. Delta is the largest hockey-stick divergence, at epsilon = -ln(1-p), between the
// distributions of the code's released count without the user and with the user. Delta is the maximum over all crowds
// of m other users of the same code. The released counts are T(N) and T(N + B), with N ~ Bin(m, p), B ~ Bernoulli(p),
// and T(n) = n if n >= l, else 0. In the direction from `without` to `with`, the divergence is 0 at epsilon = -ln(1-p)
// for every m. With P for the probabilities of Bin(n-1, p), the result is
//   delta = max over n, t >= l of p (P[= t-1] - P[>= t] / (1-p)).
// For each t, the best n is the first n at or above (t-1) / (p (2-p)).
//
// Delta holds for an observer that sees T(n) of every code, and nothing else. The observer must not see how many
// reports came or how many were dropped, nor anything that depends on these numbers, such as which batch other reports
// are in. An observer that also learns the size of the batch sees one more report if a user with a unique code reports:
// delta is then p. Batches must therefore close by a public clock (BatchClock) or with a crowd that was fixed
// beforehand, and never because they are full.
//
// Delta covers what the released codes reveal if one user is added or removed. Delta does not cover the arm and the
// reward of a released tuple, which are not hidden; see docs/explain/p2b.md.
//
// Delta is never 0: a value below the smallest normal double (2.2e-308) is rounded up to that double.
//
// p outside (0, 1), a threshold of 0 and a threshold above most_threshold are InputError.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace sotto::apps::p2b {

inline constexpr std::size_t most_threshold = 1'000'000;

[[nodiscard]] double report_epsilon(double p);

struct CrowdDelta {
  double delta = 0;
  std::uint64_t crowd = 0;  // m: the number of other users of the code in the worst case; at most 2^64 - 1
};

[[nodiscard]] CrowdDelta worst_crowd(double p, std::size_t threshold);
[[nodiscard]] double report_delta(double p, std::size_t threshold);

// Formats delta as "0.00757", or as "< 1e-300" if delta is below 1e-300.
[[nodiscard]] std::string delta_text(double delta, int digits);

// check_probability() and check_threshold() throw an InputError that names the flag, --p or --threshold.
void check_probability(double p);
void check_threshold(std::size_t threshold);

}  // namespace sotto::apps::p2b
