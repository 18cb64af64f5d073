// What every role answers about itself: an event, its state, what privacy was spent, health, metrics and its page.
#pragma once

#include "apps/kit/metrics/metrics.h"
#include "apps/live/api/api_context.h"

namespace sotto::apps::live {

// `service` and `metrics` must outlive the server.
void add_role_routes(Router& router, LiveService& service, const SharedContext& context, const Metrics& metrics);

}  // namespace sotto::apps::live
