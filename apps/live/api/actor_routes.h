// The actor's own interface: decisions, one and many, activation, drain and mode. docs/live.md has it with examples.
#pragma once

#include "apps/live/api/api_context.h"

namespace sotto::apps::live {

// `service` must outlive the server.
void add_actor_routes(Router& router, ActorService& service, const SharedContext& context);

}  // namespace sotto::apps::live
