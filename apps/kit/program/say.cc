#include "apps/kit/program/say.h"

#include <fmt/format.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <ctime>
#include <exception>

#include "core/text/terminal_safe.h"

namespace sotto::apps {
namespace {

iovec piece(std::string_view text) {
  return iovec{const_cast<char*>(text.data()), text.size()};  // writev() only reads
}

// Writes the line in one system call, so lines of several threads do not mix.
void write_line(std::string_view line) noexcept {
  const std::array<iovec, 2> pieces{piece(line), piece("\n")};
  ssize_t written = -1;
  do {
    written = ::writev(STDERR_FILENO, pieces.data(), pieces.size());
  } while (written < 0 && errno == EINTR);
  if (written < 0) return;
  const auto done = static_cast<std::size_t>(written);
  if (done < line.size()) say_part(line.substr(done));
  if (done < line.size() + 1) say_part("\n");
}

bool is_flag_character(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }

std::size_t end_of_flag(std::string_view text, std::size_t at) {
  const auto is_part = [&](std::size_t i) { return i < text.size() && is_flag_character(text[i]); };
  if (text.substr(at, 2) != "--" || !is_part(at + 2) || (at > 0 && text[at - 1] == '-')) return at;
  std::size_t end = at + 2;
  while (is_part(end) || (end < text.size() && text[end] == '-' && is_part(end + 1))) ++end;
  return end;
}

// A longer name has no near name, because the time of a comparison grows with the product of both lengths.
constexpr std::size_t longest_name = 64;

}  // namespace

void say(std::string_view line) noexcept {
  try {
    write_line(terminal_safe(line));
  } catch (const std::exception&) {
    write_line("sotto: no memory for a message");
  }
}

void say_part(std::string_view text) noexcept {
  while (!text.empty()) {
    const ssize_t written = ::write(STDERR_FILENO, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

std::string respell_flags(std::string_view text, const std::function<std::string(const std::string& flag)>& spell) {
  std::string respelt;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = end_of_flag(text, at);
    if (end > at) {
      respelt += spell(std::string(text.substr(at, end - at)));
    } else {
      end = text[at] == '`' ? std::min(text.find('`', at + 1), text.size() - 1) + 1 : at + 1;
      respelt += text.substr(at, end - at);
    }
    at = end;
  }
  return respelt;
}

std::string respell_flags(std::string_view text, const std::map<std::string, std::string>& names) {
  return respell_flags(text, [&](const std::string& flag) {
    const auto name = names.find(flag);
    return name == names.end() ? flag : name->second;
  });
}

std::size_t name_distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) d[i][0] = i;
  for (std::size_t j = 0; j <= b.size(); ++j) d[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t changed = a[i - 1] == b[j - 1] ? 0 : 1;
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + changed});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  }
  return d[a.size()][b.size()];
}

std::string near_name(std::string_view name, const std::vector<std::string>& candidates) {
  if (name.size() > longest_name) return {};
  std::string best;
  std::size_t least = 3;
  for (const std::string& candidate : candidates) {
    const std::size_t distance = name_distance(name, candidate);
    if (distance < least && 3 * distance <= std::max(name.size(), candidate.size())) {
      least = distance;
      best = candidate;
    }
  }
  return best;
}

std::string did_you_mean(std::string_view name, const std::vector<std::string>& candidates) {
  const std::string near = near_name(name, candidates);
  return near.empty() ? near : fmt::format("; did you mean {}?", near);
}

const char* name_of(LogLevel level) noexcept {
  switch (level) {
    case LogLevel::error:
      return "error";
    case LogLevel::warning:
      return "warning";
    case LogLevel::info:
      return "info";
    case LogLevel::debug:
      break;
  }
  return "debug";
}

std::optional<LogLevel> log_level_of(std::string_view name) noexcept {
  for (const LogLevel level : all_log_levels) {
    if (name == name_of(level)) return level;
  }
  return std::nullopt;
}

std::string log_time(std::int64_t ms) {
  const std::time_t seconds = ms / 1000;
  std::tm parts{};
  ::gmtime_r(&seconds, &parts);
  std::array<char, 32> text{};
  (void)std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%S", &parts);
  return fmt::format("{}.{:03}Z", text.data(), ms % 1000);
}

void Log::write(LogLevel level, std::string_view text) const noexcept {
  if (!shows(level)) return;
  try {
    timespec now{};
    ::clock_gettime(CLOCK_REALTIME, &now);
    say(fmt::format("{} {} {}", log_time(std::int64_t{now.tv_sec} * 1000 + now.tv_nsec / 1'000'000), name_of(level),
                    text));
  } catch (const std::exception&) {
    say(text);
  }
}

}  // namespace sotto::apps
