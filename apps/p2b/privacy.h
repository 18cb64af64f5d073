// The differential privacy of P2B. A user reports a tuple with probability p. The shuffler releases the tuple's code
// only if at least l tuples of the batch have this code.
//
// epsilon (Malekzadeh et al. 2020, equation 3, from Gehrke et al. 2012): ln(p (2-p)/(1-p) e^ebar + (1-p)), where ebar
// is the epsilon of crowd-blending privacy. For codes ebar is 0, so epsilon is -ln(1-p).
//
// delta is exact, not asymptotic. Let m other users have the user's code. The released count of the code is T(N)
// without the user and T(N + B) with the user, with N ~ Bin(m, p), B ~ Bernoulli(p), and T(n) = n if n >= l, else 0.
// delta is the largest hockey-stick divergence between these two counts at epsilon = -ln(1-p), over all m. In the
// direction from T(N) to T(N + B), the divergence is 0 for every m. With n = m + 1 and P for the probabilities of
// Bin(n-1, p), the result is
//   delta = max over n, t >= l of p (P[= t-1] - P[>= t] / (1-p)).
// For each t, the best n is the first n at or above (t-1) / (p (2-p)).
//
// delta holds for an observer that sees T(n) of every code, and nothing else. The observer must not see how many
// reports came or how many were dropped, nor anything that depends on these numbers, such as which batch other reports
// are in. Suppose that an observer also learns the size of the batch, and that a user with a unique code reports. The
// observer then sees that the batch has one more report, so delta is p. Batches must therefore close by a public clock
// (BatchClock) or with a crowd that was fixed beforehand, and never because they are full.
//
// delta covers what the released codes reveal if one user is added or removed. delta does not cover the arm and the
// reward of a released tuple, which are not hidden; see docs/explain/p2b.md.
//
// A delta below the smallest normal double (2.2e-308) is rounded up to that double.
//
// InputError: p is outside (0, 1), or the threshold is 0 or above most_threshold.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace sotto::apps::p2b {

inline constexpr std::size_t most_threshold = 1'000'000;

[[nodiscard]] double report_epsilon(double p);

struct CrowdDelta {
  double delta = 0;
  std::uint64_t crowd = 0;  // m, the number of other users of the code in the worst case; at most 2^64 - 1
};

[[nodiscard]] CrowdDelta worst_crowd(double p, std::size_t threshold);
[[nodiscard]] double report_delta(double p, std::size_t threshold);

[[nodiscard]] std::string delta_text(double delta, int digits);

// Each function throws InputError, which names the flag, --p or --threshold.
void check_probability(double p);
void check_threshold(std::size_t threshold);

}  // namespace sotto::apps::p2b
