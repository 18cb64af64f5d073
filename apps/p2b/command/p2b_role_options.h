// Flags that the roles of P2B share: the terms, and where a role listens.
#pragma once

#include <string>

#include "sotto/apps/kit/program/service_options.h"
#include "sotto/apps/p2b/roles/terms.h"

namespace sotto::apps {

class Command;

// --codes, --arms, --p, --threshold.
void add_p2b_terms_options(Command& command, P2bTerms& terms);
// --listen, --listen-descriptor; without --trust, which each role has for itself.
void add_p2b_listen_options(Command& command, ListenArguments& arguments, const std::string& clients);

}  // namespace sotto::apps
