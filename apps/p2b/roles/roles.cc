#include "apps/p2b/roles/roles.h"

#include <fmt/format.h>

#include "apps/p2b/privacy.h"
#include "core/text/count.h"

namespace sotto::apps::p2b {

std::string grouped(std::uint64_t count) { return grouped_digits(std::to_string(count)); }

std::string grouped(std::uint64_t count, std::string_view singular) {
  return grouped(count) + " " + noun(count, singular);
}

P2bReport::P2bReport(const std::string& name, const P2bTerms& agreed, bool plaintext) : terms(agreed) {
  role = name;
  insecure = insecure_switches(false, plaintext);
}

void add_privacy(SummaryLines& out, const P2bTerms& terms) {
  out.row("epsilon", fmt::format("{:.4g}", epsilon_of(terms)),
          fmt::format("of the code that a user reports, p = {:g}", terms.p));
  out.row("delta", delta_text(delta_of(terms), 3), fmt::format("at threshold {}, of one batch", terms.threshold));
}

}  // namespace sotto::apps::p2b
