// What releases cost: from (epsilon, delta) to the parameters of mechanisms and back.
//
// Zero-concentrated differential privacy (zCDP; Bun, Steinke 2016): costs rho add up over mechanisms, chosen adaptively
// or not. Gaussian noise of sensitivity s and standard deviation sd costs
// s^2 / (2 sd^2), discrete Gaussian noise the same (Canonne, Kamath, Steinke 2020, theorem 4); a mechanism that is
// epsilon-DP costs epsilon^2 / 2; one of epsilon-bounded range, such as an exponential mechanism, epsilon^2 / 8 (Cesar,
// Rogers 2021, lemma 3.4).
//
// The conversion to (epsilon, delta) is corollary 13 of Canonne, Kamath, Steinke 2020,
//   delta = min over alpha > 1 of exp((alpha-1)(alpha rho - epsilon)) (1 - 1/alpha)^alpha / (alpha-1),
// which is smaller than exp(-(epsilon - rho)^2 / (4 rho)) of Bun and Steinke throughout. Every alpha gives a valid
// bound, so an inexact minimum is never an underestimate.
//
// Beside it, advanced composition as the ROBIN paper uses it (Dwork, Roth 2014, theorem 3.20; lemma G.1 of Huang et al.
// 2023).
//
// Results that limit a mechanism are rounded to the safe side. Errors: epsilon or rho below 0 or not finite, delta
// outside (0, 1), a count of 0: std::invalid_argument.
#pragma once

#include <cstdint>

namespace sotto::apps {

// The smallest delta for which rho-zCDP gives (epsilon, delta)-DP, by the formula above; at most 1.
[[nodiscard]] double delta_of(double rho, double epsilon);
// The smallest epsilon for which rho-zCDP gives (epsilon, delta)-DP, by the same.
[[nodiscard]] double epsilon_of(double rho, double delta);
// The largest rho whose epsilon_of is at most epsilon.
[[nodiscard]] double rho_of(double epsilon, double delta);

// `count` mechanisms, each epsilon-DP, are together (this, delta)-DP:
// sqrt(2 count ln(1/delta)) epsilon + count epsilon (e^epsilon - 1). Each (epsilon, d)-DP: (this, count d + delta)-DP.
[[nodiscard]] double advanced_composition(double epsilon, std::uint64_t count, double delta);
// The largest epsilon of one of `count` mechanisms that are to be (total, delta)-DP together.
[[nodiscard]] double advanced_share(double total, std::uint64_t count, double delta);

}  // namespace sotto::apps
