// All routes of a role's HTTP server, as docs/reference/openapi.json describes them.
#pragma once

#include "apps/kit/metrics/metrics.h"
#include "apps/live/api/api_context.h"

namespace sotto::apps::live {

// `service` and `metrics` must outlive the server. The role's metrics are added to `metrics`.
[[nodiscard]] Router live_routes(ActorService& service, const SharedContext& context, Metrics& metrics);
[[nodiscard]] Router live_routes(PartyService& service, const SharedContext& context, Metrics& metrics);
[[nodiscard]] Router live_routes(RewarderService& service, const SharedContext& context, Metrics& metrics);
[[nodiscard]] Router live_routes(WitnessService& service, const SharedContext& context, Metrics& metrics);

// The routes that every role has: an event, the role's state, the privacy that was spent, health, metrics and the
// role's page.

// `service` and `metrics` must outlive the server.
void add_role_routes(Router& router, LiveService& service, const SharedContext& context, const Metrics& metrics);

// The routes that only the actor has: one decision, many decisions, activation, drain and mode. docs/guides/live.md has
// examples.

// `service` must outlive the server.
void add_actor_routes(Router& router, ActorService& service, const SharedContext& context);

// The routes that only a party has: features of one event and of many events.

// `service` must outlive the server. `features` of the context must be the party's columns.
void add_party_routes(Router& router, PartyService& service, const SharedContext& context);

// The routes that only the rewarder has: rewards of one event and of many events.

// `service` must outlive the server.
void add_rewarder_routes(Router& router, RewarderService& service, const SharedContext& context);

}  // namespace sotto::apps::live
