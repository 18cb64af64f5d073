#include "apps/kit/program/main.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>

#include "apps/kit/program/say.h"
#include "sotto/protocol/error/errors.h"

namespace sotto::apps {
namespace {

std::vector<std::string> flags_of(const CLI::App& command) {
  std::vector<std::string> flags;
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_group().empty()) continue;
    for (const std::string& name : option->get_lnames()) flags.push_back("--" + name);
  }
  return flags;
}

std::vector<std::string> subcommands_of(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::App* below : command.get_subcommands({})) names.push_back(below->get_name());
  return names;
}

std::string unknown(const CLI::App& command, const std::string& name, const std::string& word) {
  if (word.starts_with('-')) {
    const std::string flag = word.substr(0, word.find('='));
    return fmt::format("'{}' is no option of {}{}", flag, name, did_you_mean(flag, flags_of(command)));
  }
  const std::vector<std::string> known = subcommands_of(command);
  if (known.empty()) return fmt::format("'{}' is one word too many for {}", word, name);
  const std::string near = did_you_mean(word, known);
  return fmt::format("'{}' is no command of {}{}", word, name,
                     near.empty() ? fmt::format(", which has {}", fmt::join(known, ", ")) : near);
}

std::string usage_error(const CLI::App& app, const std::string& otherwise) {
  std::string name = app.get_name();
  for (const CLI::App* command = &app;;) {
    const std::vector<std::string> left = command->remaining();
    if (!left.empty()) return unknown(*command, name, left.front());
    const std::vector<CLI::App*> below = command->get_subcommands();
    if (below.empty()) return otherwise;
    command = below.front();
    name += " " + command->get_name();
  }
}

struct Built {
  Command* command;
  CLI::App* app;
  std::map<std::string, CLI::Option*> options{};
};

CLI::Option* build(CLI::App& app, Option& option) {
  if (option.is_flag) {
    return app.add_flag_callback(
        option.names, [&option] { option.give({}); }, option.help);
  }
  CLI::Option* made = app.add_option(
      option.names,
      [&option](const std::vector<std::string>& texts) {
        option.give(texts);
        return true;
      },
      option.help);
  const bool bounded = option.range && !option.range->help.empty();
  made->type_name(bounded ? option.type + ":" + option.range->help : option.type);
  if (option.is_list) {
    made->type_size(1)->expected(1, CLI::detail::expected_max_vector_size)->allow_extra_args();
  }
  if (option.is_repeated) {
    made->expected(1)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  }
  if (option.separator != 0) made->delimiter(option.separator);
  if (!option.standard.empty()) made->default_str(option.standard);
  return made;
}

void build(Command& command, CLI::App& app, std::vector<Built>& all) {
  Built built{&command, &app};
  for (const auto& option : command.options()) {
    option->given = 0;
    option->texts.clear();
  }
  for (const auto& option : command.options()) {
    CLI::Option* made = build(app, *option);
    made->required(option->is_required && !command.before());
    if (option->is_hidden) made->group("");
    if (!option->heading.empty()) made->group(option->heading);
    built.options[option->flag] = made;
  }
  for (const auto& option : command.options()) {
    for (const std::string& other : option->needed) built.options.at(option->flag)->needs(built.options.at(other));
    for (const std::string& other : option->excluded) {
      built.options.at(option->flag)->excludes(built.options.at(other));
    }
  }
  if (!command.footer_text().empty()) app.footer(command.footer_text());
  if (!command.act()) app.require_subcommand(1);
  all.push_back(built);
  for (const auto& below : command.subcommands()) {
    CLI::App* made = app.add_subcommand(below->name(), below->about());
    if (below->is_hidden()) made->group("");
    if (!below->heading().empty()) made->group(below->heading());
    build(*below, *made, all);
  }
}

const Built& chosen_of(const std::vector<Built>& all) {
  const Built* chosen = &all.front();
  for (const Built& one : all) {
    if (&one == chosen || !one.app->parsed()) continue;
    for (const auto& [flag, option] : chosen->options) {
      if (option->count() == 0) continue;
      throw UsageError(fmt::format("{} is no option of '{}', but of '{}' alone: leave one of them out", flag,
                                   one.app->get_name(), chosen->app->get_name()));
    }
    chosen = &one;
  }
  return *chosen;
}

// Turns `help x` into `x --help`.
void turn_help_round(std::vector<std::string>& words) {
  if (words.empty() || words.front() != "help") return;
  if (words.size() > 1 && words[1].starts_with('-')) return;
  words.erase(words.begin());
  words.emplace_back("--help");
}

void show_bare_command(const Command& program, std::vector<std::string>& words) {
  const Command* named = &program;
  for (const std::string& word : words) {
    const auto& below = named->subcommands();
    const auto found =
        std::find_if(below.begin(), below.end(), [&](const auto& command) { return command->name() == word; });
    if (found == below.end()) return;
    named = found->get();
  }
  if (!named->act()) words.emplace_back("--help");
}

}  // namespace

void parse_and_run(Command& program, const Front& front, std::vector<std::string> words) {
  CLI::App app{front.about, program.name()};
  if (!front.version.empty()) app.set_version_flag("--version", front.version);
  std::vector<Built> all;
  build(program, app, all);
  if (!front.footer.empty()) app.footer(front.footer);
  turn_help_round(words);
  show_bare_command(program, words);
  std::reverse(words.begin(), words.end());
  try {
    app.parse(words);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) {
      app.exit(error);
      return;
    }
    (void)chosen_of(all);
    throw UsageError(usage_error(app, error.what()));
  } catch (const UsageError& error) {
    throw UsageError(usage_error(app, error.what()));
  }
  const Command& chosen = *chosen_of(all).command;
  if (chosen.before() && !chosen.before()()) return;
  for (const auto& option : chosen.options()) {
    if (option->is_required && option->given == 0) {
      throw UsageError(option->flag + " is required");
    }
  }
  try {
    chosen.act()();
  } catch (const InputError& error) {
    throw InputError(chosen.in_its_words(error.what()));
  } catch (const ResourceError& error) {
    throw ResourceError(chosen.in_its_words(error.what()));
  }
}

}  // namespace sotto::apps
