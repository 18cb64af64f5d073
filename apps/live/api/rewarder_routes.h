// The rewarder's own interface: rewards of events, one and many.
#pragma once

#include "apps/live/api/api_context.h"

namespace sotto::apps::live {

// `service` must outlive the server.
void add_rewarder_routes(Router& router, RewarderService& service, const SharedContext& context);

}  // namespace sotto::apps::live
