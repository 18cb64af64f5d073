#include "apps/kit/settings/command_config.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "apps/kit/files/input_file.h"
#include "apps/kit/settings/config_options.h"
#include "apps/kit/settings/document.h"
#include "apps/kit/settings/section.h"
#include "apps/kit/settings/toml_text.h"
#include "sotto/protocol/error/errors.h"

namespace sotto::apps {
namespace {

bool is_setting(const Option& option) {
  static const char* const own[] = {"--config", "--ignore-variables", "--print-config"};
  return !option.is_hidden && option.flag.starts_with("--") &&
         std::find(std::begin(own), std::end(own), option.flag) == std::end(own);
}

bool is_number(const Option& option) { return option.kind == ValueKind::whole || option.kind == ValueKind::real; }

std::string expected_of(const Option& option) {
  if (option.range) return option.range->expected;
  if (!option.words.empty()) return fmt::format("one of {}", fmt::join(option.words, ", "));
  if (option.is_flag) return "true or false";
  return option.is_list ? "a list of texts" : option.kind == ValueKind::path ? "a file name" : "a text";
}

std::string toml_of(const Option& option, const std::string& text) {
  if (option.kind == ValueKind::real) return toml_real(detail::real_of(text));
  return option.kind == ValueKind::whole ? text : toml_quoted(text);
}

std::optional<std::string> written(const Option& option) {
  if (option.is_flag) return option.given > 0 ? std::optional<std::string>("true") : std::nullopt;
  if (option.given == 0) {
    return option.standard.empty() ? std::nullopt : std::optional(toml_of(option, option.standard));
  }
  if (option.is_list) return toml_text(option.texts);
  return toml_of(option, option.texts.back());
}

void take(Option& option, const Section& table, const std::string& key) {
  if (option.given > 0) return;  // a flag wins
  if (option.is_flag) {
    if (table.choice(key).value_or(false)) option.give({});
    return;
  }
  std::vector<std::string> texts = table.texts(key);
  if (texts.empty()) return;
  if (texts.size() > 1 && !option.is_list) table.refuse(key);
  try {
    option.give(std::move(texts));
  } catch (const UsageError&) {
    table.refuse(key);
  }
}

Setting setting_of(Option& option, const std::string& table) {
  std::string key = option.flag.substr(2);
  std::replace(key.begin(), key.end(), '-', '_');
  Setting setting = make_setting(table + "." + key, option.kind, expected_of(option), option.help);
  setting.flag = option.flag;
  setting.unit = option.type;
  setting.required = option.is_required;
  if (key.starts_with("insecure")) {
    setting.danger = option.help;
    setting.remedy = "drop it";
  }
  setting.read = [&option, key](const Section& section, Settings&) { take(option, section, key); };
  setting.write = [&option](const Settings&) { return written(option); };
  const std::string unit = is_number(option) ? option.type : toml_quoted(key == "key" ? "key.pem" : option.type);
  setting.example = option.is_flag ? "true" : option.is_list ? "[" + unit + "]" : unit;
  return setting;
}

Program program_of(Command& command, std::vector<std::string> words) {
  Program program;
  program.word = command.role()->table;
  program.name = fmt::format("{}", fmt::join(words, " "));
  program.command = std::move(words);
  for (const auto& option : command.options()) {
    if (is_setting(*option)) program.settings.push_back(setting_of(*option, program.word));
  }
  return program;
}

void find_roles(Command& above, const std::vector<std::string>& words,
                std::vector<std::unique_ptr<CommandSettings>>& found) {
  for (const auto& command : above.subcommands()) {
    std::vector<std::string> own = words;
    own.push_back(command->name());
    if (command->role() != nullptr) found.push_back(std::make_unique<CommandSettings>(*command, own));
    find_roles(*command, own, found);
  }
}

std::string details(const Setting& setting, const Settings& defaults) {
  std::string text = setting.expected;
  const auto standard = setting.required ? std::nullopt : setting.write(defaults);
  if (setting.required) text += "; required";
  if (standard) text += fmt::format("; default {}", *standard);
  if (!setting.flag.empty()) text += fmt::format("; {}", setting.flag);
  return text;
}

std::string whose(const Setting& setting, const Keys& keys) {
  std::string names;
  std::size_t count = 0;
  for (const Program* program : keys.programs()) {
    if (program->find(setting.table, setting.name) == nullptr) continue;
    names += (names.empty() ? "" : ", ") + program->name;
    ++count;
  }
  return count == keys.programs().size() ? "" : fmt::format(" [{}]", names);
}

}  // namespace

CommandSettings::CommandSettings(Command& command, std::vector<std::string> words)
    : command_(command), program_(program_of(command, std::move(words))), keys_({&program_}) {}

void CommandSettings::read(const ConfigDocument& document) {
  const Section section(document, table());
  for (const Setting& setting : program_.settings) setting.read(section, *this);
}

void CommandSettings::require_all() const {
  for (const auto& option : command_.options()) {
    if (option->is_required && option->given == 0) throw UsageError(option->flag + " is required");
  }
}

std::vector<std::unique_ptr<CommandSettings>> command_roles(Command& app) {
  std::vector<std::unique_ptr<CommandSettings>> found;
  find_roles(app, {}, found);
  return found;
}

ConfigDocument fill_from(CommandSettings& settings, const std::string& toml, const std::string& file,
                         const ConfigOverlay& overlay) {
  ConfigDocument document{&settings.keys(), nullptr, {}, {}};
  if (!file.empty()) document = parse_document(settings.keys(), toml, file);
  document.program = &settings.program();
  lay_over(document, overlay);
  for (const Setting& setting : settings.program().settings) {
    const Option& option = *settings.command().option(setting.flag);
    if (option.given > 0) document.tables[setting.table][setting.name].origin = Origin{setting.flag, 0, 0, {}};
  }
  settings.read(document);
  return document;
}

void add_command_config(Command& command, CommandRole role) {
  const auto given = std::make_shared<ConfigArguments>();
  add_config_flags(command, *given, fmt::format("A config, TOML: its table [{}] has these options", role.table),
                   make_setting(role.table + ".", ValueKind::text, "", "").variable() + "<OPTION>");
  command.runs(std::make_shared<CommandRole>(std::move(role)));
  command.before([&command, given] {
    CommandSettings settings(command, {command.name()});
    // The environment variables are not meant for a role that another process starts.
    const auto& options = command.options();
    const bool launched = std::any_of(options.begin(), options.end(),
                                      [](const auto& option) { return option->is_hidden && option->given > 0; });
    ConfigOverlay overlay;
    if (!given->ignore_variables && !launched) {
      overlay.variables = settings_of_variables(settings.keys(), process_variables());
    }
    const std::string toml = given->file.empty() ? "" : read_file(given->file, longest_config);
    const ConfigDocument document = fill_from(settings, toml, given->file.string(), overlay);
    if (given->print) fmt::print("{}", annotated_toml(settings, origins_of(document)));
    return !given->print;
  });
}

std::string settings_manual(const Keys& keys, const std::vector<std::unique_ptr<CommandSettings>>& roles) {
  std::string text =
      "The keys of a role's config. The key k of table t is also the variable SOTTO_<T>_<K> and the flag\n"
      "--set t.k=value. A flag wins over a variable, a variable over the file, the file over the default.\n"
      "[run], [service], [link] and [trust] must be the same at every role.\n";
  std::string table;
  for (const Setting& setting : keys.all()) {
    if (setting.table == "peers" || setting.table == "trust" || setting.table == Program::next_trust_table) continue;
    if (setting.table != table) text += fmt::format("\n[{}]\n", setting.table);
    table = setting.table;
    const Program* program = nullptr;
    for (const Program* one : keys.programs()) {
      if (program == nullptr && one->find(setting.table, setting.name) != nullptr) program = one;
    }
    const Setting& own = *program->find(setting.table, setting.name);
    text += fmt::format("  {}{}\n      {}\n      {}\n", setting.name, whose(setting, keys), setting.help,
                        details(setting.path() == "run.protocol" ? setting : own, *program->make()));
  }
  for (const Program* program : keys.programs()) {
    std::string kinds;
    for (const RoleKind& kind : program->roles) {
      kinds += (kinds.empty() ? "" : ", ") + kind.key(kind.first.value_or(0)) + (kind.first ? ", ..." : "");
    }
    text +=
        fmt::format("\n[peers]{} of {}\n  {}\n",
                    program->has_next_trust() ? ", [trust] and [next_trust]" : " and [trust]", program->name, kinds);
  }
  for (const auto& role : roles) {
    text += fmt::format("\n[{}], of `sotto {}`\n", role->table(), role->name());
    for (const Setting& setting : role->program().settings) {
      text += fmt::format("  {}\n      {}\n      {}\n", setting.name, setting.help, details(setting, *role));
    }
  }
  return text;
}

}  // namespace sotto::apps
