// A privacy budget (epsilon, delta) for a number of releases that is fixed in advance. The budget ensures that nothing
// is released beyond it.
//
// There are three ways to account for releases of `coordinates` numbers each:
//   zcdp    one account over all coordinates of all releases. It is the default, and the best one
//           except for very few numbers;
//   basic   adds up the epsilons of pure mechanisms. Delta is not used, and 0. It is better than zcdp
//           for a handful of numbers;
//   nested  advanced composition of the coordinates of a release, and then of the releases, as in
//           Huang et al. 2023. The outer composition gets half of delta, and the inner compositions share the other
//           half equally. It is included to show its cost: about ten times the noise. (With one coordinate or one
//           release, that composition is left out.)
//
// Errors: an epsilon that is not above 0 or is above largest_epsilon, and a delta outside (0, 1), are InputError
// (--eps, --delta). No release or no coordinate is std::invalid_argument.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace sotto::apps {

enum class Composition : std::uint8_t { zcdp, nested, basic };

[[nodiscard]] std::string_view name_of(Composition composition);
// Reads "zcdp", "nested" or "basic". Throws InputError that begins with `where` for any other text.
[[nodiscard]] Composition parse_composition(std::string_view text, std::string_view where);

// The maximum cost of one release.
struct ReleaseShare {
  Composition composition = Composition::zcdp;
  double rho = 0;      // with zcdp: rho of the whole release
  double epsilon = 0;  // with nested and basic: pure epsilon of each coordinate
};

struct BudgetTerms {
  double epsilon = 1;
  double delta = 1e-5;
  Composition composition = Composition::zcdp;
  std::size_t releases = 1;     // maximum number of releases
  std::size_t coordinates = 1;  // numbers per release, padding included, as released
};

// Above this epsilon there is no meaningful promise, and shares are no longer usable numbers.
inline constexpr double largest_epsilon = 1e6;

// The delta of the promise. Basic composition needs none.
[[nodiscard]] double promised_delta(Composition composition, double delta);

// Throws InputError unless 0 < epsilon <= largest_epsilon and 0 < delta < 1.
void check_privacy(double epsilon, double delta);

class Budget {
 public:
  explicit Budget(const BudgetTerms& terms);

  // The share of each planned release: an equal part of the whole.
  [[nodiscard]] const ReleaseShare& share() const { return share_; }

  // Call before a release with that cost. If all releases together would exceed the budget, throws InputError and
  // spends nothing. With zcdp the cost may be any rho. With the other compositions the cost must be share().
  void spend(const ReleaseShare& cost);
  void spend() { spend(share_); }

  // All releases so far together are (epsilon_spent(), delta_spent())-DP.
  [[nodiscard]] double epsilon_spent() const;
  [[nodiscard]] double delta_spent() const;
  [[nodiscard]] double rho_spent() const { return rho_spent_; }  // 0 for other compositions than zcdp
  [[nodiscard]] std::size_t releases() const { return releases_; }
  [[nodiscard]] const BudgetTerms& terms() const { return terms_; }

 private:
  BudgetTerms terms_;
  double rho_ = 0;  // with zcdp: rho of the whole budget
  ReleaseShare share_;
  double rho_spent_ = 0;
  std::size_t releases_ = 0;
};

// The costs of releases: conversions between (epsilon, delta) and the parameters of mechanisms.
//
// Zero-concentrated differential privacy (zCDP; Bun, Steinke 2016): costs rho add up over mechanisms, whether or not
// they are chosen adaptively. Gaussian noise of sensitivity s and standard deviation sd costs s^2 / (2 sd^2). Discrete
// Gaussian noise costs the same (Canonne, Kamath, Steinke 2020, theorem 4). A mechanism that is epsilon-DP costs
// epsilon^2 / 2. A mechanism of epsilon-bounded range, such as an exponential mechanism, costs epsilon^2 / 8 (Cesar,
// Rogers 2021, lemma 3.4).
//
// The conversion to (epsilon, delta) is corollary 13 of Canonne, Kamath, Steinke 2020:
//   delta = min over alpha > 1 of exp((alpha-1)(alpha rho - epsilon)) (1 - 1/alpha)^alpha / (alpha-1).
// This delta is always smaller than exp(-(epsilon - rho)^2 / (4 rho)) of Bun and Steinke. Every alpha gives a valid
// bound, so an inexact minimum is never an underestimate.
//
// Advanced composition is the one of the ROBIN paper (Dwork, Roth 2014, theorem 3.20; lemma G.1 of Huang et al. 2023).
//
// Results that limit a mechanism are rounded to the safe side. Errors: an epsilon or rho that is below 0 or not finite,
// a delta outside (0, 1), and a count of 0 are std::invalid_argument.

// The smallest delta for which rho-zCDP gives (epsilon, delta)-DP, by the formula above; at most 1.
[[nodiscard]] double delta_of(double rho, double epsilon);
// The smallest epsilon for which rho-zCDP gives (epsilon, delta)-DP, by the same formula.
[[nodiscard]] double epsilon_of(double rho, double delta);
// The largest rho whose epsilon_of is at most epsilon.
[[nodiscard]] double rho_of(double epsilon, double delta);

// `count` mechanisms, each epsilon-DP, are together (result, delta)-DP: sqrt(2 count ln(1/delta)) epsilon + count
// epsilon (e^epsilon - 1). If each mechanism is (epsilon, d)-DP, they are together (result, count d + delta)-DP.
[[nodiscard]] double advanced_composition(double epsilon, std::uint64_t count, double delta);
// The largest epsilon of each of `count` mechanisms that must be (total, delta)-DP together.
[[nodiscard]] double advanced_share(double total, std::uint64_t count, double delta);

}  // namespace sotto::apps
