// The findings of `sotto doctor`, one line each, with advice for the user.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "sotto/protocol/error/errors.h"

namespace sotto::apps {

enum class Verdict : std::uint8_t {
  good,
  note,     // the doctor cannot check the subject from this machine
  warning,  // a run would work, but the user should solve the problem first
  problem,  // a run would fail
};

struct Finding {
  Verdict verdict = Verdict::good;
  std::string subject;             // what the finding is about: "key", "party 1 clock"
  std::string text;                // what was found
  std::string advice;              // what to do; empty if there is nothing to do
  ExitCode code = ExitCode::done;  // for a problem: the exit code that the role would end with
};

using Findings = std::vector<Finding>;

[[nodiscard]] Finding good(std::string subject, std::string text);
[[nodiscard]] Finding note(std::string subject, std::string text, std::string advice);
[[nodiscard]] Finding warning(std::string subject, std::string text, std::string advice);
[[nodiscard]] Finding problem(std::string subject, ExitCode code, std::string text, std::string advice = {});

// The exit code of the first problem, or `done` if there is no problem.
[[nodiscard]] ExitCode exit_code(const Findings& findings);

// A table with one line per finding (verdict, subject, text and advice), followed by the number of problems and
// warnings.
[[nodiscard]] std::string to_table(const Findings& findings);

// {"role", "exit_code", "findings": [{"verdict", "subject", "text", "advice"}]}. `role` is empty if the config could
// not be read.
[[nodiscard]] nlohmann::ordered_json to_json(const Findings& findings, const std::string& role);

}  // namespace sotto::apps
