// A privacy budget (epsilon, delta) for a fixed number of releases. The budget refuses every release that would exceed
// epsilon or delta.
//
// There are three ways to account for releases of `coordinates` numbers each:
//   zcdp    Zero-concentrated differential privacy over all coordinates of all releases. The default.
//   basic   The sum of the epsilons of pure mechanisms, with a delta of 0. For a few numbers, basic needs less noise
//           than zcdp.
//   nested  Advanced composition of the coordinates of a release, and then of the releases, as in Huang et al. 2023.
//           The outer composition gets half of delta, and the inner compositions share the other half equally. With one
//           coordinate there is no inner composition, and with one release no outer composition. Nested composition
//           needs about ten times the noise of zcdp.
//
// Budgets throw an InputError that names --eps or --delta unless 0 < epsilon <= largest_epsilon and 0 < delta < 1. Zero
// releases or zero coordinates cause std::invalid_argument.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace sotto::apps {

enum class Composition : std::uint8_t { zcdp, nested, basic };

[[nodiscard]] std::string_view name_of(Composition composition);
// Throws an InputError that begins with `where` for any other text than "zcdp", "nested" or "basic".
[[nodiscard]] Composition parse_composition(std::string_view text, std::string_view where);

struct ReleaseShare {
  Composition composition = Composition::zcdp;
  double rho = 0;      // of the whole release
  double epsilon = 0;  // of each coordinate
};

struct BudgetTerms {
  double epsilon = 1;
  double delta = 1e-5;
  Composition composition = Composition::zcdp;
  std::size_t releases = 1;
  std::size_t coordinates = 1;  // of one release, padding included
};

// A larger epsilon gives no meaningful privacy, and share() would not be a usable number.
inline constexpr double largest_epsilon = 1e6;

[[nodiscard]] double promised_delta(Composition composition, double delta);

void check_privacy(double epsilon, double delta);

class Budget {
 public:
  explicit Budget(const BudgetTerms& terms);

  [[nodiscard]] const ReleaseShare& share() const { return share_; }

  // To be called before each release. Throws InputError and spends nothing if the budget would be exceeded. With zcdp,
  // `cost` may be any rho. With nested and basic composition, `cost` must equal share().
  void spend(const ReleaseShare& cost);
  void spend() { spend(share_); }

  // All releases so far are together (epsilon_spent(), delta_spent())-DP.
  [[nodiscard]] double epsilon_spent() const;
  [[nodiscard]] double delta_spent() const;
  [[nodiscard]] double rho_spent() const { return rho_spent_; }
  [[nodiscard]] std::size_t releases() const { return releases_; }
  [[nodiscard]] const BudgetTerms& terms() const { return terms_; }

 private:
  BudgetTerms terms_;
  double rho_ = 0;  // of the whole budget
  ReleaseShare share_;
  double rho_spent_ = 0;
  std::size_t releases_ = 0;
};

// Conversions between (epsilon, delta) and the parameters of mechanisms.
//
// Zero-concentrated differential privacy (zCDP, Bun, Steinke 2016): the costs rho of mechanisms add up, even if the
// mechanisms are chosen adaptively. Gaussian noise of sensitivity s and standard deviation sd costs s^2 / (2 sd^2).
// Discrete Gaussian noise costs the same (Canonne, Kamath, Steinke 2020, theorem 4). A mechanism that is epsilon-DP
// costs epsilon^2 / 2. A mechanism of epsilon-bounded range, such as an exponential mechanism, costs epsilon^2 / 8
// (Cesar, Rogers 2021, lemma 3.4).
//
// The conversion to (epsilon, delta) is corollary 13 of Canonne, Kamath, Steinke 2020:
//   delta = min over alpha > 1 of exp((alpha-1)(alpha rho - epsilon)) (1 - 1/alpha)^alpha / (alpha-1).
// Every alpha gives a valid bound, so an inexact minimum is never an underestimate.
//
// advanced_composition() follows theorem 3.20 of Dwork, Roth 2014, like lemma G.1 of the ROBIN paper (Huang et al.
// 2023).
//
// Results that limit a mechanism are rounded to the safe side. The functions throw std::invalid_argument for an epsilon
// or rho that is below 0 or not finite, for a delta outside (0, 1), and for a count of 0.

// The smallest delta for which rho-zCDP gives (epsilon, delta)-DP by corollary 13; at most 1.
[[nodiscard]] double delta_of(double rho, double epsilon);
// The smallest epsilon for which rho-zCDP gives (epsilon, delta)-DP by corollary 13.
[[nodiscard]] double epsilon_of(double rho, double delta);
[[nodiscard]] double rho_of(double epsilon, double delta);

// `count` mechanisms that are each epsilon-DP are together (result, delta)-DP. The result is sqrt(2 count ln(1/delta))
// epsilon + count epsilon (e^epsilon - 1). If each of the mechanisms is (epsilon, d)-DP, all of them together are
// (result, count d + delta)-DP.
[[nodiscard]] double advanced_composition(double epsilon, std::uint64_t count, double delta);
// The largest epsilon that each of `count` mechanisms may have if all of them together must be (total, delta)-DP.
[[nodiscard]] double advanced_share(double total, std::uint64_t count, double delta);

}  // namespace sotto::apps
