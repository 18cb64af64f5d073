// All routes of a role's HTTP server, as docs/openapi.json has them.
#pragma once

#include "apps/kit/metrics/metrics.h"
#include "apps/live/api/api_context.h"

namespace sotto::apps::live {

// `service` and `metrics` must outlive the server; the metrics get those of the role.
[[nodiscard]] Router live_routes(ActorService& service, const SharedContext& context, Metrics& metrics);
[[nodiscard]] Router live_routes(PartyService& service, const SharedContext& context, Metrics& metrics);
[[nodiscard]] Router live_routes(RewarderService& service, const SharedContext& context, Metrics& metrics);
[[nodiscard]] Router live_routes(WitnessService& service, const SharedContext& context, Metrics& metrics);

}  // namespace sotto::apps::live
