// A finding of `sotto doctor`, with advice for the user.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "sotto/protocol/error/errors.h"

namespace sotto::apps {

enum class Verdict : std::uint8_t {
  good,
  note,  // the doctor cannot check this here
  warning,
  problem,  // a run would fail
};

struct Finding {
  Verdict verdict = Verdict::good;
  std::string subject;
  std::string text;
  std::string advice;
  ExitCode code = ExitCode::done;  // exit code with which the role would end
};

using Findings = std::vector<Finding>;

[[nodiscard]] Finding good(std::string subject, std::string text);
[[nodiscard]] Finding note(std::string subject, std::string text, std::string advice);
[[nodiscard]] Finding warning(std::string subject, std::string text, std::string advice);
[[nodiscard]] Finding problem(std::string subject, ExitCode code, std::string text, std::string advice = {});

// `done` if there is no problem.
[[nodiscard]] ExitCode exit_code(const Findings& findings);

[[nodiscard]] std::string to_table(const Findings& findings);

// The form is {"role", "exit_code", "findings": [{"verdict", "subject", "text", "advice"}]}. The role is empty if the
// config could not be read.
[[nodiscard]] nlohmann::ordered_json to_json(const Findings& findings, const std::string& role);

}  // namespace sotto::apps
