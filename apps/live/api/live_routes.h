// All routes of a role's HTTP server, as docs/reference/openapi.json describes them. All references must outlive the
// server.
#pragma once

#include "apps/kit/metrics/metrics.h"
#include "apps/live/api/api_context.h"

namespace sotto::apps::live {

[[nodiscard]] Router live_routes(ActorService& service, const SharedContext& context, Metrics& metrics);
[[nodiscard]] Router live_routes(PartyService& service, const SharedContext& context, Metrics& metrics);
[[nodiscard]] Router live_routes(RewarderService& service, const SharedContext& context, Metrics& metrics);
[[nodiscard]] Router live_routes(WitnessService& service, const SharedContext& context, Metrics& metrics);

void add_role_routes(Router& router, LiveService& service, const SharedContext& context, const Metrics& metrics);

void add_actor_routes(Router& router, ActorService& service, const SharedContext& context);

void add_party_routes(Router& router, PartyService& service, const SharedContext& context);

void add_rewarder_routes(Router& router, RewarderService& service, const SharedContext& context);

}  // namespace sotto::apps::live
