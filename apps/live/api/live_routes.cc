#include "apps/live/api/live_routes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "apps/kit/account/subjects.h"
#include "apps/kit/files/json.h"
#include "apps/kit/http/json_body.h"
#include "apps/kit/http/server.h"
#include "apps/live/api/api_context.h"
#include "apps/live/api/dashboard.h"
#include "apps/live/api/event_text.h"
#include "apps/live/api/problems.h"
#include "apps/live/service/live_service.h"

namespace sotto::apps::live {
namespace {

Router common_routes(LiveService& service, const SharedContext& context, Metrics& metrics) {
  Router router;
  add_live_metrics(metrics, service);
  add_process_metrics(metrics);
  add_role_routes(router, service, context, metrics);
  return router;
}

// The check of a role's health makes a call that needs no other role. If the call takes longer than this time, the
// check fails.
constexpr std::chrono::milliseconds alive_within{2'000};

void view_event(LiveService& service, const SharedContext& context, const Request& request,
                const Responder& responder) {
  const EventId event = event_of(request);
  service.view(event, [context, responder, event](const CallResult<std::optional<EventView>>& found) {
    if (found.trouble != CallRefusal::none) {
      responder.answer(with_event(problem_of(found.trouble), event));
    } else if (!found.result) {
      responder.answer(unknown_event(event));
    } else {
      responder.answer(Answer::json(view_json(event, *found.result, context->terms)));
    }
  });
}

void tell_health(LiveService& service, const SharedContext& context, const Responder& responder) {
  responder.answer_by(context->clocks.server_now() + alive_within,
                      [] { return Answer::of(not_ready("the role has not answered within two seconds")); });
  service.view(EventId{}, [responder](const CallResult<std::optional<EventView>>& found) {
    // Only a role that has ended is reported as failed. A role with too much work has not failed, and a role whose disk
    // is full needs disk space, not a restart.
    if (found.trouble == CallRefusal::ended) {
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

void tell_readiness(const LiveService& service, LiveTime now, const Responder& responder) {
  const LiveStatus status = service.status();
  std::vector<std::string> details;
  if (status.readiness != Readiness::ready) details.push_back(why_not(status));
  for (const LiveWarning& warning : warnings_of(status, now)) details.push_back(warning.text);
  const std::string detail = fmt::format("{}", fmt::join(details, "; "));
  if (status.readiness != Readiness::ready) {
    responder.answer(not_ready(detail));
    return;
  }
  nlohmann::ordered_json json{{"ready", true}};
  if (!detail.empty()) json["detail"] = detail;
  responder.answer(Answer::json(json));
}

void tell_privacy(LiveService& service, const SharedContext& context, const Request& request,
                  const Responder& responder) {
  const auto json = [&service, context] { return privacy_json(service.status(), service.counters(), context->terms); };
  auto* const party = dynamic_cast<PartyService*>(&service);
  const auto subject = request.query.find("subject");
  if (party == nullptr || subject == request.query.end()) {
    responder.answer(Answer::json(json()));
    return;
  }
  if (request.reads_only) throw ProblemError(for_reading());
  if (!apps::is_subject(subject->second)) {
    throw ProblemError(malformed_request("subject: expected a name of 1 to 1024 bytes without line breaks"));
  }
  party->view_subject(subject->second,
                      [context, responder, json](const CallResult<std::optional<SubjectCount>>& found) {
                        if (found.trouble != CallRefusal::none) {
                          responder.answer(problem_of(found.trouble));
                          return;
                        }
                        nlohmann::ordered_json answer = json();
                        answer["subject"] = subject_json(found.result.value_or(SubjectCount{}), context->terms);
                        responder.answer(Answer::json(answer));
                      });
}

bool is_backup_name(std::string_view name) {
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' ||
           c == '.';
  };
  return !name.empty() && name.front() != '.' && std::all_of(name.begin(), name.end(), fits);
}

void back_up(const SharedContext& context, const Request& request, const Responder& responder) {
  constexpr std::size_t longest = 64;
  const nlohmann::json body = read_json_body(request.body);
  JsonFields fields(body);
  const std::string name = fields.need(fields.text("name", longest), "name");
  if (!is_backup_name(name)) {
    fields.refuse("name", "expected letters, digits and - _ . of ASCII, and no . at the beginning");
  }
  fields.finish();
  if (!context->back_up) {
    responder.answer(no_backups());
    return;
  }
  context->back_up(name, [context, responder, name](const std::optional<Problem>& problem) {
    if (problem) {
      responder.answer(*problem);
    } else {
      context->log(LogLevel::info, fmt::format("the store is copied to the backup {}", name));
      responder.answer(Answer::json(nlohmann::ordered_json{{"backup", name}}));
    }
  });
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

void add_role_routes(Router& router, LiveService& service, const SharedContext& context, const Metrics& metrics) {
  enum class For : std::uint8_t { callers, readers, anybody };
  const auto add = [&](const char* pattern, auto answer, For whom = For::readers, std::vector<std::string> query = {}) {
    Route route = api_route("GET", pattern, BodyKind::none, std::move(answer));
    route.query = std::move(query);
    route.open = whom == For::anybody;
    route.for_readers = whom != For::callers;
    router.add(std::move(route));
  };
  // Callers with the token for readers may not ask about single events.
  add(
      "/v1/events/{event}",
      [&service, context](const Request& request, const Responder& responder) {
        view_event(service, context, request, responder);
      },
      For::callers);
  add("/v1/status", [&service, context](const Request&, const Responder& responder) {
    responder.answer(Answer::json(status_json(service.status(), context->clocks.role_now())));
  });
  std::vector<std::string> of_privacy;
  if (dynamic_cast<PartyService*>(&service) != nullptr) of_privacy.emplace_back("subject");
  add(
      "/v1/privacy",
      [&service, context](const Request& request, const Responder& responder) {
        tell_privacy(service, context, request, responder);
      },
      For::readers, of_privacy);
  add("/v1/figures", [&service, context](const Request&, const Responder& responder) {
    responder.answer(Answer::json(figures_json(service.status().kind, service.counters(), *context)));
  });
  add("/v1/history", [&service](const Request&, const Responder& responder) {
    responder.answer(Answer::json(history_json(service.status().kind, service.counters())));
  });
  add(
      "/healthz",
      [&service, context](const Request&, const Responder& responder) { tell_health(service, context, responder); },
      For::anybody);
  add(
      "/readyz",
      [&service, context](const Request&, const Responder& responder) {
        tell_readiness(service, context->clocks.role_now(), responder);
      },
      For::anybody);
  router.add(api_route(
      "POST", "/v1/backups", BodyKind::json,
      [context](const Request& request, const Responder& responder) { back_up(context, request, responder); }));
  router.add(metrics_route(metrics));
  router.add(dashboard_route());
}

LiveTime ApiClocks::role_now() const {
  if (role) return role();
  const auto since = std::chrono::system_clock::now().time_since_epoch();
  return static_cast<LiveTime>(std::chrono::duration_cast<std::chrono::milliseconds>(since).count());
}

Route api_route(const char* method, const char* pattern, BodyKind body, RequestHandler handler) {
  Route route;
  route.method = method;
  route.pattern = pattern;
  route.handler = std::move(handler);
  route.body = body;
  if (body == BodyKind::lines) route.answers = std::string(lines_type);
  return route;
}

}  // namespace sotto::apps::live
