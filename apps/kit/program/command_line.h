// The command as the user typed it, for reports.
#pragma once

#include <string>

namespace sotto::apps {

// Called once by main.
void remember_command_line(const std::string& program, int argc, char** argv);

// Words quoted as a shell needs them.
[[nodiscard]] std::string command_line();

// Whether --json is among the words, also where the rest of them makes no sense.
[[nodiscard]] bool json_wanted();

// A word as a shell takes it.
[[nodiscard]] std::string shell_quoted(const std::string& word);

}  // namespace sotto::apps
