// The log of a program that runs for months: lines on stderr with the time in UTC and a level.
//
//     2026-11-23T08:12:51.402Z info party 0 is ready in epoch 3
//
// Whoever writes a line keeps private values out of it, as in messages of errors.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace sotto::apps {

enum class LogLevel : std::uint8_t { error, warning, info, debug };

inline constexpr std::array<LogLevel, 4> all_log_levels{LogLevel::error, LogLevel::warning, LogLevel::info,
                                                        LogLevel::debug};

[[nodiscard]] const char* name_of(LogLevel level) noexcept;
// Nothing for another word.
[[nodiscard]] std::optional<LogLevel> log_level_of(std::string_view name) noexcept;

class Log {
 public:
  // Lines of this level and of graver ones are written.
  explicit Log(LogLevel most = LogLevel::info) noexcept : most_(most) {}

  // By say(): never fails. Any thread may call.
  void write(LogLevel level, std::string_view text) const noexcept;
  void error(std::string_view text) const noexcept { write(LogLevel::error, text); }
  void warning(std::string_view text) const noexcept { write(LogLevel::warning, text); }
  void info(std::string_view text) const noexcept { write(LogLevel::info, text); }
  void debug(std::string_view text) const noexcept { write(LogLevel::debug, text); }
  // So that nobody makes a line that is not written.
  [[nodiscard]] bool shows(LogLevel level) const noexcept { return level <= most_; }

 private:
  LogLevel most_;
};

// Milliseconds since 1970 as "2026-11-23T08:12:51.402Z".
[[nodiscard]] std::string log_time(std::int64_t ms);

}  // namespace sotto::apps
