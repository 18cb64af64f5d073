// The differential privacy of P2B: a user whose tuple is reported with probability p, and whose code is released only
// where at least l tuples of the batch have it.
//
// epsilon (Malekzadeh et al. 2020, equation 3, from Gehrke et al. 2012): ln(p (2-p)/(1-p) e^ebar + (1-p)), where ebar
// is the crowd's own epsilon, 0 for codes: then it is -ln(1-p).
//
// delta is exact, not asymptotic: the largest hockey-stick divergence at that epsilon, over all crowds of m other users
// of the same code, between the released counts of the code without and with the user: T(N) and T(N + B), N ~ Bin(m,
// p), B ~ Bernoulli(p), T(n) = n where n >= l, else 0. The direction from without to with is 0 at this epsilon for
// every m. So, with P of Bin(n-1, p),
//   delta = max over n, t >= l of p (P[= t-1] - P[>= t] / (1-p)),
// and for each t the best n is the first at or beyond (t-1) / (p (2-p)).
//
// What is seen is T(n) of every code, and nothing else: not how many reports came, nor how many were dropped, nor
// anything that follows from these, such as which batch other reports fell into. To whoever learns the size of the
// batch as well, a user with a code of its own is one more: delta is p. Batches must therefore close by a public clock
// (BatchClock), or with a crowd that was fixed beforehand, and never when they are full.
//
// It covers the codes that are released, adding or removing one user. It does not cover arm and reward of a released
// tuple, which are not hidden; see docs/p2b.md.
//
// It is never 0: where it is below the smallest normal double (2.2e-308), that stands for it, from above.
//
// p outside (0, 1), a threshold of 0 and one above most_threshold are InputError.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace sotto::apps::p2b {

inline constexpr std::size_t most_threshold = 1'000'000;

[[nodiscard]] double report_epsilon(double p);

struct CrowdDelta {
  double delta = 0;
  std::uint64_t crowd = 0;  // m, the others of the code in the worst case; 2^64 - 1 for all above
};

[[nodiscard]] CrowdDelta worst_crowd(double p, std::size_t threshold);
[[nodiscard]] double report_delta(double p, std::size_t threshold);

// "0.00757", or "< 1e-300" where it is smaller than that.
[[nodiscard]] std::string delta_text(double delta, int digits);

// Throws InputError: --p and --threshold as the flags are called.
void check_probability(double p);
void check_threshold(std::size_t threshold);

}  // namespace sotto::apps::p2b
