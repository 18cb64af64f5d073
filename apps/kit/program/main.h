// What the main() of every program is: the command line parsed, an error turned into one line on stderr and an exit
// code, and with --json into one object on stdout.
#pragma once

#include <string>

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

}  // namespace sotto::apps
