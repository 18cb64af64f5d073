#include "sotto/apps/kit/settings/role_settings.h"

#include <fmt/format.h>

#include <algorithm>

#include "sotto/apps/kit/settings/common_settings.h"
#include "sotto/apps/kit/settings/section.h"
#include "sotto/core/error/errors.h"
#include "sotto/core/text/terminal_safe.h"

namespace sotto::apps {
namespace {

// InputError if there is a key that only other programs have.
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
    if (table == "role" || table == "peers") continue;
    text += fmt::format("{}{} = {}\n", table == "run" ? "" : table + "_", line.setting->name, line.value);
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

}  // namespace sotto::apps
