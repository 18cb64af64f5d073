// A privacy budget (epsilon, delta) for a number of releases that is fixed in advance. The budget refuses every release
// that would exceed epsilon or delta.
//
// There are three ways to account for releases of `coordinates` numbers each:
//   zcdp    One account over all coordinates of all releases.
//           This composition is the default, and the best one except for very few numbers.
//   basic   The sum of the epsilons of pure mechanisms, with a delta of 0.
//           Basic composition is better than zcdp for a handful of numbers.
//   nested  Advanced composition of the coordinates of a release, and then of the releases, as in
//           Huang et al. 2023. The outer composition gets half of delta, and the inner compositions share the other
//           half equally. Nested composition is included to show its cost, which is about ten times the noise.
//           With one coordinate there is no inner composition, and with one release no outer composition.
//
// Budgets throw InputError for an epsilon that is not above 0 or is above largest_epsilon, and for a delta outside
// (0, 1). The error names --eps or --delta. Zero releases or zero coordinates cause std::invalid_argument.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace sotto::apps {

enum class Composition : std::uint8_t { zcdp, nested, basic };

[[nodiscard]] std::string_view name_of(Composition composition);
// Parses "zcdp", "nested" or "basic". For any other text throws an InputError that begins with `where`.
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

// The largest epsilon of a budget. A larger epsilon gives no meaningful privacy, and the result of share() would no
// longer be a usable number.
inline constexpr double largest_epsilon = 1e6;

// The delta that the budget promises: 0 for basic composition, otherwise `delta`.
[[nodiscard]] double promised_delta(Composition composition, double delta);

// Throws InputError unless 0 < epsilon <= largest_epsilon and 0 < delta < 1.
void check_privacy(double epsilon, double delta);

class Budget {
 public:
  explicit Budget(const BudgetTerms& terms);

  // The share of each planned release: an equal part of the whole.
  [[nodiscard]] const ReleaseShare& share() const { return share_; }

  // Spends the cost of a release; call spend() before the release. If all releases together would exceed the budget,
  // throws InputError and spends nothing. With zcdp the cost may be any rho. With nested and basic the cost must be
  // share().
  void spend(const ReleaseShare& cost);
  void spend() { spend(share_); }

  // All releases so far are together (epsilon_spent(), delta_spent())-DP.
  [[nodiscard]] double epsilon_spent() const;
  [[nodiscard]] double delta_spent() const;
  [[nodiscard]] double rho_spent() const { return rho_spent_; }  // 0 unless the composition is zcdp
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
// Zero-concentrated differential privacy (zCDP; Bun, Steinke 2016): the costs rho of mechanisms add up, whether or not
// the mechanisms are chosen adaptively. Gaussian noise of sensitivity s and standard deviation sd costs s^2 / (2 sd^2).
// Discrete Gaussian noise costs the same (Canonne, Kamath, Steinke 2020, theorem 4). A mechanism that is epsilon-DP
// costs epsilon^2 / 2. A mechanism of epsilon-bounded range, such as an exponential mechanism, costs epsilon^2 / 8
// (Cesar, Rogers 2021, lemma 3.4).
//
// The conversion to (epsilon, delta) is corollary 13 of Canonne, Kamath, Steinke 2020:
//   delta = min over alpha > 1 of exp((alpha-1)(alpha rho - epsilon)) (1 - 1/alpha)^alpha / (alpha-1).
// The delta of corollary 13 is always smaller than the bound exp(-(epsilon - rho)^2 / (4 rho)) of Bun and Steinke.
// Every alpha gives a valid bound, so an inexact minimum is never an underestimate.
//
// Advanced composition is computed as in the ROBIN paper (Dwork, Roth 2014, theorem 3.20; lemma G.1 of Huang et al.
// 2023).
//
// Results that limit a mechanism are rounded to the safe side. The functions throw std::invalid_argument for an epsilon
// or rho that is below 0 or not finite, for a delta outside (0, 1), and for a count of 0.

// The smallest delta for which rho-zCDP gives (epsilon, delta)-DP by corollary 13; at most 1.
[[nodiscard]] double delta_of(double rho, double epsilon);
// The smallest epsilon for which rho-zCDP gives (epsilon, delta)-DP by corollary 13.
[[nodiscard]] double epsilon_of(double rho, double delta);
// The largest rho for which epsilon_of(rho, delta) is at most epsilon.
[[nodiscard]] double rho_of(double epsilon, double delta);

// `count` mechanisms, each epsilon-DP, are together (result, delta)-DP: sqrt(2 count ln(1/delta)) epsilon + count
// epsilon (e^epsilon - 1). If each of the mechanisms is (epsilon, d)-DP, all of them together are (result, count d +
// delta)-DP.
[[nodiscard]] double advanced_composition(double epsilon, std::uint64_t count, double delta);
// The largest epsilon that each of `count` mechanisms may have if all of them together must be (total, delta)-DP.
[[nodiscard]] double advanced_share(double total, std::uint64_t count, double delta);

}  // namespace sotto::apps
