#include "sotto/apps/kit/settings/overlay.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "sotto/apps/kit/program/near_name.h"
#include "sotto/apps/kit/program/number_text.h"
#include "sotto/apps/kit/settings/toml_text.h"
#include "sotto/core/error/errors.h"

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

// Every SOTTO_<TABLE>_ belongs to the config; of other names only a slip of a letter or two is taken for one of its
// keys, since other programs may have variables that begin with SOTTO_.
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

}  // namespace sotto::apps
