// The command `sotto account`.
#pragma once

namespace sotto::apps {

class Command;

void add_account_command(Command& app);

}  // namespace sotto::apps
