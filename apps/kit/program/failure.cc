#include "sotto/apps/kit/program/failure.h"

#include "sotto/apps/kit/report/json_text.h"

namespace sotto::apps {

std::string failure_json(ExitCode code, const std::string& message, nlohmann::ordered_json result) {
  if (!result.contains("status")) result["status"] = "failed";
  result["error"] = message;
  result["exit_code"] = static_cast<int>(code);
  return json_text(result, 2) + "\n";
}

}  // namespace sotto::apps
