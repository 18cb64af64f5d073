#include "apps/live/api/actor_routes.h"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "apps/kit/files/json.h"
#include "apps/live/api/actor_calls.h"
#include "apps/live/api/event_text.h"
#include "apps/live/api/problems.h"

namespace sotto::apps::live {
namespace {

// What takes its place in the order, told with the number that it has there. A wish that another one has overtaken is
// answered too: the log does not say that it was done.
Answered<OrderMark> mark_answer(const SharedContext& context, const std::string& act, const Responder& responder) {
  return [context, act, responder](const CallResult<OrderMark>& done) {
    if (done.trouble != Trouble::none) {
      responder.answer(problem_of(done.trouble));
    } else {
      context->log(LogLevel::info,
                   fmt::format("{} was asked over HTTP, and is answered at number {}", act, done.result.number));
      responder.answer(Answer::json(mark_json(done.result)));
    }
  };
}

LiveMode mode_of(JsonFields& fields) {
  const std::string name = fields.need(fields.text("mode", 16), "mode");
  for (const LiveMode mode : {LiveMode::online, LiveMode::apprentice, LiveMode::frozen}) {
    if (name == name_of(mode)) return mode;
  }
  fields.refuse("mode", "expected online, apprentice or frozen");
}

void answer_activation(const Responder& responder, const EventId& event, ActivateStatus status) {
  switch (status) {
    case ActivateStatus::active:
      responder.answer(Answer::nothing());
      break;
    case ActivateStatus::unknown:
      responder.answer(unknown_event(event));
      break;
    case ActivateStatus::late:
      responder.answer(activation_late(event));
      break;
    case ActivateStatus::not_learned:
      responder.answer(not_learned(event));
      break;
    case ActivateStatus::not_decided:
      responder.answer(not_decided(event));
      break;
  }
}

}  // namespace

void ActorCalls::activate(const Request& request, const Responder& responder) {
  const EventId event = event_of(request);
  service.activate({event}, [responder, event](const CallResult<std::vector<ActivateStatus>>& done) {
    if (done.trouble != Trouble::none) {
      responder.answer(with_event(problem_of(done.trouble), event));
    } else {
      answer_activation(responder, event, done.result.at(0));
    }
  });
}

void ActorCalls::drain(const Request&, const Responder& responder) {
  service.drain(mark_answer(context, "a drain", responder));
}
void ActorCalls::resume(const Request&, const Responder& responder) {
  service.resume(mark_answer(context, "a resume", responder));
}

void ActorCalls::take_snapshot(const Request&, const Responder& responder) {
  service.take_snapshot(mark_answer(context, "a copy of the model", responder));
}

void ActorCalls::change_mode(const Request& request, const Responder& responder) {
  const nlohmann::json body = read_json_body(request.body);
  JsonFields fields(body);
  const LiveMode mode = mode_of(fields);
  fields.finish();
  service.change_mode(mode, mark_answer(context, fmt::format("a change to mode {}", name_of(mode)), responder));
}

void add_actor_routes(Router& router, ActorService& service, const SharedContext& context) {
  const auto calls = std::make_shared<ActorCalls>(service, context);
  using Handler = void (ActorCalls::*)(const Request&, const Responder&);
  const auto add = [&](const char* method, const char* pattern, BodyKind body, Handler handler, bool waits = false) {
    Route route = api_route(method, pattern, body, [calls, handler](Request&& request, const Responder& responder) {
      (*calls.*handler)(request, responder);
    });
    if (waits) route.query = {"wait_ms"};
    router.add(std::move(route));
  };
  add("POST", "/v1/decisions", BodyKind::json, &ActorCalls::decide);
  add("POST", "/v1/decisions:batch", BodyKind::lines, &ActorCalls::decide_batch, true);
  add("GET", "/v1/decisions/{event}", BodyKind::none, &ActorCalls::find, true);
  add("POST", "/v1/events/{event}/activate", BodyKind::none, &ActorCalls::activate);
  add("POST", "/v1/drain", BodyKind::none, &ActorCalls::drain);
  add("POST", "/v1/resume", BodyKind::none, &ActorCalls::resume);
  add("POST", "/v1/snapshots", BodyKind::none, &ActorCalls::take_snapshot);
  add("PUT", "/v1/mode", BodyKind::json, &ActorCalls::change_mode);
}

}  // namespace sotto::apps::live
