// The messages of the program to people, on stderr.
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

// Writes one line as terminal_safe() shows it, so that no name of a file and no text of a peer moves the cursor. Never
// fails: if stderr is full, closed, or a pipe that nobody reads any more, the line is dropped. The program continues,
// because no run may end because of its log. SIGPIPE must be ignored.
void say(std::string_view line) noexcept;

// Writes a text without the end of the line, for text that is drawn again and again on a terminal.
void say_part(std::string_view text) noexcept;

// Flags in messages to users that have no such flags: a role with a config, or a caller in Python.

// Replaces each "--flag" in the text by the result of `spell`. Text in `backticks` is a command to type, and stays
// unchanged.
[[nodiscard]] std::string respell_flags(std::string_view text,
                                        const std::function<std::string(const std::string& flag)>& spell);
// Replaces the flags that have a name in `names`. The other flags stay unchanged.
[[nodiscard]] std::string respell_flags(std::string_view text, const std::map<std::string, std::string>& names);

// The name that was probably meant.

// The number of letters to change, add, leave out or swap with their neighbour in order to turn one name into the
// other.
[[nodiscard]] std::size_t name_distance(std::string_view a, std::string_view b);

// The candidate nearest to `name` if it is near: at most two letters away, and at most a third of the longer name. If
// several candidates are equally near, the first of them. Empty if no candidate is near.
[[nodiscard]] std::string near_name(std::string_view name, const std::vector<std::string>& candidates);

// The text "; did you mean X?" if X is the near candidate; else an empty text.
[[nodiscard]] std::string did_you_mean(std::string_view name, const std::vector<std::string>& candidates);

// The output of a failed command on stdout with --json: one object. Every program can rely on its status and error, for
// every error at any time.

// The error of a command that still has a result to show. With --json, `result` goes into the object, and the command
// itself prints nothing of it.
class FailedRun : public Error {
 public:
  FailedRun(ExitCode code, const std::string& message, nlohmann::ordered_json result)
      : Error(code, message), result_(std::move(result)) {}
  [[nodiscard]] const nlohmann::ordered_json& result() const noexcept { return result_; }

 private:
  nlohmann::ordered_json result_;
};

// One JSON object and a newline. It has `result` with `status` ("failed" unless `result` has another status), `error`
// and `exit_code`.
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
// Callers must keep private values out of a line, as in messages of errors.

enum class LogLevel : std::uint8_t { error, warning, info, debug };

inline constexpr std::array<LogLevel, 4> all_log_levels{LogLevel::error, LogLevel::warning, LogLevel::info,
                                                        LogLevel::debug};

[[nodiscard]] const char* name_of(LogLevel level) noexcept;
// The level with this name; nothing if the word is no level.
[[nodiscard]] std::optional<LogLevel> log_level_of(std::string_view name) noexcept;

class Log {
 public:
  // Writes lines of this level and of more severe levels.
  explicit Log(LogLevel most = LogLevel::info) noexcept : most_(most) {}

  // Calls say(), so it never fails. Any thread may call it.
  void write(LogLevel level, std::string_view text) const noexcept;
  void error(std::string_view text) const noexcept { write(LogLevel::error, text); }
  void warning(std::string_view text) const noexcept { write(LogLevel::warning, text); }
  void info(std::string_view text) const noexcept { write(LogLevel::info, text); }
  void debug(std::string_view text) const noexcept { write(LogLevel::debug, text); }
  // Whether a line of this level is written. Callers use it to avoid making a line that is not written.
  [[nodiscard]] bool shows(LogLevel level) const noexcept { return level <= most_; }

 private:
  LogLevel most_;
};

// The time `ms`, in milliseconds since 1970, as "2026-11-23T08:12:51.402Z".
[[nodiscard]] std::string log_time(std::int64_t ms);

}  // namespace sotto::apps
