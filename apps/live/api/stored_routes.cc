#include "apps/live/api/live_routes.h"

#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "apps/kit/files/json.h"
#include "apps/kit/http/json_body.h"
#include "apps/kit/http/request.h"
#include "apps/kit/http/responder.h"
#include "apps/live/api/answers.h"
#include "apps/live/api/call_bodies.h"
#include "apps/live/api/event_text.h"
#include "apps/live/api/problems.h"

namespace sotto::apps::live {
namespace {

// If a body has many calls, each line of the answer has a status or a problem.

template <class Call>
struct CallLines {
  LineAnswers lines;
  std::vector<Call> calls;
  std::vector<std::size_t> places;
};

template <class Call, class Read>
CallLines<Call> read_lines(std::string_view body, const Responder& responder, Read read) {
  const std::vector<std::string_view> texts = lines_of(body);
  CallLines<Call> batch{LineAnswers(responder, texts.size()), {}, {}};
  batch.calls.reserve(texts.size());
  batch.places.reserve(texts.size());
  for (std::size_t i = 0; i < texts.size(); ++i) {
    try {
      batch.calls.push_back(read(texts[i]));
      batch.places.push_back(i);
    } catch (const JsonError& error) {
      batch.lines.put(i, bad_body(error.what()));
    } catch (const ProblemError& error) {
      batch.lines.put(i, error.problem());
    }
  }
  return batch;
}

nlohmann::ordered_json stored_json(const EventId& event) {
  nlohmann::ordered_json json;
  json["event"] = event_text(event);
  json["status"] = 204;
  return json;
}

template <class Call, class Status, class ProblemOf>
void put_statuses(const CallLines<Call>& batch, const CallResult<std::vector<Status>>& done,
                  ProblemOf problem_of_status) {
  for (std::size_t i = 0; i < batch.places.size(); ++i) {
    const EventId& event = batch.calls[i].event;
    if (done.trouble != CallRefusal::none) {
      batch.lines.put(batch.places[i], with_event(problem_of(done.trouble), event));
    } else if (const std::optional<Problem> problem = problem_of_status(event, done.result.at(i))) {
      batch.lines.put(batch.places[i], *problem);
    } else {
      batch.lines.put(batch.places[i], stored_json(event));
    }
  }
}

template <class Status, class ProblemOf>
void answer_status(const Responder& responder, const EventId& event, const CallResult<std::vector<Status>>& done,
                   ProblemOf problem_of_status) {
  if (done.trouble != CallRefusal::none) {
    responder.answer(with_event(problem_of(done.trouble), event));
  } else if (const std::optional<Problem> problem = problem_of_status(event, done.result.at(0))) {
    responder.answer(*problem);
  } else {
    responder.answer(Answer::nothing());
  }
}

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

using AllMarks = std::vector<std::optional<RowMarks>>;

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

namespace {

std::optional<Problem> problem_of_reward(const EventId& event, RewardStatus status) {
  switch (status) {
    case RewardStatus::used:
    case RewardStatus::duplicate:
    case RewardStatus::unknown:
      return std::nullopt;
    case RewardStatus::late:
      return reward_late(event);
    case RewardStatus::not_learned:
      return not_learned(event);
    case RewardStatus::conflict:
      return reward_conflict(event);
    case RewardStatus::invalid:
      break;
  }
  // `invalid` can only mean too many rewards, because the value and the id of the reward are already checked.
  return too_many_rewards(event);
}

void post_one(RewarderService& service, const RewardTerms& terms, const Request& request, const Responder& responder) {
  const EventId event = event_of(request);
  service.post({read_reward(request.body, event, terms)},
               [responder, event](const CallResult<std::vector<RewardStatus>>& done) {
                 answer_status(responder, event, done, problem_of_reward);
               });
}

void post_lines(RewarderService& service, const RewardTerms& terms, const Request& request,
                const Responder& responder) {
  const auto batch = std::make_shared<const CallLines<RewardCall>>(read_lines<RewardCall>(
      request.body, responder, [&](std::string_view line) { return read_reward_line(line, terms); }));
  if (batch->calls.empty()) return;
  service.post(batch->calls, [batch](const CallResult<std::vector<RewardStatus>>& done) {
    put_statuses(*batch, done, problem_of_reward);
  });
}

}  // namespace

void add_rewarder_routes(Router& router, RewarderService& service, const SharedContext& context) {
  const RewardTerms terms{service.settings().aggregation, context->binary_rewards};
  router.add(api_route("POST", "/v1/events/{event}/reward", BodyKind::json,
                       [&service, terms](Request&& request, const Responder& responder) {
                         post_one(service, terms, request, responder);
                       }));
  router.add(api_route("POST", "/v1/rewards:batch", BodyKind::lines,
                       [&service, terms](Request&& request, const Responder& responder) {
                         post_lines(service, terms, request, responder);
                       }));
}

}  // namespace sotto::apps::live
