#include "apps/kit/dp/budget.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "sotto/protocol/error/errors.h"

namespace sotto::apps {
namespace {

// Rounding errors must not make the planned releases exceed the budget.
constexpr double share_margin = 1 - 1e-12;

// With nested composition, the outer composition gets one half of delta, and all inner compositions together get the
// other half.
double half(double delta) { return delta / 2; }

bool composes_releases(const BudgetTerms& terms) { return terms.releases > 1; }
bool composes_coordinates(const BudgetTerms& terms) { return terms.coordinates > 1; }

double outer_delta(const BudgetTerms& terms) { return composes_coordinates(terms) ? half(terms.delta) : terms.delta; }

double inner_delta(const BudgetTerms& terms) {
  if (!composes_releases(terms)) return terms.delta;
  return half(terms.delta) / static_cast<double>(terms.releases);
}

double nested_epsilon(const BudgetTerms& terms) {
  const double release =
      composes_releases(terms) ? advanced_share(terms.epsilon, terms.releases, outer_delta(terms)) : terms.epsilon;
  return composes_coordinates(terms) ? advanced_share(release, terms.coordinates, inner_delta(terms)) : release;
}

// Returns the epsilon of the first `releases` releases. With a delta near 1, the composition bound of two releases is
// below the cost of a single release. A single release therefore costs the smaller of two numbers: its own epsilon, and
// the composition bound of one release. The spent epsilon then never falls from one release to the next.
double nested_spent(const BudgetTerms& terms, double epsilon, std::size_t releases) {
  if (releases == 0) return 0;
  const double release =
      composes_coordinates(terms) ? advanced_composition(epsilon, terms.coordinates, inner_delta(terms)) : epsilon;
  if (!composes_releases(terms)) return release;
  const double composed = advanced_composition(release, releases, outer_delta(terms));
  return releases == 1 ? std::min(release, composed) : composed;
}

constexpr int halvings = 200;
constexpr double to_the_safe_side = 1 - 1e-12;  // allows for the rounding errors in this file

void check_cost(double value) {
  if (!(value >= 0) || !std::isfinite(value)) {
    throw std::invalid_argument("a privacy cost must be finite and at least 0");
  }
}

void check_delta(double delta) {
  if (!(delta > 0 && delta < 1)) throw std::invalid_argument("delta must be between 0 and 1");
}

void check_count(std::uint64_t count) {
  if (count == 0) throw std::invalid_argument("composition of no mechanism");
}

template <class Predicate>
double largest(Predicate too_large, double upper) {
  while (!too_large(upper)) upper *= 2;
  double low = 0;
  for (int i = 0; i < halvings && low < upper; ++i) {
    const double middle = low + (upper - low) / 2;
    if (middle == low || middle == upper) break;
    (too_large(middle) ? upper : low) = middle;
  }
  return low;
}

// The bound is the expression of corollary 13 (budget.h), with alpha = 1 + a.
double log_bound(double rho, double epsilon, double a) {
  const double alpha = 1 + a;
  return a * (alpha * rho - epsilon) - alpha * std::log1p(1 / a) - std::log(a);
}

// The logarithm of the bound is convex in alpha. Its derivative is (2 alpha - 1) rho - epsilon + log(1 - 1/alpha),
// which rises from minus infinity. The bound is smallest where the derivative is 0.
double log_delta_of(double rho, double epsilon) {
  const double a =
      largest([&](double tried) { return (1 + 2 * tried) * rho - epsilon - std::log1p(1 / tried) > 0; }, 1);
  return std::min(0.0, log_bound(rho, epsilon, std::max(a, 1e-300)));
}

}  // namespace

std::string_view name_of(Composition composition) {
  switch (composition) {
    case Composition::zcdp:
      return "zcdp";
    case Composition::nested:
      return "nested";
    case Composition::basic:
      return "basic";
  }
  throw std::invalid_argument("no such composition");
}

Composition parse_composition(std::string_view text, std::string_view where) {
  for (const Composition known : {Composition::zcdp, Composition::nested, Composition::basic}) {
    if (text == name_of(known)) return known;
  }
  throw InputError(std::string(where), fmt::format("'{}' is none of \"zcdp\", \"nested\" and \"basic\"", text));
}

double promised_delta(Composition composition, double delta) { return composition == Composition::basic ? 0 : delta; }

void check_privacy(double epsilon, double delta) {
  if (!(epsilon > 0) || !std::isfinite(epsilon)) {
    throw InputError("--eps", fmt::format("{} is not a finite number above 0", epsilon));
  }
  if (epsilon > largest_epsilon) {
    throw InputError("--eps",
                     fmt::format("{:g} is above {:g}: no promise at all; 1 is a common one", epsilon, largest_epsilon));
  }
  if (!(delta > 0 && delta < 1)) {
    throw InputError("--delta", fmt::format("{} is not between 0 and 1, both excluded", delta));
  }
}

Budget::Budget(const BudgetTerms& terms) : terms_(terms) {
  check_privacy(terms.epsilon, terms.delta);
  if (terms.releases == 0 || terms.coordinates == 0) {
    throw std::invalid_argument("a budget of no release or no coordinate");
  }
  share_.composition = terms.composition;
  const auto releases = static_cast<double>(terms.releases);
  const auto coordinates = static_cast<double>(terms.coordinates);
  switch (terms.composition) {
    case Composition::zcdp:
      rho_ = rho_of(terms.epsilon, terms.delta);
      share_.rho = rho_ / releases * share_margin;
      break;
    case Composition::basic:
      share_.epsilon = terms.epsilon / (releases * coordinates) * share_margin;
      break;
    case Composition::nested:
      share_.epsilon = nested_epsilon(terms);
      break;
  }
}

void Budget::spend(const ReleaseShare& cost) {
  if (cost.composition != terms_.composition) {
    throw std::invalid_argument("a release is accounted in another way than its budget");
  }
  const bool zcdp = cost.composition == Composition::zcdp;
  if (zcdp ? !(cost.rho > 0) : cost.epsilon != share_.epsilon) {
    throw std::invalid_argument("a release costs something, and without zcdp exactly its share");
  }
  if (releases_ == terms_.releases || (zcdp && !(rho_spent_ + cost.rho <= rho_))) {
    throw InputError("privacy budget",
                     fmt::format("epsilon {} at delta {} does not allow another release: {} of {} made, epsilon {:.6g} "
                                 "spent; nothing was released; start again with a larger --eps",
                                 terms_.epsilon, terms_.delta, releases_, terms_.releases, epsilon_spent()));
  }
  rho_spent_ += cost.rho;
  ++releases_;
}

double Budget::epsilon_spent() const {
  switch (terms_.composition) {
    case Composition::zcdp:
      return std::min(terms_.epsilon, epsilon_of(rho_spent_, terms_.delta));
    case Composition::basic:
      return share_.epsilon * static_cast<double>(releases_ * terms_.coordinates);
    case Composition::nested:
      return std::min(terms_.epsilon, nested_spent(terms_, share_.epsilon, releases_));
  }
  throw std::invalid_argument("no such composition");
}

double Budget::delta_spent() const {
  return terms_.composition == Composition::basic || releases_ == 0 ? 0 : terms_.delta;
}

double delta_of(double rho, double epsilon) {
  check_cost(rho);
  check_cost(epsilon);
  if (rho == 0) return 0;
  return std::exp(log_delta_of(rho, epsilon));
}

double epsilon_of(double rho, double delta) {
  check_cost(rho);
  check_delta(delta);
  if (rho == 0) return 0;
  const double log_delta = std::log(delta);
  const double below = largest([&](double epsilon) { return log_delta_of(rho, epsilon) <= log_delta; }, 1);
  return below / to_the_safe_side;
}

double rho_of(double epsilon, double delta) {
  check_cost(epsilon);
  check_delta(delta);
  if (epsilon == 0) return 0;
  const double log_delta = std::log(delta);
  return largest([&](double rho) { return log_delta_of(rho, epsilon) > log_delta; }, 1) * to_the_safe_side;
}

double advanced_composition(double epsilon, std::uint64_t count, double delta) {
  check_cost(epsilon);
  check_delta(delta);
  check_count(count);
  const auto k = static_cast<double>(count);
  return std::sqrt(2 * k * -std::log(delta)) * epsilon + k * epsilon * std::expm1(epsilon);
}

double advanced_share(double total, std::uint64_t count, double delta) {
  check_cost(total);
  if (total == 0) return 0;
  return largest([&](double epsilon) { return advanced_composition(epsilon, count, delta) > total; }, 1) *
         to_the_safe_side;
}

}  // namespace sotto::apps
