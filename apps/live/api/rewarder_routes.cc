#include "apps/live/api/rewarder_routes.h"

#include <memory>
#include <utility>

#include "apps/live/api/problems.h"
#include "apps/live/api/reward_body.h"
#include "apps/live/api/stored_calls.h"

namespace sotto::apps::live {
namespace {

std::optional<Problem> problem_of_reward(const EventId& event, RewardStatus status) {
  switch (status) {
    case RewardStatus::used:
    case RewardStatus::duplicate:
    case RewardStatus::unknown:  // kept, as its number may be behind
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
  // Values and ids were checked before: what is left is their number.
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
