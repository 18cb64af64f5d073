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

// What every role answers about itself: an event, its state, what privacy was spent, health, metrics and its page.

// `service` and `metrics` must outlive the server.
void add_role_routes(Router& router, LiveService& service, const SharedContext& context, const Metrics& metrics);

// The actor's own interface: decisions, one and many, activation, drain and mode. docs/live.md has it with examples.

// `service` must outlive the server.
void add_actor_routes(Router& router, ActorService& service, const SharedContext& context);

// A party's own interface: features of events, one and many.

// `service` must outlive the server. The context's features are the party's.
void add_party_routes(Router& router, PartyService& service, const SharedContext& context);

// The rewarder's own interface: rewards of events, one and many.

// `service` must outlive the server.
void add_rewarder_routes(Router& router, RewarderService& service, const SharedContext& context);

}  // namespace sotto::apps::live
