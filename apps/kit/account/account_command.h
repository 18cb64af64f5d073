// `sotto account`: what a party has given away about each subject (account.h).
#pragma once

namespace sotto::apps {

class Command;

void add_account_command(Command& app);

}  // namespace sotto::apps
