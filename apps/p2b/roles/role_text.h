// What the summaries of the three roles of P2B have in common.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sotto/apps/kit/report/summary_lines.h"
#include "sotto/apps/p2b/roles/terms.h"

namespace sotto::apps {

// "98,120".
[[nodiscard]] std::string grouped(std::uint64_t count);

// "1 batch", "98,120 reports".
[[nodiscard]] std::string grouped(std::uint64_t count, std::string_view singular);

// Epsilon and delta, and of what.
void add_privacy(SummaryLines& out, const P2bTerms& terms);
void add_plaintext_warning(SummaryLines& out);
[[nodiscard]] std::vector<std::string> insecure_names(bool plaintext);

}  // namespace sotto::apps
