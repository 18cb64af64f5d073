// Messages of a program to people, on stderr.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apps/kit/files/json.h"
#include "sotto/protocol/error/errors.h"

namespace sotto::apps {

// Writes one printable line, so no name and no text of a peer can move the cursor. A line that cannot be written is
// dropped, because no run may end because of its log. The program must ignore SIGPIPE.
void say(std::string_view line) noexcept;

void say_part(std::string_view text) noexcept;

// A user of a config file or of the Python package does not type flags. Error messages for this user therefore replace
// each flag by another name.

// Text in `backticks` stays unchanged: it is a command that the user can type.
[[nodiscard]] std::string respell_flags(std::string_view text,
                                        const std::function<std::string(const std::string& flag)>& spell);
[[nodiscard]] std::string respell_flags(std::string_view text, const std::map<std::string, std::string>& names);

[[nodiscard]] std::size_t name_distance(std::string_view a, std::string_view b);

// A near name is at most two letters away, and at most a third of the longer name.
[[nodiscard]] std::string near_name(std::string_view name, const std::vector<std::string>& candidates);

[[nodiscard]] std::string did_you_mean(std::string_view name, const std::vector<std::string>& candidates);

// With --json, the JSON object on stdout includes `result`.
class FailedRun : public Error {
 public:
  FailedRun(ExitCode code, const std::string& message, nlohmann::ordered_json result)
      : Error(code, message), result_(std::move(result)) {}
  [[nodiscard]] const nlohmann::ordered_json& result() const noexcept { return result_; }

 private:
  nlohmann::ordered_json result_;
};

// Adds the fields `status`, `error` and `exit_code` to `result`.
[[nodiscard]] inline std::string failure_json(ExitCode code, const std::string& message,
                                              nlohmann::ordered_json result = {}) {
  if (!result.contains("status")) result["status"] = "failed";
  result["error"] = message;
  result["exit_code"] = static_cast<int>(code);
  return json_text(result, 2) + "\n";
}

// The log of a long-running program:
//
//   2026-11-23T08:12:51.402Z info party 0 is ready in epoch 3
//
// No line of the log and no message of an error may contain private values.

enum class LogLevel : std::uint8_t { error, warning, info, debug };

inline constexpr std::array<LogLevel, 4> all_log_levels{LogLevel::error, LogLevel::warning, LogLevel::info,
                                                        LogLevel::debug};

[[nodiscard]] const char* name_of(LogLevel level) noexcept;
[[nodiscard]] std::optional<LogLevel> log_level_of(std::string_view name) noexcept;

class Log {
 public:
  explicit Log(LogLevel most = LogLevel::info) noexcept : most_(most) {}

  // This function never fails, and any thread may call it.
  void write(LogLevel level, std::string_view text) const noexcept;
  void error(std::string_view text) const noexcept { write(LogLevel::error, text); }
  void warning(std::string_view text) const noexcept { write(LogLevel::warning, text); }
  void info(std::string_view text) const noexcept { write(LogLevel::info, text); }
  void debug(std::string_view text) const noexcept { write(LogLevel::debug, text); }
  [[nodiscard]] bool shows(LogLevel level) const noexcept { return level <= most_; }

 private:
  LogLevel most_;
};

[[nodiscard]] std::string log_time(std::int64_t ms);

}  // namespace sotto::apps
