#include "apps/kit/settings/role_settings.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "apps/kit/files/json.h"
#include "apps/kit/program/option_values.h"
#include "apps/kit/program/say.h"
#include "apps/kit/settings/document.h"
#include "apps/kit/settings/toml_text.h"
#include "core/text/terminal_safe.h"
#include "sotto/protocol/error/errors.h"

namespace sotto::apps {
namespace {

constexpr std::string_view prefix = "SOTTO_";

ConfigScalar scalar(const Setting& key, const std::string& text) {
  switch (key.kind) {
    case ValueKind::whole:
      if (const auto value = number_of<std::int64_t>(text)) return *value;
      break;
    case ValueKind::real:
      if (const auto value = number_of<double>(text)) return *value;
      break;
    case ValueKind::choice:
      if (text == "true") return true;
      if (text == "false") return false;
      break;
    case ValueKind::text:
    case ValueKind::path:
      break;
  }
  return text;
}

GivenSetting setting(const Setting& key, const std::string& text, const std::string& origin) {
  if (!is_utf8(text)) throw InputError(origin, "the value is not text in UTF-8");
  GivenSetting result{key, {}};
  result.value.value = scalar(key, text);
  result.value.origin.name = origin;
  result.value.origin.folder = std::filesystem::current_path();
  return result;
}

std::vector<std::string> variable_names(const Keys& keys) {
  std::vector<std::string> names;
  for (const Setting& key : keys.all()) names.push_back(key.variable());
  return names;
}

// All names SOTTO_<TABLE>_... belong to configs. Another variable SOTTO_... may belong to another program, and is
// refused only if its name is very near to that of a key.
void refuse_unknown_variable(const Keys& keys, const std::string& name) {
  const auto of_table = [&](const std::string& table) {
    return name.starts_with(make_setting(table + ".", ValueKind::text, "", "").variable());
  };
  const std::string hint = did_you_mean(name, variable_names(keys));
  const std::vector<std::string>& tables = keys.tables();
  if (hint.empty() && std::none_of(tables.begin(), tables.end(), of_table)) return;
  throw InputError(name, fmt::format("no key of a config has this variable{}",
                                     hint.empty() ? "; correct its name or unset it" : hint));
}

void refuse_keys_of_others(const ConfigDocument& document, const Program& own) {
  for (const Setting& setting : document.keys->all()) {
    const ConfigValue* value = document.find(setting.table, setting.name);
    if (value == nullptr || own.find(setting.table, setting.name) != nullptr) continue;
    for (const Program* other : document.keys->programs()) {
      if (other->find(setting.table, setting.name) == nullptr) continue;
      throw InputError(value->origin.where(),
                       fmt::format("{} in [{}] is of runs of {}, and this is one of {} (protocol in [run])",
                                   setting.name, setting.table, other->name, own.name));
    }
  }
}

bool is_set(const ConfigLine& line) { return line.value != "false"; }

}  // namespace

std::vector<GivenSetting> settings_of_variables(const Keys& keys, const std::map<std::string, std::string>& variables) {
  std::vector<GivenSetting> settings;
  std::map<std::string, std::string> left;
  for (const auto& [name, text] : variables) {
    if (name.starts_with(prefix)) left.emplace(name, text);
  }
  for (const Setting& key : keys.all()) {
    const auto found = left.find(key.variable());
    if (found == left.end()) continue;
    if (!found->second.empty()) settings.push_back(setting(key, found->second, found->first));
    left.erase(found);
  }
  for (const auto& [name, text] : left) refuse_unknown_variable(keys, name);
  return settings;
}

std::map<std::string, std::string> process_variables() {
  std::map<std::string, std::string> variables;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos) continue;
    variables.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  return variables;
}

GivenSetting setting_of_assignment(const Keys& keys, const std::string& assignment) {
  const std::size_t equals = assignment.find('=');
  const std::string path = assignment.substr(0, equals);
  const std::size_t point = path.find('.');
  if (equals == std::string::npos || point == std::string::npos) {
    throw InputError("--set", fmt::format("'{}' is not table.key=value, such as run.steps=100", path));
  }
  const Setting* key = keys.find(path.substr(0, point), path.substr(point + 1));
  if (key != nullptr) return setting(*key, assignment.substr(equals + 1), "--set " + path);
  std::vector<std::string> paths;
  for (const Setting& known : keys.all()) paths.push_back(known.path());
  throw InputError("--set", fmt::format("a config has no key {}{}", path, did_you_mean(path, paths)));
}

GivenSetting setting_of_flag(const Setting& key, const std::string& text) { return setting(key, text, key.flag); }

