// The flags of emulated links: --link-delay, --link-jitter, --link-rate, --link-loss.
#pragma once

#include "sotto/net/transport/emulate/conditions.h"

namespace sotto::apps {

class Command;

// Declares them on a subcommand. What does not parse is an InputError that names the flag.
void add_link_options(Command& command, net::LinkConditions& link);

}  // namespace sotto::apps
