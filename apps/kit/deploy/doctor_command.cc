#include <fmt/format.h>

#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <map>
#include <memory>
#include <string_view>
#include <system_error>

#include "apps/kit/deploy/checks.h"
#include "apps/kit/deploy/commands.h"
#include "apps/kit/files/input_file.h"
#include "apps/kit/files/json.h"
#include "apps/kit/program/command.h"
#include "apps/kit/program/interrupt.h"
#include "apps/kit/program/say.h"
#include "apps/kit/settings/command_config.h"
#include "apps/kit/settings/config_options.h"
#include "apps/kit/settings/document.h"
#include "apps/kit/settings/toml_text.h"
#include "core/text/terminal_safe.h"
#include "sotto/protocol/error/errors.h"

namespace sotto::apps {
namespace {

struct DoctorArguments {
  ConfigArguments config;
  std::chrono::milliseconds wait = std::chrono::seconds(30);
  bool align = false;
  bool json = false;
};

// Parses "500ms", "30s", "5m" or "1h". A number without a unit is in seconds.
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

// The command ends with the exit code that the role would end with.
void end_with(const Findings& findings, const std::string& role, bool json) {
  if (!json) show_table(findings);
  for (const Finding& finding : findings) {
    if (finding.verdict != Verdict::problem) continue;
    throw FailedRun(finding.code, fmt::format("{}: {}", finding.subject, finding.text), to_json(findings, role));
  }
  if (!json) return;
  fmt::print("{}\n", json_text(to_json(findings, role), 2));
}

CommandSettings* role_of(const std::filesystem::path& file,
                         const std::vector<std::unique_ptr<CommandSettings>>& roles) {
  const std::string text = read_file(file, longest_config);
  for (const auto& role : roles) {
    if (!parse_document(role->keys(), text, file, Unknown::skipped).tables.empty()) return role.get();
  }
  return nullptr;
}

Origins fill_role(CommandSettings& role, const ConfigArguments& arguments) {
  if (!arguments.flags.empty()) {
    throw InputError(fmt::format("--set {}.<key>", role.table()),
                     fmt::format("gives a value of this config; the other flags are not of `sotto {}`", role.name()));
  }
  ConfigOverlay overlay;
  if (!arguments.ignore_variables) overlay.variables = settings_of_variables(role.keys(), process_variables());
  for (const std::string& assignment : arguments.assignments) {
    overlay.flags.push_back(setting_of_assignment(role.keys(), assignment));
  }
  const ConfigDocument document =
      fill_from(role, read_file(arguments.file, longest_config), arguments.file.string(), overlay);
  role.require_all();
  return origins_of(document);
}

[[noreturn]] void refuse_config(ExitCode code, const char* what, bool json) {
  const Findings findings{problem("config", code, what)};
  if (!json) show_table(findings);
  throw FailedRun(code, what, to_json(findings, ""));
}

void run_doctor(Command& app, const Keys& keys, const AsAlignment& as_alignment, const DoctorArguments& arguments) {
  catch_interrupts();
  const auto roles = command_roles(app);
  CommandSettings* role = nullptr;
  EffectiveConfig effective;
  try {
    role = role_of(arguments.config.file, roles);
    if (role == nullptr) {
      effective = effective_config(keys, arguments.config);
    } else if (arguments.align) {
      throw InputError("--align", "this role has no table to align: leave it out");
    } else {
      effective.origins = fill_role(*role, arguments.config);
    }
    if (arguments.align) effective.config = as_alignment(*effective.config);
  } catch (const Error& error) {
    refuse_config(error.exit_code(), error.what(), arguments.json);
  } catch (const UsageError& error) {
    refuse_config(ExitCode::usage, error.what(), arguments.json);
  }
  const Settings& config = role != nullptr ? static_cast<const Settings&>(*role) : *effective.config;
  if (arguments.config.print) {
    fmt::print("{}", annotated_toml(config, effective.origins));
    return;
  }
  const Examination examination{arguments.wait, [](const std::string& line) { say(line); }, interrupted()};
  Findings findings{good("config", fmt::format("{}, of the {}", arguments.config.file.string(), config.name()))};
  std::map<std::string, std::string> in_config;
  if (role == nullptr) in_config = names_in_config(config.program().settings);
  for (Finding& finding :
       role != nullptr ? examine_service(*role, examination) : examine(*effective.config, examination)) {
    finding.text = respell_flags(finding.text, in_config);
    finding.advice = respell_flags(finding.advice, in_config);
    findings.push_back(std::move(finding));
  }
  end_with(findings, config.name(), arguments.json);
}

}  // namespace

void add_doctor_command(Command& app, const Keys& keys, AsAlignment as_alignment) {
  Command* command =
      app.add_subcommand("doctor", "Try a role's config: files, key, port, and every peer; say what to do");
  const auto arguments = std::make_shared<DoctorArguments>();
  add_config_options(*command, arguments->config, keys.all());
  command
      ->add_option_function(
          "--wait", [arguments = arguments.get()](const std::string& text) { arguments->wait = parse_wait(text); },
          "How long to try peers that do not answer, such as 30s (default)")
      ->type_name("TIME");
  command->add_flag("--align", arguments->align, "Try it for `sotto align`, whose files need not be there yet");
  command->add_flag("--json", arguments->json, "Print JSON instead of a table");
  command->footer(
      "Run it on all machines at about the same time, or where a role already waits for its peers: doctors and waiting "
      "roles answer each other. It exits with 0 if a run would start, else with the exit code of the first problem.\n"
      "For a role of ROBIN or P2B it tries the key, the port, and the services that the role connects to.\n"
      "Examples:\n"
      "  sotto doctor --config party_0.toml\n"
      "  sotto doctor --config party_0.toml --align\n"
      "  sotto doctor --config party_0.toml --wait 5m --json");
  command->callback([&app, &keys, as_alignment = std::move(as_alignment), arguments] {
    run_doctor(app, keys, as_alignment, *arguments);
  });
}

}  // namespace sotto::apps
