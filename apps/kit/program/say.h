// The messages of a program to people, on stderr.
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

// Writes one line after terminal_safe() has made it printable, so that no file name and no text of a peer can move the
// cursor. The function never fails: if stderr is full, closed, or a pipe that nobody reads any more, the line is
// dropped. The program continues, because no run may end because of its log. The program must ignore SIGPIPE.
void say(std::string_view line) noexcept;

// Writes a text without a newline, for text that is drawn again and again on a terminal.
void say_part(std::string_view text) noexcept;

// The functions below rename flags in messages, for users who have no such flags: the user of a config, or a caller in
// Python.

// Replaces each "--flag" in the text by the result of `spell`. Text in `backticks` is a command that the user can type,
// so this text stays unchanged.
[[nodiscard]] std::string respell_flags(std::string_view text,
                                        const std::function<std::string(const std::string& flag)>& spell);
// Replaces each flag that is a key of `names` by its value in `names`. All other flags stay unchanged.
[[nodiscard]] std::string respell_flags(std::string_view text, const std::map<std::string, std::string>& names);

// The functions below find the name that a user probably meant.

// The number of letters to change, add, leave out or swap with their neighbour in order to turn one name into the
// other.
[[nodiscard]] std::size_t name_distance(std::string_view a, std::string_view b);

// The candidate that is nearest to `name`. A candidate must be at most two letters away from `name`, and at most a
// third of the longer name. If several candidates are equally near, the function returns the first of them. The result
// is empty if no candidate is near.
[[nodiscard]] std::string near_name(std::string_view name, const std::vector<std::string>& candidates);

// The text "; did you mean X?" if near_name() finds X; otherwise an empty text.
[[nodiscard]] std::string did_you_mean(std::string_view name, const std::vector<std::string>& candidates);

// With --json a failed command prints one JSON object on stdout. Every program that reads this object can rely on its
// `status` and `error`, for every error at any time.

// The error of a command that still has a result to show. With --json, the object on stdout includes `result`, and the
// command itself does not print the result.
class FailedRun : public Error {
 public:
  FailedRun(ExitCode code, const std::string& message, nlohmann::ordered_json result)
      : Error(code, message), result_(std::move(result)) {}
  [[nodiscard]] const nlohmann::ordered_json& result() const noexcept { return result_; }

 private:
  nlohmann::ordered_json result_;
};

// One JSON object and a newline. The object is `result` with three more fields: `status` ("failed" unless `result` has
// another status), `error` and `exit_code`.
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
// Callers must not put private values into a line of the log or into the message of an error.

enum class LogLevel : std::uint8_t { error, warning, info, debug };

inline constexpr std::array<LogLevel, 4> all_log_levels{LogLevel::error, LogLevel::warning, LogLevel::info,
                                                        LogLevel::debug};

[[nodiscard]] const char* name_of(LogLevel level) noexcept;
// The level with this name; nothing if the word is no level.
[[nodiscard]] std::optional<LogLevel> log_level_of(std::string_view name) noexcept;

class Log {
 public:
  // The log writes lines of the level `most` and of more severe levels.
  explicit Log(LogLevel most = LogLevel::info) noexcept : most_(most) {}

  // Writes a line by say(), so writing never fails. Any thread may call write().
  void write(LogLevel level, std::string_view text) const noexcept;
  void error(std::string_view text) const noexcept { write(LogLevel::error, text); }
  void warning(std::string_view text) const noexcept { write(LogLevel::warning, text); }
  void info(std::string_view text) const noexcept { write(LogLevel::info, text); }
  void debug(std::string_view text) const noexcept { write(LogLevel::debug, text); }
  // Whether the log writes lines of this level. Callers use shows() to avoid making a line that is not written.
  [[nodiscard]] bool shows(LogLevel level) const noexcept { return level <= most_; }

 private:
  LogLevel most_;
};

// The time `ms`, in milliseconds since 1970, as "2026-11-23T08:12:51.402Z".
[[nodiscard]] std::string log_time(std::int64_t ms);

}  // namespace sotto::apps
