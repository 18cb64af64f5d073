// Parses a command line by the commands of a program.
#pragma once

#include <string>
#include <vector>

#include "apps/kit/program/command.h"

namespace sotto::apps {

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

}  // namespace sotto::apps
