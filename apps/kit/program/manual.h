// What else is made of the commands of a program: its man page, and completion for bash.
#pragma once

#include <string>

#include "apps/kit/program/command.h"

namespace sotto::apps {

// Of section 1, in roff: every command with its options and examples.
[[nodiscard]] std::string man_page(const Command& program, const std::string& version);

// A script to source: commands, and the flags of each.
[[nodiscard]] std::string bash_completion(const Command& program);

}  // namespace sotto::apps
