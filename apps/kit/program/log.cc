#include "apps/kit/program/log.h"

#include <fmt/format.h>
#include <time.h>

#include <ctime>
#include <exception>

#include "apps/kit/program/say.h"

namespace sotto::apps {

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
