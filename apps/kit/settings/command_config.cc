#include "sotto/apps/kit/settings/command_config.h"

#include <fmt/format.h>
#include <algorithm>
#include <cctype>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <vector>

#include "sotto/apps/kit/files/input_file.h"
#include "sotto/apps/kit/program/near_name.h"
#include "sotto/apps/kit/settings/overlay.h"
#include "sotto/apps/kit/settings/toml_file.h"
#include "sotto/apps/kit/settings/toml_limits.h"
#include "sotto/apps/kit/settings/toml_text.h"
#include "sotto/core/error/errors.h"
#include "sotto/core/text/terminal_safe.h"

namespace sotto::apps {
namespace {

const char* const own_flags[] = {"--config", "--ignore-variables", "--print-config"};

bool is_setting(const Option& option) {
  const bool own = std::find(std::begin(own_flags), std::end(own_flags), option.flag) != std::end(own_flags);
  return !own && !option.is_hidden && option.flag.starts_with("--");
}

std::string key_of(const Option& option) {
  std::string key = option.flag.substr(2);
  std::replace(key.begin(), key.end(), '-', '_');
  return key;
}

std::string capitals(std::string text) {
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

std::string variable_of(const std::string& table, const Option& option) {
  return fmt::format("SOTTO_{}_{}", capitals(table), capitals(key_of(option)));
}

// As TOML writes what the option was given.
std::string toml_of(const Option& option) {
  const bool bare = option.range.has_value();
  const auto one = [&](const std::string& text) { return bare ? text : toml_quoted(text); };
  if (option.is_flag) return "true";
  if (!option.is_list) return one(option.texts.back());
  std::string list;
  for (const std::string& text : option.texts) list += (list.empty() ? "" : ", ") + one(text);
  return "[" + list + "]";
}

void give(Option& option, std::vector<std::string> texts, const std::string& origin) {
  try {
    option.give(std::move(texts));
    option.origin = origin;
  } catch (const UsageError& error) {
    throw InputError(origin, error.what());
  }
}

std::string text_of(const toml::node& node, const Option& option, const std::string& where,
                    const std::filesystem::path& folder) {
  const auto refuse = [&] {
    return InputError(where, fmt::format("{} must be a single value: {}", key_of(option), option.help));
  };
  if (const auto* value = node.as_string()) {
    const std::string text = value->get();
    return option.is_path && !text.empty() ? (folder / text).lexically_normal().string() : text;
  }
  if (const auto* value = node.as_integer()) return fmt::format("{}", value->get());
  if (const auto* value = node.as_floating_point()) return fmt::format("{}", value->get());
  throw refuse();
}

void take_node(Option& option, const toml::node& node, const std::string& where, const std::filesystem::path& folder) {
  if (option.is_flag) {
    const auto* value = node.as_boolean();
    if (value == nullptr) throw InputError(where, key_of(option) + " must be true or false");
    if (value->get()) give(option, {}, where);
    return;
  }
  std::vector<std::string> texts;
  if (const auto* list = node.as_array(); list != nullptr && option.is_list) {
    for (const toml::node& element : *list) texts.push_back(text_of(element, option, where, folder));
  } else {
    texts.push_back(text_of(node, option, where, folder));
  }
  if (!texts.empty()) give(option, std::move(texts), where);
}

// The one table of the file.
void take_file(Command& command, const std::string& table, const std::string& text, const std::string& file) {
  const toml::table root = parse_toml(text, file);
  const std::filesystem::path folder = std::filesystem::absolute(file).parent_path();
  for (const auto& [name, node] : root) {
    if (name.str() == table && node.is_table()) continue;
    throw InputError(toml_place(file, name.source()),
                     fmt::format("unknown '{}': the config of this role is the table [{}]",
                                 terminal_safe(name.str().substr(0, 40)), table));
  }
  const toml::table* const values = root[table].as_table();
  if (values == nullptr) return;
  std::vector<std::string> known;
  for (const auto& option : command.options()) {
    if (is_setting(*option)) known.push_back(key_of(*option));
  }
  for (const auto& [name, node] : *values) {
    const std::string key(name.str());
    if (std::find(known.begin(), known.end(), key) == known.end()) {
      throw InputError(
          toml_place(file, name.source()),
          fmt::format("unknown key '{}' in [{}]{}", terminal_safe(key.substr(0, 40)), table, did_you_mean(key, known)));
    }
    for (const auto& option : command.options()) {
      if (!is_setting(*option) || key_of(*option) != key || option->given > 0) continue;
      take_node(*option, node, toml_place(file, node.source()), folder);
    }
  }
}

void take_variables(Command& command, const std::string& table, const std::map<std::string, std::string>& variables) {
  std::vector<std::string> known;
  for (const auto& option : command.options()) {
    if (is_setting(*option)) known.push_back(variable_of(table, *option));
  }
  for (const auto& [name, text] : variables) {
    const bool of_table = name.starts_with("SOTTO_" + capitals(table) + "_");
    if (!of_table || std::find(known.begin(), known.end(), name) != known.end()) continue;
    throw InputError(name, fmt::format("no setting of this role has this variable{}", did_you_mean(name, known)));
  }
  for (const auto& option : command.options()) {
    if (!is_setting(*option) || option->given > 0) continue;
    const std::string name = variable_of(table, *option);
    const auto found = variables.find(name);
    if (found == variables.end() || found->second.empty()) continue;
    if (!option->is_flag) {
      give(*option, {found->second}, name);
    } else if (found->second == "true") {
      give(*option, {}, name);
    } else if (found->second != "false") {
      throw InputError(name, "must be true or false");
    }
  }
}

void print(const Command& command, const std::string& table) {
  fmt::print("[{}]\n", table);
  for (const auto& option : command.options()) {
    if (!is_setting(*option)) continue;
    if (option->given > 0) {
      fmt::print("{} = {}  # {}\n", key_of(*option), terminal_safe(toml_of(*option)),
                 terminal_safe(option->origin.empty() ? option->flag : option->origin));
    } else if (!option->standard.empty()) {
      fmt::print("{} = {}  # default\n", key_of(*option),
                 option->range ? option->standard : toml_quoted(option->standard));
    }
  }
}

}  // namespace

void fill_from(Command& command, const std::string& table, const std::string& toml, const std::string& file,
               const std::map<std::string, std::string>& variables) {
  take_variables(command, table, variables);
  if (!file.empty()) take_file(command, table, toml, file);
}

void add_command_config(Command& command, const std::string& table) {
  struct Given {
    std::filesystem::path file;
    bool ignore_variables = false;
    bool print = false;
  };
  const auto given = std::make_shared<Given>();
  constexpr const char* group = "Config";
  command.add_option("--config", given->file, fmt::format("A config, TOML: its table [{}] has these options", table))
      ->type_name("FILE")
      ->group(group);
  command
      .add_flag("--ignore-variables", given->ignore_variables,
                fmt::format("Take nothing from SOTTO_{}_<OPTION> variables of the environment", capitals(table)))
      ->group(group);
  command.add_flag("--print-config", given->print, "Print what was given, each value with its origin, and end")
      ->group(group);
  command.before([&command, table, given] {
    // What is in the environment is not meant for a role that another process starts with flags of its own.
    const auto& options = command.options();
    const bool launched = std::any_of(options.begin(), options.end(),
                                      [](const auto& option) { return option->is_hidden && option->given > 0; });
    std::map<std::string, std::string> variables;
    if (!given->ignore_variables && !launched) variables = process_variables();
    const std::string text = given->file.empty() ? "" : read_file(given->file, longest_config);
    fill_from(command, table, text, given->file.string(), variables);
    if (given->print) print(command, table);
    return !given->print;
  });
}

}  // namespace sotto::apps
