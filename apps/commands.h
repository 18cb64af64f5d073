// The programs of sotto, and their subcommands.
#pragma once

namespace sotto::apps {

class Command;
class Keys;

// Of the programs whose roles have configs.
[[nodiscard]] const Keys& all_keys();

// Each is in files of its own, in the folder of its program or of the kit.
void add_commands(Command& app);

}  // namespace sotto::apps
