#include "sotto/apps/kit/report/summary_lines.h"

#include <fmt/format.h>

#include "sotto/core/text/terminal_safe.h"

namespace sotto::apps {

void SummaryLines::insecure(const std::vector<std::string>& switches) {
  for (const std::string& flag : switches) {
    warning(fmt::format("INSECURE: {}. Do not use this run's protection for real data.", flag));
  }
}

void SummaryLines::title(const std::string& text) { out_ += paint("1", terminal_safe(text)) + "\n"; }

void SummaryLines::warning(const std::string& text) { out_ += paint("1;31", terminal_safe(text)) + "\n"; }

void SummaryLines::row(std::string_view name, const std::string& value, const std::string& note) {
  out_ +=
      fmt::format("  {:<18}{:<11} {}", name, terminal_safe(value), note.empty() ? "" : paint("2", terminal_safe(note)));
  while (out_.back() == ' ') out_.pop_back();
  out_ += '\n';
}

std::string SummaryLines::paint(std::string_view code, const std::string& text) const {
  return colour_ ? fmt::format("\x1b[{}m{}\x1b[0m", code, text) : text;
}

}  // namespace sotto::apps
