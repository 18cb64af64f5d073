#include "sotto/apps/kit/program/usage.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <vector>

#include "sotto/apps/kit/program/near_name.h"

namespace sotto::apps {
namespace {

std::vector<std::string> flags_of(const CLI::App& command) {
  std::vector<std::string> flags;
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_group().empty()) continue;  // between processes of the program
    for (const std::string& name : option->get_lnames()) flags.push_back("--" + name);
  }
  return flags;
}

std::vector<std::string> subcommands_of(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::App* below : command.get_subcommands({})) names.push_back(below->get_name());
  return names;
}

// Of a word that the command `name` has no place for.
std::string unknown(const CLI::App& command, const std::string& name, const std::string& word) {
  if (word.starts_with('-')) {
    const std::string flag = word.substr(0, word.find('='));
    return fmt::format("'{}' is no option of {}{}", flag, name,
                       did_you_mean(flag, flags_of(command)));
  }
  const std::vector<std::string> known = subcommands_of(command);
  if (known.empty()) return fmt::format("'{}' is one word too many for {}", word, name);
  const std::string near = did_you_mean(word, known);
  return fmt::format("'{}' is no command of {}{}", word, name,
                     near.empty() ? fmt::format(", which has {}", fmt::join(known, ", ")) : near);
}

}  // namespace

std::string usage_error(const CLI::App& app, const CLI::ParseError& error) {
  std::string name = app.get_name();
  for (const CLI::App* command = &app;;) {
    const std::vector<std::string> left = command->remaining();
    if (!left.empty()) return unknown(*command, name, left.front());
    const std::vector<CLI::App*> below = command->get_subcommands();
    if (below.empty()) return error.what();
    command = below.front();
    name += " " + command->get_name();
  }
}

}  // namespace sotto::apps
