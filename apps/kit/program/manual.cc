#include "apps/kit/program/main.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <vector>

namespace sotto::apps {
namespace {

std::string roff(const std::string& text) {
  std::string result;
  bool begins = true;
  for (const char c : text) {
    if (begins && (c == '.' || c == '\'')) result += "\\&";
    if (c == '\\') result += "\\e";
    if (c == '-') result += '\\';
    if (c != '\\') result += c;
    begins = c == '\n';
  }
  return result;
}

void add_option(const Option& option, std::string& text) {
  if (option.is_hidden) return;
  const std::string argument = option.is_flag ? "" : " \\fI" + roff(option.type) + "\\fR";
  text += fmt::format(".TP\n\\fB{}\\fR{}\n{}", roff(option.names), argument, roff(option.help));
  if (option.range && !option.range->help.empty()) text += fmt::format(": {}", roff(option.range->help));
  if (!option.words.empty()) text += roff(fmt::format(": {}", fmt::join(option.words, ", ")));
  if (!option.standard.empty()) text += fmt::format(" (default: {})", roff(option.standard));
  text += option.is_required ? " (required)\n" : "\n";
}

void add_commands(const Command& above, const std::string& name, std::string& text) {
  for (const auto& command : above.subcommands()) {
    if (command->is_hidden()) continue;
    const std::string full = name + " " + command->name();
    text += fmt::format(".SS {}\n{}\n", roff(full), roff(command->about()));
    for (const auto& option : command->options()) add_option(*option, text);
    if (!command->footer_text().empty()) {
      text += fmt::format(".PP\n.nf\n{}\n.fi\n", roff(command->footer_text()));
    }
    add_commands(*command, full, text);
  }
}

void add_cases(const Command& command, const std::string& name, std::string& text) {
  std::vector<std::string> words;
  for (const auto& below : command.subcommands()) {
    if (!below->is_hidden()) words.push_back(below->name());
  }
  for (const auto& option : command.options()) {
    if (!option->is_hidden && option->flag.starts_with("--")) words.push_back(option->flag);
  }
  words.emplace_back("--help");
  text += fmt::format("    '{}') words='{}' ;;\n", name, fmt::join(words, " "));
  for (const auto& below : command.subcommands()) {
    if (!below->is_hidden()) add_cases(*below, name + " " + below->name(), text);
  }
}

}  // namespace

std::string man_page(const Command& program, const std::string& version) {
  std::string title = program.name();
  for (char& c : title) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  std::string text = fmt::format(
      ".TH {} 1 \"\" \"{} {}\"\n.SH NAME\n{} \\- {}\n.SH SYNOPSIS\n\\fB{}\\fR \\fIcommand\\fR [\\fIoption\\fR ...]\n"
      ".SH COMMANDS\n",
      roff(title), roff(program.name()), roff(version), roff(program.name()), roff(program.about()),
      roff(program.name()));
  add_commands(program, program.name(), text);
  text +=
      ".SH SEE ALSO\n"
      "\\fBsotto\\fR(3), the C++ library for programs of your own (package libsotto\\-dev).\n"
      ".PP\n"
      "The pages named above are in share/doc/sotto below the prefix of the installation (/usr/share/doc/sotto in "
      "Debian).\n"
      "They include docs/guides/running\\-roles.md, docs/guides/library.md and docs/explain/privacy.md.\n";
  return text;
}

std::string bash_completion(const Command& program) {
  std::string function = "_" + program.name();
  std::replace(function.begin(), function.end(), '-', '_');
  std::string cases;
  add_cases(program, program.name(), cases);
  return fmt::format(
      "# bash completion of {0}: source it, or install it as {0} into bash-completion/completions.\n"
      "{1}() {{\n"
      "  local command='{0}' word words i\n"
      "  # The commands so far; files complete where no option is begun.\n"
      "  for ((i = 1; i < COMP_CWORD; i++)); do\n"
      "    word=${{COMP_WORDS[i]}}\n"
      "    [[ $word == -* ]] && break\n"
      "    command+=\" $word\"\n"
      "  done\n"
      "  case $command in\n"
      "{2}    *) words='' ;;\n"
      "  esac\n"
      "  COMPREPLY=($(compgen -W \"$words\" -- \"${{COMP_WORDS[COMP_CWORD]}}\"))\n"
      "}}\n"
      "complete -o default -F {1} {0}\n",
      program.name(), function, cases);
}

}  // namespace sotto::apps
