// Decisions one by one: asked, and asked for.
#include <memory>
#include <utility>

#include "apps/live/api/actor_calls.h"
#include "apps/live/api/decision_body.h"
#include "apps/live/api/event_text.h"
#include "apps/live/api/problems.h"

namespace sotto::apps::live {
namespace {

// Where it is to be asked for; the event stands there also if the caller gave none.
Answer pending_answer(const EventId& event, unsigned status) {
  Answer answer = Answer::json(pending_json(event), status);
  if (status == 202) answer.headers.emplace_back("Location", "/v1/decisions/" + event_text(event));
  return answer;
}

}  // namespace

unsigned ActorCalls::retry_after() {
  const auto now = context->clocks.server_now();
  if (rate.is_due(now)) {
    const LiveCounters counters = service.counters();
    rate.read(now, counters.decided + counters.baselines, service.status().queue);
  }
  return rate.seconds();
}

Told ActorCalls::told_to(const EventId& event, const AskReply& reply) {
  return told(event, reply, context->terms, reply.status == AskStatus::queue_full ? retry_after() : 1);
}

void ActorCalls::answer(const Responder& responder, const EventId& event, const AskReply& reply, unsigned pending) {
  const bool waits_on = reply.status == AskStatus::pending && !reply.unanswered;
  if (waits_on) {
    responder.answer(pending_answer(event, pending));
    return;
  }
  const Told answer = told_to(event, reply);
  if (const auto* const problem = std::get_if<Problem>(&answer)) {
    responder.answer(*problem);
  } else {
    responder.answer(Answer::json(std::get<nlohmann::ordered_json>(answer)));
  }
}

void ActorCalls::decide(const Request& request, const Responder& responder) {
  DecisionCall call = read_decision(request.body, context->terms.arms);
  const std::chrono::milliseconds wait = call.wait.value_or(longest_wait);
  if (wait.count() == 0) return keep(call.request, responder);
  // The responder's own state has this call: it must not have the state.
  responder.call_at(context->clocks.server_now() + wait,
                    [self = shared_from_this(), state = std::weak_ptr(responder.state()), request = call.request] {
                      if (const auto kept = state.lock()) self->keep(request, Responder(kept));
                    });
  service.ask({call.request}, true, teller(responder, call.request.event));
}

AskAnswered ActorCalls::teller(const Responder& responder, const EventId& event) {
  return [self = shared_from_this(), responder, event](const auto& replies, Trouble trouble) {
    if (trouble != Trouble::none) {
      responder.answer(with_event(problem_of(trouble), event));
    } else if (!replies.empty()) {
      self->answer(responder, event, replies.front().second, 202);
    }
  };
}

void ActorCalls::keep(const DecisionRequest& request, const Responder& responder) {
  const EventId event = request.event;
  responder.answer_by(context->clocks.server_now() + stored_within, [event] { return Answer::of(not_stored(event)); });
  service.ask({request}, false, teller(responder, event));
}

void ActorCalls::find(const Request& request, const Responder& responder) {
  const EventId event = event_of(request);
  const std::chrono::milliseconds wait = request.wait(longest_wait).value_or(std::chrono::milliseconds(0));
  if (wait.count() > 0) {
    responder.answer_by(context->clocks.server_now() + wait, [event] { return pending_answer(event, 200); });
  }
  service.find(event, wait.count() > 0,
               [self = shared_from_this(), responder, event](const CallResult<std::optional<AskReply>>& found) {
                 if (found.trouble != Trouble::none) {
                   responder.answer(with_event(problem_of(found.trouble), event));
                 } else if (!found.result) {
                   responder.answer(unknown_event(event));
                 } else {
                   self->answer(responder, event, *found.result, 200);
                 }
               });
}

}  // namespace sotto::apps::live
