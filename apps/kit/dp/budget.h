// A privacy budget (epsilon, delta) for a number of releases that is fixed in advance, and the guard that nothing is
// released beyond it.
//
// Three ways to account, for releases of `coordinates` numbers each:
//   zcdp    one account over all coordinates of all releases. The default, and the best but for
//           very few numbers;
//   basic   epsilons of pure mechanisms added up. Delta is not used, and 0. Better than zcdp for a
//           handful of numbers;
//   nested  advanced composition of the coordinates of a release, and once more of the releases, as
//           in Huang et al. 2023: half of delta for the outer composition, the other half in equal parts for the inner
//           ones. It is here to show what it costs: about ten times the noise. (Where there is one coordinate or one
//           release, that composition is left out.)
//
// Errors: epsilon not above 0 or above largest_epsilon, delta outside (0, 1) are InputError (--eps, --delta); no
// release or no coordinate std::invalid_argument.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace sotto::apps {

enum class Composition : std::uint8_t { zcdp, nested, basic };

[[nodiscard]] std::string_view name_of(Composition composition);
// "zcdp", "nested", "basic"; InputError that begins with `where` otherwise.
[[nodiscard]] Composition parse_composition(std::string_view text, std::string_view where);

// What one release may cost.
struct ReleaseShare {
  Composition composition = Composition::zcdp;
  double rho = 0;      // zcdp: of the whole release
  double epsilon = 0;  // nested, basic: of each coordinate, pure
};

struct BudgetTerms {
  double epsilon = 1;
  double delta = 1e-5;
  Composition composition = Composition::zcdp;
  std::size_t releases = 1;     // at most so many
  std::size_t coordinates = 1;  // numbers a release: padded, as they are released
};

// Beyond it nobody could mean a promise, and shares are no longer numbers that can be computed with.
inline constexpr double largest_epsilon = 1e6;

// Of the promise: basic composition needs none.
[[nodiscard]] double promised_delta(Composition composition, double delta);

// Throws InputError unless 0 < epsilon <= largest_epsilon and 0 < delta < 1.
void check_privacy(double epsilon, double delta);

class Budget {
 public:
  explicit Budget(const BudgetTerms& terms);

  // An equal part of the whole for each of the planned releases.
  [[nodiscard]] const ReleaseShare& share() const { return share_; }

  // Called before a release of that cost. Throws InputError, and spends nothing, if all releases together would exceed
  // the budget. With zcdp the cost may be any rho; otherwise it is share().
  void spend(const ReleaseShare& cost);
  void spend() { spend(share_); }

  // What has been released so far is (epsilon_spent(), delta_spent())-DP.
  [[nodiscard]] double epsilon_spent() const;
  [[nodiscard]] double delta_spent() const;
  [[nodiscard]] double rho_spent() const { return rho_spent_; }  // 0 unless zcdp
  [[nodiscard]] std::size_t releases() const { return releases_; }
  [[nodiscard]] const BudgetTerms& terms() const { return terms_; }

 private:
  BudgetTerms terms_;
  double rho_ = 0;  // of the whole, with zcdp
  ReleaseShare share_;
  double rho_spent_ = 0;
  std::size_t releases_ = 0;
};

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
