// The main() of every program parses the command line, and turns an error into one line on stderr and an exit code.
// With --json the error is one JSON object on stdout.
#pragma once

#include <string>
#include <vector>

#include "apps/kit/program/command.h"

namespace sotto::apps {

class Command;

struct Executable {
  std::string name;    // "sotto"
  std::string about;   // text of --help
  std::string footer;  // text at the end of --help, such as examples
  void (*add_commands)(Command& app);
};

// Returns the process's exit code and throws nothing.
[[nodiscard]] int run_main(const Executable& program, int argc, char** argv);

// The code below parses a command line with the commands of a program.

// Texts of --help before and after the list of commands.
struct Front {
  std::string about;
  std::string version;
  std::string footer;
};

// Fills in the options and runs the one command that was named, or prints the output of --help, --version and `help`.
// `words` are the words after the program's own name. Throws the errors of the command. If a word is unknown, throws an
// UsageError that names the first unknown word and the word that was probably meant.
void parse_and_run(Command& program, const Front& front, std::vector<std::string> words);

// Further outputs made from the commands of a program: its man page, and completion for bash.

// The man page of section 1, in roff: every command with its options and examples.
[[nodiscard]] std::string man_page(const Command& program, const std::string& version);

// A bash script for users to source, which completes the commands and the flags of each command.
[[nodiscard]] std::string bash_completion(const Command& program);

}  // namespace sotto::apps
