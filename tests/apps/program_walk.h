// The program's own commands, for tests that hold for all of them.
#pragma once

#include <CLI/CLI.hpp>
#include <algorithm>
#include <functional>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "sotto/apps/commands.h"
#include "sotto/apps/kit/program/usage.h"
#include "sotto/core/error/errors.h"

namespace sotto::apps {

inline std::unique_ptr<CLI::App> make_program() {
  auto app = std::make_unique<CLI::App>("sotto", "sotto");
  app->require_subcommand(1);
  add_commands(*app);
  return app;
}

using Visit = std::function<void(CLI::App& command, const std::string& name)>;

// Every command, and every one below it: "bandit", "p2b", "p2b encoder", ...
inline void walk_commands(CLI::App& above, const std::string& name, const Visit& visit) {
  for (CLI::App* command : above.get_subcommands([](CLI::App*) { return true; })) {
    const std::string full = name.empty() ? command->get_name() : name + " " + command->get_name();
    visit(*command, full);
    walk_commands(*command, full, visit);
  }
}

inline void walk_program(const Visit& visit) {
  const std::unique_ptr<CLI::App> app = make_program();
  walk_commands(*app, "", visit);
}

inline std::vector<std::string> words_of(const std::string& name) {
  std::istringstream in(name);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

// What the program says of a command line that makes no sense; nothing of it must run.
inline std::string refusal_of(CLI::App& app, std::vector<std::string> words) {
  std::reverse(words.begin(), words.end());  // as CLI11 takes them
  try {
    app.parse(words);
    return {};
  } catch (const CLI::ParseError& error) {
    return usage_error(app, error);
  } catch (const Error& error) {
    return error.what();
  }
}

inline std::string refusal_of(std::vector<std::string> words) {
  return refusal_of(*make_program(), std::move(words));
}

}  // namespace sotto::apps