void lay_over(ConfigDocument& document, const ConfigOverlay& overlay) {
  for (const GivenSetting& variable : overlay.variables) {
    document.tables[variable.key.table][variable.key.name] = variable.value;
  }
  std::map<std::string, std::string> given;  // path -> flag
  for (const GivenSetting& flag : overlay.flags) {
    const auto [before, fresh] = given.emplace(flag.key.path(), flag.value.origin.name);
    if (!fresh) {
      throw InputError(flag.value.origin.name, fmt::format("{} in [{}] is given twice, by {} too; give it once",
                                                           flag.key.name, flag.key.table, before->second));
    }
    document.tables[flag.key.table][flag.key.name] = flag.value;
  }
}

const Program& program_of(const ConfigDocument& document) {
  const Section run(document, "run");
  const std::optional<std::string> word = run.text("protocol");
  const Program* program = nullptr;
  for (const Program* one : document.keys->programs()) {
    if (word ? one->word == *word : one->is_default) program = one;
  }
  if (program == nullptr) run.refuse("protocol");
  return *program;
}

void read_settings(const ConfigDocument& document, Settings& settings, const std::vector<std::string>& tables) {
  for (const Setting& setting : settings.program().settings) {
    const bool wanted = tables.empty() || std::find(tables.begin(), tables.end(), setting.table) != tables.end();
    if (!wanted) continue;
    const Section table(document, setting.table);
    if (setting.required && document.find(setting.table, setting.name) == nullptr) {
      table.refuse_missing(setting.name);
    }
    setting.read(table, settings);
  }
}

EffectiveConfig config_of(ConfigDocument document) {
  document.program = &program_of(document);
  refuse_keys_of_others(document, *document.program);
  EffectiveConfig effective;
  effective.config = document.program->make();
  read_settings(document, *effective.config);
  check_common_settings(*effective.config, document);
  effective.origins = origins_of(document);
  return effective;
}

Origins origins_of(const ConfigDocument& document) {
  Origins origins;
  for (const auto& [table, values] : document.tables) {
    for (const auto& [key, value] : values) origins.emplace(fmt::format("{}.{}", table, key), value.origin);
  }
  return origins;
}

EffectiveConfig read_effective_config(const Keys& keys, const std::filesystem::path& file,
                                      const ConfigOverlay& overlay) {
  ConfigDocument document = read_document(keys, file);
  lay_over(document, overlay);
  return config_of(std::move(document));
}

std::vector<ConfigLine> config_lines(const Settings& settings) {
  std::vector<ConfigLine> lines;
  for (const Setting& setting : settings.program().settings) {
    if (auto value = setting.write(settings)) lines.push_back({&setting, std::move(*value)});
  }
  return lines;
}

std::string to_toml(const RoleSettings& settings) {
  std::string text;
  std::string table;
  for (const ConfigLine& line : config_lines(settings)) {
    if (line.setting->table != table) {
      text += fmt::format("{}[{}]\n", table.empty() ? "" : "\n", line.setting->table);
    }
    table = line.setting->table;
    text += fmt::format("{} = {}\n", line.setting->name, line.value);
  }
  return text;
}

std::string annotated_toml(const Settings& settings, const Origins& origins) {
  std::string text = fmt::format("# The config of {}: each value with its origin\n", settings.name());
  std::string table;
  for (const ConfigLine& line : config_lines(settings)) {
    const Setting& setting = *line.setting;
    if (setting.table != table) text += fmt::format("\n[{}]\n", setting.table);
    table = setting.table;
    const auto origin = origins.find(setting.path());
    const std::string from = origin == origins.end() ? "default" : origin->second.brief();
    const bool insecure = !setting.danger.empty() && is_set(line);
    text += terminal_safe(
        fmt::format("{} = {}  # {}{}", setting.name, line.value, from, insecure ? "; INSECURE: " + setting.help : ""));
    text += '\n';
  }
  return text;
}

std::string agreed_text(const RoleSettings& settings) {
  std::string text;
  for (const ConfigLine& line : config_lines(settings)) {
    const std::string& table = line.setting->table;
    if (settings.program().is_own(table)) continue;
    text += fmt::format("{}{} = {}", table == "run" ? "" : table + "_", line.setting->name, line.value);
    // The handshake accepts two lists that share a fingerprint.
    const auto next = settings.next_trust.find(line.setting->name);
    if (table == "trust" && next != settings.next_trust.end()) text += " " + toml_quoted(next->second);
    text += '\n';
  }
  return text;
}

std::vector<std::string> insecure_options(const RoleSettings& settings) {
  std::vector<std::string> names;
  for (const ConfigLine& line : config_lines(settings)) {
    if (line.setting->danger.empty() || !is_set(line)) continue;
    names.push_back(line.setting->name);
    std::replace(names.back().begin(), names.back().end(), '_', '-');
  }
  return names;
}

nlohmann::json settings_json(const Settings& settings) {
  nlohmann::json object = nlohmann::json::object();
  for (const ConfigLine& line : config_lines(settings)) {
    // TOML and JSON write these values in the same way.
    if (line.setting->table == "run" && !line.setting->of_owner) {
      object[line.setting->name] = nlohmann::json::parse(line.value);
    }
  }
  return object;
}

}  // namespace sotto::apps
