#include "apps/kit/settings/config_options.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "apps/kit/program/command.h"
#include "apps/kit/settings/section.h"

namespace sotto::apps {
namespace {

constexpr const char* config_group = "Config and its values";

NumberKind number_kind(const Setting& setting) {
  const auto& [least, most, above] = setting.range;
  const bool ends = std::isfinite(most);
  if (setting.kind == ValueKind::whole) {
    return whole(static_cast<std::uint64_t>(least), ends ? static_cast<std::uint64_t>(most) : largest_whole);
  }
  if (above) return real_above_zero();
  return ends ? real(least, most) : real_from_zero();
}

void read_flag(const Setting& setting, const std::string& text, Settings& settings) {
  const Keys keys({&settings.program()});
  ConfigDocument document{&keys, &settings.program(), {}, {}};
  lay_over(document, {{}, {setting_of_flag(setting, text)}});
  setting.read(Section(document, setting.table), settings);
}

}  // namespace

std::map<std::string, std::string> names_in_config(const std::vector<Setting>& settings) {
  std::map<std::string, std::string> names;
  for (const Setting& setting : settings) {
    if (setting.table == "peers" || setting.table == "trust" || setting.table == Program::next_trust_table) continue;
    const std::string name = fmt::format("{} in [{}]", setting.name, setting.table);
    names.emplace(setting.run_flag(), name);
    if (!setting.flag.empty()) names.emplace(setting.flag, name);
  }
  return names;
}

Option* add_flag_for(Command& command, const std::string& flag, const Setting& setting,
                     std::function<void(const std::string&)> take) {
  if (setting.kind == ValueKind::choice) {
    return command.add_flag_callback(
        flag, [take = std::move(take)] { take("true"); }, setting.help);
  }
  return command.add_option_function(flag, std::move(take), setting.help)->type_name(setting.unit);
}

Option* add_setting_option(Command& command, Settings& settings, std::string_view path) {
  const std::size_t point = path.find('.');
  Setting setting = *settings.program().find(path.substr(0, point), path.substr(point + 1));
  setting.flag = setting.run_flag();
  Option* option = add_flag_for(command, setting.flag, setting,
                                [&settings, setting](const std::string& text) { read_flag(setting, text, settings); });
  option->kind = setting.kind;
  if (setting.kind == ValueKind::whole || setting.kind == ValueKind::real) option->number(number_kind(setting));
  option->one_of(setting.words);
  const auto standard = setting.required ? std::nullopt : setting.write(settings);
  if (standard && setting.kind != ValueKind::choice) {
    const bool quoted = standard->starts_with('"');
    option->shows(quoted ? standard->substr(1, standard->size() - 2) : *standard);
  }
  return option;
}

void add_run_options(Command& command, Settings& settings) {
  for (const Setting& setting : settings.program().settings) {
    if (setting.table != "run" || setting.of_owner || setting.known_here) continue;
    add_setting_option(command, settings, setting.path());
  }
}

Option* add_config_flags(Command& command, ConfigArguments& arguments, const std::string& about,
                         const std::string& variables) {
  Option* config = command.add_option("--config", arguments.file, about)->type_name("FILE")->group(config_group);
  command
      .add_flag("--print-config", arguments.print,
                "Print the config as it will be used, each value with its origin, and end")
      ->group(config_group);
  command
      .add_flag("--ignore-variables", arguments.ignore_variables,
                fmt::format("Take nothing from {} variables of the environment", variables))
      ->group(config_group);
  return config;
}

void add_config_options(Command& command, ConfigArguments& arguments, const std::vector<Setting>& settings) {
  add_config_flags(command, arguments, "The role's config, TOML", "SOTTO_<TABLE>_<KEY>")->required();
  command
      .add_option("--set", arguments.assignments, "Any key of the config, such as run.steps=100; as often as needed")
      ->type_name("TABLE.KEY=VALUE")
      ->each_time()
      ->group(config_group);
  for (const Setting& setting : settings) {
    if (setting.flag.empty()) continue;
    Option* option =
        add_flag_for(command, setting.flag, setting,
                     [&arguments, path = setting.path()](const std::string& text) { arguments.flags[path] = text; });
    option->help += fmt::format(" ({})", setting.variable());
    option->group(config_group);
  }
}

EffectiveConfig effective_config(const Keys& keys, const ConfigArguments& arguments) {
  ConfigOverlay overlay;
  if (!arguments.ignore_variables) overlay.variables = settings_of_variables(keys, process_variables());
  for (const std::string& assignment : arguments.assignments) {
    overlay.flags.push_back(setting_of_assignment(keys, assignment));
  }
  for (const Setting& key : keys.all()) {
    const auto given = arguments.flags.find(key.path());
    if (given != arguments.flags.end()) {
      overlay.flags.push_back(setting_of_flag(key, given->second));
    }
  }
  return read_effective_config(keys, arguments.file, overlay);
}

}  // namespace sotto::apps
