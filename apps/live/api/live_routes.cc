#include "apps/live/api/live_routes.h"

#include "apps/live/api/actor_routes.h"
#include "apps/live/api/live_metrics.h"
#include "apps/live/api/party_routes.h"
#include "apps/live/api/rewarder_routes.h"
#include "apps/live/api/role_routes.h"

namespace sotto::apps::live {
namespace {

Router common_routes(LiveService& service, const SharedContext& context, Metrics& metrics) {
  Router router;
  add_live_metrics(metrics, service);
  add_process_metrics(metrics);
  add_role_routes(router, service, context, metrics);
  return router;
}

}  // namespace

Router live_routes(ActorService& service, const SharedContext& context, Metrics& metrics) {
  Router router = common_routes(service, context, metrics);
  add_actor_routes(router, service, context);
  return router;
}

Router live_routes(PartyService& service, const SharedContext& context, Metrics& metrics) {
  Router router = common_routes(service, context, metrics);
  add_party_routes(router, service, context);
  return router;
}

Router live_routes(RewarderService& service, const SharedContext& context, Metrics& metrics) {
  Router router = common_routes(service, context, metrics);
  add_rewarder_routes(router, service, context);
  return router;
}

Router live_routes(WitnessService& service, const SharedContext& context, Metrics& metrics) {
  return common_routes(service, context, metrics);
}

}  // namespace sotto::apps::live
