#include "sotto/apps/kit/settings/manual.h"

#include <fmt/format.h>

namespace sotto::apps {
namespace {

std::string details(const Setting& setting, const Settings& defaults) {
  std::string text = setting.expected;
  const auto standard = setting.required ? std::nullopt : setting.write(defaults);
  if (setting.required) text += "; required";
  if (standard) text += fmt::format("; default {}", *standard);
  if (!setting.flag.empty()) text += fmt::format("; {}", setting.flag);
  return text;
}

// Empty of a setting that all programs have.
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

std::string settings_manual(const Keys& keys, const std::vector<std::unique_ptr<CommandSettings>>& roles) {
  std::string text =
      "What a role's config may say. The key k of table t is also the variable SOTTO_<T>_<K> and the flag\n"
      "--set t.k=value: a flag wins over a variable, a variable over the file, the file over the default.\n"
      "[run], [link] and [trust] must be the same at every role.\n";
  std::string table;
  for (const Setting& setting : keys.all()) {
    if (setting.table == "peers" || setting.table == "trust") continue;
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
    text += fmt::format("\n[peers] and [trust] of {}\n  {}\n", program->name, kinds);
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
