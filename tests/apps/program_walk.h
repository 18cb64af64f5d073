#pragma once

#include "apps/commands.h"
#include "apps/kit/program/command.h"
#include "apps/kit/program/main.h"
#include "tests/apps/support.h"

namespace sotto::apps {

inline std::unique_ptr<Command> make_program() {
  auto program = std::make_unique<Command>("sotto", "sotto");
  add_commands(*program);
  return program;
}

inline bool has_option(const Command& command, const std::string& flag) {
  return std::any_of(command.options().begin(), command.options().end(),
                     [&](const auto& option) { return option->flag == flag; });
}

using Visit = std::function<void(const Command& command, const std::string& name)>;

// Calls `visit` for every command and every subcommand below `above`: "bandit", "p2b", "p2b encoder", ...
inline void walk_commands(const Command& above, const std::string& name, const Visit& visit) {
  for (const auto& command : above.subcommands()) {
    const std::string full = name.empty() ? command->name() : name + " " + command->name();
    visit(*command, full);
    walk_commands(*command, full, visit);
  }
}

inline void walk_program(const Visit& visit) { walk_commands(*make_program(), "", visit); }

inline std::vector<std::string> words_of(const std::string& line) { return split(line, ' '); }

inline std::string refusal_of(Command& program, std::vector<std::string> words) {
  try {
    parse_and_run(program, {}, std::move(words));
    return {};
  } catch (const UsageError& error) {
    return error.what();
  } catch (const Error& error) {
    return error.what();
  }
}

inline std::string refusal_of(std::vector<std::string> words) { return refusal_of(*make_program(), std::move(words)); }

}  // namespace sotto::apps
