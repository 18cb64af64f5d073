#include "apps/kit/deploy/finding.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "apps/kit/files/json.h"
#include "core/text/count.h"
#include "core/text/terminal_safe.h"

namespace sotto::apps {
namespace {

const char* word(Verdict verdict) {
  switch (verdict) {
    case Verdict::good:
      return "ok";
    case Verdict::note:
      return "note";
    case Verdict::warning:
      return "warning";
    case Verdict::problem:
      return "problem";
  }
  return "";
}

std::size_t count(const Findings& findings, Verdict verdict) {
  return static_cast<std::size_t>(std::count_if(findings.begin(), findings.end(),
                                                [&](const Finding& finding) { return finding.verdict == verdict; }));
}

}  // namespace

Finding good(std::string subject, std::string text) {
  return {Verdict::good, std::move(subject), std::move(text), {}, ExitCode::done};
}

Finding note(std::string subject, std::string text, std::string advice) {
  return {Verdict::note, std::move(subject), std::move(text), std::move(advice), ExitCode::done};
}

Finding warning(std::string subject, std::string text, std::string advice) {
  return {Verdict::warning, std::move(subject), std::move(text), std::move(advice), ExitCode::done};
}

Finding problem(std::string subject, ExitCode code, std::string text, std::string advice) {
  return {Verdict::problem, std::move(subject), std::move(text), std::move(advice), code};
}

ExitCode exit_code(const Findings& findings) {
  for (const Finding& finding : findings) {
    if (finding.verdict == Verdict::problem) return finding.code;
  }
  return ExitCode::done;
}

std::string to_table(const Findings& findings) {
  std::size_t widest = 0;
  for (const Finding& finding : findings) widest = std::max(widest, finding.subject.size());
  std::string table;
  for (const Finding& finding : findings) {
    table += terminal_safe(fmt::format("{:<8} {:<{}}  {}{}{}", word(finding.verdict), finding.subject, widest,
                                       finding.text, finding.advice.empty() ? "" : ": ", finding.advice));
    table += '\n';
  }
  const std::size_t problems = count(findings, Verdict::problem);
  const std::size_t warnings = count(findings, Verdict::warning);
  if (problems + warnings == 0) return table + "all is well\n";
  return table + fmt::format("{}, {}\n", counted(problems, "problem"), counted(warnings, "warning"));
}

nlohmann::ordered_json to_json(const Findings& findings, const std::string& role) {
  nlohmann::ordered_json lines = nlohmann::ordered_json::array();
  for (const Finding& finding : findings) {
    lines.push_back({{"verdict", word(finding.verdict)},
                     {"subject", finding.subject},
                     {"text", finding.text},
                     {"advice", finding.advice}});
  }
  return {{"role", role}, {"exit_code", static_cast<int>(exit_code(findings))}, {"findings", std::move(lines)}};
}

}  // namespace sotto::apps
