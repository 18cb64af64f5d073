#include "sotto/apps/bandit/live/api/party_routes.h"

#include <memory>
#include <utility>

#include "sotto/apps/bandit/live/api/problems.h"
#include "sotto/apps/bandit/live/api/stored_calls.h"

namespace sotto::apps {
namespace {

std::optional<Problem> problem_of_push(const EventId& event, PushStatus status) {
  switch (status) {
    case PushStatus::stored:
    case PushStatus::same:
      return std::nullopt;
    case PushStatus::too_late:
      return features_late(event);
    case PushStatus::decided:
      return features_decided(event);
    case PushStatus::conflict:
      return features_conflict(event);
    case PushStatus::full:
      break;
  }
  return features_full(event);
}

void push_one(PartyService& service, const SharedContext& context, const Request& request, const Responder& responder) {
  const EventId event = event_of(request);
  std::vector<FeaturePush> pushes{read_features(request.body, event, context->features)};
  service.push(pushes, [responder, pushes](const CallResult<std::vector<PushStatus>>& done) {
    answer_status(responder, pushes.front().event, done, problem_of_push);
  });
}

void push_lines(PartyService& service, const SharedContext& context, const Request& request,
                const Responder& responder) {
  const auto batch = std::make_shared<const CallLines<FeaturePush>>(read_lines<FeaturePush>(
      request.body, responder, [&](std::string_view line) { return read_features_line(line, context->features); }));
  if (batch->calls.empty()) return;
  service.push(batch->calls, [batch](const CallResult<std::vector<PushStatus>>& done) {
    put_statuses(*batch, done, problem_of_push);
  });
}

}  // namespace

void add_party_routes(Router& router, PartyService& service, const SharedContext& context) {
  router.add(api_route("PUT", "/v1/events/{event}/features", BodyKind::json,
                       [&service, context](Request&& request, const Responder& responder) {
                         push_one(service, context, request, responder);
                       }));
  router.add(api_route("POST", "/v1/features:batch", BodyKind::lines,
                       [&service, context](Request&& request, const Responder& responder) {
                         push_lines(service, context, request, responder);
                       }));
}

}  // namespace sotto::apps
