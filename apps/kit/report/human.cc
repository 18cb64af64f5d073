#include "apps/kit/report/human.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cmath>
#include <cstdlib>

#include "core/text/count.h"
#include "core/text/terminal_safe.h"

namespace sotto::apps {

std::string scaled_figure(double value) {
  const double size = std::abs(value);
  const int decimals = size < 9.995 ? 2 : size < 99.95 ? 1 : 0;
  return fmt::format("{:.{}f}", value, decimals);
}

std::string grouped_digits(std::string digits) {
  const std::size_t first = digits.front() == '-' ? 1 : 0;
  for (std::size_t i = digits.size(); i > first + 3; i -= 3) digits.insert(i - 3, 1, ',');
  return digits;
}

bool use_colour(int file_descriptor) {
  const char* no_colour = std::getenv("NO_COLOR");
  const char* terminal = std::getenv("TERM");
  if (no_colour != nullptr && *no_colour != '\0') return false;
  if (terminal == nullptr || std::string_view(terminal) == "dumb") return false;
  return isatty(file_descriptor) == 1;
}

std::string human_seconds(double seconds) {
  if (!std::isfinite(seconds)) return "-";
  if (seconds < 5e-13) return "0 s";
  if (seconds < 999.5e-9) return fmt::format("{} ns", scaled_figure(seconds * 1e9));
  if (seconds < 999.5e-6) return fmt::format("{} us", scaled_figure(seconds * 1e6));
  if (seconds < 999.5e-3) return fmt::format("{} ms", scaled_figure(seconds * 1e3));
  if (seconds < 99.95) return fmt::format("{} s", scaled_figure(seconds));
  const auto whole = static_cast<long long>(std::llround(seconds));
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} min", whole / 3600, whole % 3600 / 60);
}

std::string human_bytes(double bytes) {
  if (!std::isfinite(bytes)) return "-";
  if (bytes < 999.5) return fmt::format("{:.0f} B", bytes);
  constexpr std::array<const char*, 4> units{"KB", "MB", "GB", "TB"};
  std::size_t unit = 0;
  double value = bytes / 1000;
  while (value >= 999.5 && unit + 1 < units.size()) {
    value /= 1000;
    ++unit;
  }
  return fmt::format("{} {}", scaled_figure(value), units[unit]);
}

std::string human_eta(double eta) { return eta < 999.5 ? scaled_figure(eta) : human_count(eta); }

std::string human_count(double count) {
  if (!std::isfinite(count)) return "-";
  if (count >= 9'999'500) {
    return count < 999.5e6 ? scaled_figure(count / 1e6) + " M" : scaled_figure(count / 1e9) + " G";
  }
  return grouped_digits(fmt::format("{:.0f}", count));
}

std::string human_count(std::uint64_t count, std::string_view singular) {
  return human_count(static_cast<double>(count)) + " " + noun(count, singular);
}

double rounded_up(double value, int digits) {
  if (!(value > 0) || !std::isfinite(value)) return value;
  const double unit = std::pow(10, std::floor(std::log10(value)) - digits + 1);
  return std::ceil(value / unit * (1 - 1e-9)) * unit;
}

std::string advised(double value) { return fmt::format("{:.4g}", rounded_up(value, 4)); }

void SummaryLines::insecure(const std::vector<std::string>& switches) {
  for (const std::string& flag : switches) {
    warning(fmt::format("INSECURE: {}. Do not use this run's protection for real data.", flag));
  }
}

void SummaryLines::title(const std::string& text) { out_ += paint("1", terminal_safe(text)) + "\n"; }

void SummaryLines::line(const std::string& text) { out_ += terminal_safe(text) + "\n"; }

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
