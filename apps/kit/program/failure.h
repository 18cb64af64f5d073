// What a command that failed prints on stdout where --json was asked for: one object, whose status and error every
// program can rely on, whatever went wrong and however early.
#pragma once

#include <string>

#include "apps/kit/files/json.h"
#include "apps/kit/files/json_text.h"
#include "sotto/protocol/error/errors.h"

namespace sotto::apps {

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

}  // namespace sotto::apps
