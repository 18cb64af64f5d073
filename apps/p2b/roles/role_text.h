// What the reports of the three roles of P2B and their summaries have in common.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sotto/apps/kit/report/run_header.h"
#include "sotto/apps/kit/report/summary_lines.h"
#include "sotto/apps/p2b/roles/terms.h"

namespace sotto::apps {

struct P2bReport : RoleHeader {
  P2bReport() = default;
  P2bReport(const std::string& name, const P2bTerms& agreed, bool plaintext);

  P2bTerms terms;

  static void describe(auto& self, auto&& field) {
    P2bTerms::describe(self.terms, field);
    RoleHeader::describe(self, field);
  }
};

// "98,120".
[[nodiscard]] std::string grouped(std::uint64_t count);

// "1 batch", "98,120 reports".
[[nodiscard]] std::string grouped(std::uint64_t count, std::string_view singular);

// Epsilon and delta, and of what.
void add_privacy(SummaryLines& out, const P2bTerms& terms);

}  // namespace sotto::apps
