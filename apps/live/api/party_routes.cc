#include "apps/live/api/party_routes.h"

#include <memory>
#include <utility>

#include "apps/live/api/problems.h"
#include "apps/live/api/stored_calls.h"

namespace sotto::apps::live {
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

using AllMarks = std::vector<std::optional<RowMarks>>;  // of each push

void note_drift(ApiContext& context, const AllMarks& marks, const CallResult<std::vector<PushStatus>>& done) {
  for (std::size_t i = 0; i < done.result.size() && i < marks.size(); ++i) {
    if (done.result[i] != PushStatus::stored || !marks[i]) continue;
    context.drift.add(context.features.maker->recipe(), *marks[i], context.clocks.role_now());
  }
}

void push_one(PartyService& service, const SharedContext& context, const Request& request, const Responder& responder) {
  const EventId event = event_of(request);
  ReadFeatures read = read_features(request.body, event, context->features);
  std::vector<FeaturePush> pushes{std::move(read.push)};
  AllMarks marks{std::move(read.marks)};
  service.push(pushes,
               [context, responder, pushes, marks = std::move(marks)](const CallResult<std::vector<PushStatus>>& done) {
                 note_drift(*context, marks, done);
                 answer_status(responder, pushes.front().event, done, problem_of_push);
               });
}

void push_lines(PartyService& service, const SharedContext& context, const Request& request,
                const Responder& responder) {
  AllMarks marks;
  const auto batch = std::make_shared<const CallLines<FeaturePush>>(
      read_lines<FeaturePush>(request.body, responder, [&](std::string_view line) {
        ReadFeatures read = read_features_line(line, context->features);
        marks.push_back(std::move(read.marks));
        return std::move(read.push);
      }));
  if (batch->calls.empty()) return;
  service.push(batch->calls,
               [context, batch, marks = std::move(marks)](const CallResult<std::vector<PushStatus>>& done) {
                 note_drift(*context, marks, done);
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

}  // namespace sotto::apps::live
