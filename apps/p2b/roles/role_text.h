// What the reports of the three roles of P2B and their summaries have in common.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "sotto/apps/kit/report/human.h"
#include "sotto/apps/kit/report/run_header.h"
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

// Lines that a role writes to its user about what others sent: one each, as long as they are few; the rest is counted,
// so that nobody fills a disk by sending nonsense.
class SaidLines {
 public:
  static constexpr std::uint64_t most = 100;

  // `out` takes a line without its end. The default forgets them.
  explicit SaidLines(std::function<void(const std::string&)> out = {}) : out_(std::move(out)) {}

  void say(const std::string& line) {
    if (!out_ || said_ > most) return;
    out_(++said_ <= most ? line : "further lines of this kind are counted and not shown");
  }
  // One that is always written.
  void say_always(const std::string& line) const {
    if (out_) out_(line);
  }

 private:
  std::function<void(const std::string&)> out_;
  std::uint64_t said_ = 0;
};

}  // namespace sotto::apps
