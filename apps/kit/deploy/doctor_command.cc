#include <fmt/format.h>

#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <memory>
#include <string_view>
#include <system_error>

#include "sotto/apps/kit/deploy/commands.h"
#include "sotto/apps/kit/deploy/examine.h"
#include "sotto/apps/kit/program/command.h"
#include "sotto/apps/kit/program/failure.h"
#include "sotto/apps/kit/program/interrupt.h"
#include "sotto/apps/kit/program/say.h"
#include "sotto/apps/kit/report/json_text.h"
#include "sotto/apps/kit/settings/config_options.h"
#include "sotto/core/error/errors.h"
#include "sotto/core/text/terminal_safe.h"

namespace sotto::apps {
namespace {

struct DoctorArguments {
  ConfigArguments config;
  std::chrono::milliseconds wait = std::chrono::seconds(30);
  bool json = false;
};

// "500ms", "30s", "5m", "1h"; a number alone is of seconds.
std::chrono::milliseconds parse_wait(const std::string& text) {
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [unit, error] = std::from_chars(text.data(), end, value);
  const std::string_view name(unit, static_cast<std::size_t>(end - unit));
  double seconds = -1;
  if (name == "ms") seconds = value / 1000;
  if (name.empty() || name == "s") seconds = value;
  if (name == "m") seconds = 60 * value;
  if (name == "h") seconds = 3600 * value;
  constexpr double longest = 24 * 3600;
  if (error != std::errc{} || !(seconds >= 0 && seconds <= longest)) {
    throw InputError("--wait", fmt::format("'{}' is no time: expected 0s to 24h, such as 30s or 5m", text));
  }
  return std::chrono::milliseconds(std::llround(1000 * seconds));
}

void show_table(const Findings& findings) {
  std::fputs(to_table(findings).c_str(), stdout);
  std::fflush(stdout);
}

// The error that the role would end with is this command's too.
void end_with(const Findings& findings, const std::string& role, bool json) {
  if (!json) show_table(findings);
  for (const Finding& finding : findings) {
    if (finding.verdict != Verdict::problem) continue;
    throw FailedRun(finding.code, fmt::format("{}: {}", finding.subject, finding.text), to_json(findings, role));
  }
  if (!json) return;
  fmt::print("{}\n", json_text(to_json(findings, role), 2));
}

EffectiveConfig read_config(const Keys& keys, const DoctorArguments& arguments) {
  try {
    return effective_config(keys, arguments.config);
  } catch (const Error& error) {
    const Findings findings{problem("config", error.exit_code(), error.what())};
    if (!arguments.json) show_table(findings);
    throw FailedRun(error.exit_code(), error.what(), to_json(findings, ""));
  }
}

void run_doctor(const Keys& keys, const DoctorArguments& arguments) {
  catch_interrupts();
  const EffectiveConfig effective = read_config(keys, arguments);
  if (arguments.config.print) {
    fmt::print("{}", annotated_toml(effective));
    return;
  }
  const RoleSettings& config = *effective.config;
  const auto progress = [](const std::string& line) { say(line); };
  Findings findings{good("config", fmt::format("{}, of the {}", arguments.config.file.string(), config.name()))};
  for (Finding& finding : examine(config, Examination{arguments.wait, progress, interrupted()})) {
    findings.push_back(std::move(finding));
  }
  end_with(findings, config.name(), arguments.json);
}

}  // namespace

void add_doctor_command(Command& app, const Keys& keys) {
  Command* command =
      app.add_subcommand("doctor", "Try a role's config: files, key, port, and every peer; say what to do");
  const auto arguments = std::make_shared<DoctorArguments>();
  add_config_options(*command, arguments->config, keys.all());
  command
      ->add_option_function(
          "--wait", [arguments = arguments.get()](const std::string& text) { arguments->wait = parse_wait(text); },
          "How long to try peers that do not answer, such as 30s (default)")
      ->type_name("TIME");
  command->add_flag("--json", arguments->json, "Print JSON instead of a table");
  command->footer(
      "Run it on all machines at about the same time, or where a role already waits for its peers: doctors and waiting "
      "roles answer each other. It exits with 0 if a run would start, else with the exit code of the first problem.\n"
      "Examples:\n"
      "  sotto doctor --config party_0.toml\n"
      "  sotto doctor --config party_0.toml --wait 5m --json");
  command->callback([&keys, arguments] { run_doctor(keys, *arguments); });
}

}  // namespace sotto::apps
