// What the program says to people, on stderr.
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

// One line, as terminal_safe() shows it, so that no name of a file or word of a peer moves the cursor. Never fails:
// where stderr is full, closed or a pipe that nobody reads any more, the line is lost and the program goes on, since no
// run may end because of its log. SIGPIPE must be ignored.
void say(std::string_view line) noexcept;

// The same without the end of a line, for what is drawn over again on a terminal.
void say_part(std::string_view text) noexcept;

// Flags in the text of a message, for whoever has no such flag: a role with a config, a caller of Python.

// The text with each "--flag" as `spell` says it. What stands in `backticks` is a command to type, and stays.
[[nodiscard]] std::string respell_flags(std::string_view text,
                                        const std::function<std::string(const std::string& flag)>& spell);
// Those that have a name there; the others stay.
[[nodiscard]] std::string respell_flags(std::string_view text, const std::map<std::string, std::string>& names);

// The name that somebody probably meant.

// How many letters to change, add, leave out or swap with their neighbour to get from one name to the other.
[[nodiscard]] std::size_t name_distance(std::string_view a, std::string_view b);

// The candidate nearest to `name` if it is near: at most two letters away, and at most a third of the longer name;
// empty if none is. Of equally near ones the first.
[[nodiscard]] std::string near_name(std::string_view name, const std::vector<std::string>& candidates);

// "; did you mean X?" of the near candidate X, or nothing.
[[nodiscard]] std::string did_you_mean(std::string_view name, const std::vector<std::string>& candidates);

// What a command that failed prints on stdout where --json was asked for: one object, whose status and error every
// program can rely on, whatever went wrong and however early.

// The error of a command that has something to show all the same: with --json, `result` goes into the object. The
// command itself prints nothing of it then.
class FailedRun : public Error {
 public:
  FailedRun(ExitCode code, const std::string& message, nlohmann::ordered_json result)
      : Error(code, message), result_(std::move(result)) {}
  [[nodiscard]] const nlohmann::ordered_json& result() const noexcept { return result_; }

 private:
  nlohmann::ordered_json result_;
};

// The object, ended by a newline: `result` with `status` ("failed", unless it has another one), `error` and
// `exit_code`.
[[nodiscard]] inline std::string failure_json(ExitCode code, const std::string& message,
                                              nlohmann::ordered_json result = {}) {
  if (!result.contains("status")) result["status"] = "failed";
  result["error"] = message;
  result["exit_code"] = static_cast<int>(code);
  return json_text(result, 2) + "\n";
}

// The log of a program that runs for months: lines on stderr with the time in UTC and a level.
//
//     2026-11-23T08:12:51.402Z info party 0 is ready in epoch 3
//
// Whoever writes a line keeps private values out of it, as in messages of errors.

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
