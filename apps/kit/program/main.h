// The main() of every program turns an error into one line on stderr and an exit code. With --json the error is one
// JSON object on stdout.
#pragma once

#include <string>
#include <vector>

#include "apps/kit/program/command.h"

namespace sotto::apps {

class Command;

struct Executable {
  std::string name;  // such as "sotto"
  std::string about;
  std::string footer;  // end of --help
  void (*add_commands)(Command& app);
};

// Throws nothing.
[[nodiscard]] int run_main(const Executable& program, int argc, char** argv);

struct Front {
  std::string about;
  std::string version;
  std::string footer;
};

// Throws the errors of the command, and UsageError for an unknown word.
void parse_and_run(Command& program, const Front& front, std::vector<std::string> words);

[[nodiscard]] std::string man_page(const Command& program, const std::string& version);

[[nodiscard]] std::string bash_completion(const Command& program);

}  // namespace sotto::apps
