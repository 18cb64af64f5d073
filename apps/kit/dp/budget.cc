#include "sotto/apps/kit/dp/budget.h"

#include <fmt/format.h>

#include <cmath>
#include <stdexcept>

#include "sotto/apps/kit/dp/accountant.h"
#include "sotto/core/error/errors.h"

namespace sotto::apps {
namespace {

// So that the planned releases, added up in floating point, stay within the whole.
constexpr double share_margin = 1 - 1e-12;

// Of the outer composition, and of all inner ones together.
double half(double delta) { return delta / 2; }

bool composes_releases(const BudgetTerms& terms) { return terms.releases > 1; }
bool composes_coordinates(const BudgetTerms& terms) { return terms.coordinates > 1; }

double outer_delta(const BudgetTerms& terms) { return composes_coordinates(terms) ? half(terms.delta) : terms.delta; }

// Of the composition of the coordinates of one release.
double inner_delta(const BudgetTerms& terms) {
  if (!composes_releases(terms)) return terms.delta;
  return half(terms.delta) / static_cast<double>(terms.releases);
}

double nested_epsilon(const BudgetTerms& terms) {
  const double release =
      composes_releases(terms) ? advanced_share(terms.epsilon, terms.releases, outer_delta(terms)) : terms.epsilon;
  return composes_coordinates(terms) ? advanced_share(release, terms.coordinates, inner_delta(terms)) : release;
}

double nested_spent(const BudgetTerms& terms, double epsilon, std::size_t releases) {
  if (releases == 0) return 0;
  const double release =
      composes_coordinates(terms) ? advanced_composition(epsilon, terms.coordinates, inner_delta(terms)) : epsilon;
  return releases > 1 ? advanced_composition(release, releases, outer_delta(terms)) : release;
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
                                 "spent; nothing was released, start anew with a larger --eps",
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

}  // namespace sotto::apps
