// The programs of sotto, and their subcommands.
#pragma once

namespace sotto::apps {

class Command;
class Keys;

// The keys of all programs whose roles have configs.
[[nodiscard]] const Keys& all_keys();

// Adds all commands. The code of each command is in the folder of its program or of the kit.
void add_commands(Command& app);

}  // namespace sotto::apps
