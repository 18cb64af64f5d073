#include "sotto/apps/p2b/roles/terms.h"

#include <fmt/format.h>

#include "sotto/apps/p2b/encoder.h"
#include "sotto/apps/p2b/model.h"
#include "sotto/apps/p2b/privacy.h"
#include "sotto/core/text/count.h"

namespace sotto::apps {

std::string fault_of(const P2bTerms& terms) {
  if (terms.codes == 0 || terms.codes > most_codes) {
    return fmt::format("{}; expected 1 to {}", counted(terms.codes, "code"), most_codes);
  }
  if (terms.arms == 0 || terms.arms > most_arms) {
    return fmt::format("{}; expected 1 to {}", counted(terms.arms, "arm"), most_arms);
  }
  if (!(terms.p > 0 && terms.p < 1)) {
    return fmt::format("p = {}; expected a probability between 0 and 1, both excluded", terms.p);
  }
  if (terms.threshold == 0 || terms.threshold > most_threshold) {
    return fmt::format("a threshold of {}; expected 1 to {}", terms.threshold, most_threshold);
  }
  return {};
}

TupleFault fault_of(const Tuple& tuple, const P2bTerms& terms) {
  if (tuple.code >= terms.codes) return TupleFault::code;
  if (tuple.arm >= terms.arms) return TupleFault::arm;
  // Written so that what is no number is outside.
  return tuple.reward >= 0 && tuple.reward <= 1 ? TupleFault::none : TupleFault::reward;
}

std::string difference(const P2bTerms& theirs, const P2bTerms& ours) {
  if (theirs.codes != ours.codes) {
    return fmt::format("{}, here {}", counted(theirs.codes, "code"), ours.codes);
  }
  if (theirs.arms != ours.arms) {
    return fmt::format("{}, here {}", counted(theirs.arms, "arm"), ours.arms);
  }
  if (theirs.p != ours.p) return fmt::format("p = {}, here {}", theirs.p, ours.p);
  if (theirs.threshold != ours.threshold) {
    return fmt::format("a threshold of {}, here {}", theirs.threshold, ours.threshold);
  }
  return {};
}

double epsilon_of(const P2bTerms& terms) { return report_epsilon(terms.p); }
double delta_of(const P2bTerms& terms) { return report_delta(terms.p, static_cast<std::size_t>(terms.threshold)); }

}  // namespace sotto::apps
