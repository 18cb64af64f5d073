#include "sotto/apps/bandit/live/api/role_routes.h"

#include <fmt/ranges.h>

#include <utility>
#include <vector>

#include "sotto/apps/bandit/live/api/dashboard.h"
#include "sotto/apps/bandit/live/api/event_text.h"
#include "sotto/apps/bandit/live/api/figures.h"
#include "sotto/apps/bandit/live/api/problems.h"
#include "sotto/apps/bandit/live/service/live_warnings.h"
#include "sotto/apps/kit/files/json.h"
#include "sotto/apps/kit/http/server.h"

namespace sotto::apps {
namespace {

// How long the service may take over a call that needs nobody else, before it counts as dead.
constexpr std::chrono::milliseconds alive_within{2'000};

void view_event(LiveService& service, const SharedContext& context, const Request& request,
                const Responder& responder) {
  const EventId event = event_of(request);
  service.view(event, [context, responder, event](const CallResult<std::optional<EventView>>& found) {
    if (found.trouble != Trouble::none) {
      responder.answer(with_event(problem_of(found.trouble), event));
    } else if (!found.result) {
      responder.answer(unknown_event(event));
    } else {
      responder.answer(Answer::json(view_json(event, *found.result, context->terms)));
    }
  });
}

// A reading of the store goes through the role's queue, its thread and its disk.
void tell_health(LiveService& service, const SharedContext& context, const Responder& responder) {
  responder.answer_by(context->clocks.server_now() + alive_within,
                      [] { return Answer::of(not_ready("the role has not answered within two seconds")); });
  service.view(EventId{}, [responder](const CallResult<std::optional<EventView>>& found) {
    // Too much to do is no illness.
    if (found.trouble != Trouble::none && found.trouble != Trouble::full) {
      responder.answer(problem_of(found.trouble));
    } else {
      responder.answer(Answer::json(nlohmann::ordered_json{{"alive", true}}));
    }
  });
}

std::string why_not(const LiveStatus& status) {
  if (!status.why.empty()) return status.why;
  switch (status.readiness) {
    case Readiness::setting_up:
      return "the links are being set up";
    case Readiness::draining:
      return "the service is drained: it takes no new event";
    case Readiness::disk_full:
      return "the disk is full";
    default:
      return name_of(status.readiness);
  }
}

void tell_readiness(const LiveService& service, const Responder& responder) {
  const LiveStatus status = service.status();
  std::vector<std::string> details;
  if (status.readiness != Readiness::ready) details.push_back(why_not(status));
  for (const LiveWarning& warning : warnings_of(status)) details.push_back(warning.text);
  const std::string detail = fmt::format("{}", fmt::join(details, "; "));
  if (status.readiness != Readiness::ready) {
    responder.answer(not_ready(detail));
    return;
  }
  nlohmann::ordered_json json{{"ready", true}};
  if (!detail.empty()) json["detail"] = detail;
  responder.answer(Answer::json(json));
}

}  // namespace

void add_role_routes(Router& router, LiveService& service, const SharedContext& context, const Metrics& metrics) {
  const auto add = [&](const char* pattern, auto answer, bool open = false) {
    Route route = api_route("GET", pattern, BodyKind::none, std::move(answer));
    route.open = open;
    router.add(std::move(route));
  };
  add("/v1/events/{event}", [&service, context](const Request& request, const Responder& responder) {
    view_event(service, context, request, responder);
  });
  add("/v1/status", [&service, context](const Request&, const Responder& responder) {
    responder.answer(Answer::json(status_json(service.status(), context->clocks.role_now())));
  });
  add("/v1/privacy", [&service, context](const Request&, const Responder& responder) {
    responder.answer(Answer::json(privacy_json(service.status(), service.counters(), context->terms)));
  });
  add("/v1/figures", [&service, context](const Request&, const Responder& responder) {
    responder.answer(Answer::json(figures_json(service.status().kind, service.counters(), *context)));
  });
  add(
      "/healthz",
      [&service, context](const Request&, const Responder& responder) { tell_health(service, context, responder); },
      true);
  add(
      "/readyz", [&service](const Request&, const Responder& responder) { tell_readiness(service, responder); }, true);
  router.add(metrics_route(metrics));
  router.add(dashboard_route());
}

}  // namespace sotto::apps
