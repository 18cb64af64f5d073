// All routes of a role's HTTP server, as docs/reference/openapi.json describes them.
#pragma once

#include "apps/kit/metrics/metrics.h"
#include "apps/live/api/api_context.h"

namespace sotto::apps::live {

// `service` and `metrics` must outlive the server. The metrics of the role are added to `metrics`.
[[nodiscard]] Router live_routes(ActorService& service, const SharedContext& context, Metrics& metrics);
[[nodiscard]] Router live_routes(PartyService& service, const SharedContext& context, Metrics& metrics);
[[nodiscard]] Router live_routes(RewarderService& service, const SharedContext& context, Metrics& metrics);
[[nodiscard]] Router live_routes(WitnessService& service, const SharedContext& context, Metrics& metrics);

// The routes of every role about the role itself: an event, the role's state, the privacy that was spent, health,
// metrics and the role's page.

// `service` and `metrics` must outlive the server.
void add_role_routes(Router& router, LiveService& service, const SharedContext& context, const Metrics& metrics);

// The actor's own routes: decisions, one and many, activation, drain and mode. docs/guides/live.md has examples.

// `service` must outlive the server.
void add_actor_routes(Router& router, ActorService& service, const SharedContext& context);

// A party's own routes: features of events, one and many.

// `service` must outlive the server. The context's features are the party's.
void add_party_routes(Router& router, PartyService& service, const SharedContext& context);

// The rewarder's own routes: rewards of events, one and many.

// `service` must outlive the server.
void add_rewarder_routes(Router& router, RewarderService& service, const SharedContext& context);

}  // namespace sotto::apps::live
