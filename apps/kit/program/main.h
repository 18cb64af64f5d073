// What the main() of every program is: the command line parsed, an error turned into one line on stderr and an exit
// code, and with --json into one object on stdout.
#pragma once

#include <string>
#include <vector>

#include "apps/kit/program/command.h"

namespace sotto::apps {

class Command;

struct Executable {
  std::string name;    // "sotto"
  std::string about;   // of --help
  std::string footer;  // of --help: examples
  void (*add_commands)(Command& app);
};

// Returns the process's exit code; throws nothing.
[[nodiscard]] int run_main(const Executable& program, int argc, char** argv);

// Parses a command line by the commands of a program.

// What comes before and after the list of commands in --help.
struct Front {
  std::string about;
  std::string version;
  std::string footer;
};

// Fills in the options and runs the one command that was named, or prints what --help, --version and `help` ask for.
// `words` are those after the program's own name. Throws UsageError, which names the first word that no command knows
// and what was probably meant by it, and what the command throws.
void parse_and_run(Command& program, const Front& front, std::vector<std::string> words);

// What else is made of the commands of a program: its man page, and completion for bash.

// Of section 1, in roff: every command with its options and examples.
[[nodiscard]] std::string man_page(const Command& program, const std::string& version);

// A script to source: commands, and the flags of each.
[[nodiscard]] std::string bash_completion(const Command& program);

}  // namespace sotto::apps
