#include "apps/live/api/live_routes.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <utility>

#include "apps/kit/files/json.h"
#include "apps/kit/http/responder.h"
#include "apps/live/api/api_context.h"
#include "apps/live/api/call_bodies.h"
#include "apps/live/api/event_text.h"
#include "apps/live/api/problems.h"
#include "sotto/protocol/transport/stream.h"

namespace sotto::apps::live {
namespace {

// seconds() estimates how many seconds the service needs to answer all waiting events, at the recent rate of answers.
class QueueRate {
 public:
  static constexpr unsigned longest = 60;  // s

  [[nodiscard]] bool is_due(net::Clock::time_point now) const;
  void read(net::Clock::time_point now, std::uint64_t answered, std::uint64_t queue);
  [[nodiscard]] unsigned seconds() const noexcept { return seconds_; }

 private:
  struct Reading {
    net::Clock::time_point at;
    std::uint64_t answered;
  };
  std::optional<Reading> last_;
  unsigned seconds_ = 1;
};

// When a call has waited for its full time, the actor stores the event of the call. If the actor does not store the
// event within `stored_within`, the call gets an error.
constexpr std::chrono::milliseconds stored_within{2'000};

struct ActorCalls : std::enable_shared_from_this<ActorCalls> {
  ActorCalls(ActorService& actor, SharedContext shared) : service(actor), context(std::move(shared)) {}

  void decide(const Request& request, const Responder& responder);
  void decide_batch(const Request& request, const Responder& responder);
  void find(const Request& request, const Responder& responder);
  void activate(const Request& request, const Responder& responder);
  void drain(const Request& request, const Responder& responder);
  void resume(const Request& request, const Responder& responder);
  void take_snapshot(const Request& request, const Responder& responder);
  void change_mode(const Request& request, const Responder& responder);

  // Asks the actor to store the event. A stored event gets a decision even if the process crashes.
  void keep(const DecisionRequest& request, const Responder& responder);
  struct BatchedDecisions;
  void keep_batch(const LineAnswers& lines, const std::shared_ptr<BatchedDecisions>& batch);
  [[nodiscard]] AskAnswered answerer(const Responder& responder, const EventId& event);
  [[nodiscard]] AskAnswered answerer(const LineAnswers& lines, const std::shared_ptr<BatchedDecisions>& batch,
                                     std::vector<std::size_t> asked);
  void answer(const Responder& responder, const EventId& event, const AskReply& reply, unsigned pending);
  [[nodiscard]] AskAnswer answer_to(const EventId& event, const AskReply& reply);
  [[nodiscard]] unsigned retry_after();

  ActorService& service;
  SharedContext context;
  QueueRate rate;
};

Answered<OrderMark> mark_answer(const SharedContext& context, const std::string& act, const Responder& responder) {
  return [context, act, responder](const CallResult<OrderMark>& done) {
    if (done.trouble != CallRefusal::none) {
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

// The `Location` header contains the event's id even if the caller gave no id.
Answer pending_answer(const EventId& event, unsigned status) {
  Answer answer = Answer::json(pending_json(event), status);
  if (status == 202) answer.headers.emplace_back("Location", "/v1/decisions/" + event_text(event));
  return answer;
}

}  // namespace

void ActorCalls::activate(const Request& request, const Responder& responder) {
  const EventId event = event_of(request);
  service.activate({event}, [responder, event](const CallResult<std::vector<ActivateStatus>>& done) {
    if (done.trouble != CallRefusal::none) {
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

unsigned ActorCalls::retry_after() {
  const auto now = context->clocks.server_now();
  if (rate.is_due(now)) {
    const LiveCounters counters = service.counters();
    rate.read(now, counters.decided + counters.baselines, service.status().queue);
  }
  return rate.seconds();
}

AskAnswer ActorCalls::answer_to(const EventId& event, const AskReply& reply) {
  return ask_answer(event, reply, context->terms, reply.status == AskStatus::queue_full ? retry_after() : 1);
}

void ActorCalls::answer(const Responder& responder, const EventId& event, const AskReply& reply, unsigned pending) {
  const bool waits_on = reply.status == AskStatus::pending && !reply.unanswered;
  if (waits_on) {
    responder.answer(pending_answer(event, pending));
    return;
  }
  const AskAnswer answer = answer_to(event, reply);
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
  responder.call_at(context->clocks.server_now() + wait,
                    [self = shared_from_this(), state = std::weak_ptr(responder.state()), request = call.request] {
                      if (const auto kept = state.lock()) self->keep(request, Responder(kept));
                    });
  service.ask({call.request}, true, answerer(responder, call.request.event));
}

AskAnswered ActorCalls::answerer(const Responder& responder, const EventId& event) {
  return [self = shared_from_this(), responder, event](const auto& replies, CallRefusal trouble) {
    if (trouble != CallRefusal::none) {
      responder.answer(with_event(problem_of(trouble), event));
    } else if (!replies.empty()) {
      self->answer(responder, event, replies.front().second, 202);
    }
  };
}

void ActorCalls::keep(const DecisionRequest& request, const Responder& responder) {
  const EventId event = request.event;
  responder.answer_by(context->clocks.server_now() + stored_within, [event] { return Answer::of(not_stored(event)); });
  service.ask({request}, false, answerer(responder, event));
}

void ActorCalls::find(const Request& request, const Responder& responder) {
  const EventId event = event_of(request);
  const std::chrono::milliseconds wait = request.wait(longest_wait).value_or(std::chrono::milliseconds(0));
  if (wait.count() > 0) {
    responder.answer_by(context->clocks.server_now() + wait, [event] { return pending_answer(event, 200); });
  }
  service.find(event, wait.count() > 0,
               [self = shared_from_this(), responder, event](const CallResult<std::optional<AskReply>>& found) {
                 if (found.trouble != CallRefusal::none) {
                   responder.answer(with_event(problem_of(found.trouble), event));
                 } else if (!found.result) {
                   responder.answer(unknown_event(event));
                 } else {
                   self->answer(responder, event, *found.result, 200);
                 }
               });
}

bool QueueRate::is_due(net::Clock::time_point now) const {
  return !last_ || now - last_->at >= std::chrono::seconds(1);
}

void QueueRate::read(net::Clock::time_point now, std::uint64_t answered, std::uint64_t queue) {
  if (last_ && now > last_->at) {
    const std::chrono::duration<double> passed = now - last_->at;
    const double rate = static_cast<double>(answered - std::min(answered, last_->answered)) / passed.count();
    const double wait = rate > 0 ? std::ceil(static_cast<double>(queue) / rate) : longest;
    seconds_ = static_cast<unsigned>(std::clamp(wait, 1.0, double{longest}));
  }
  last_ = Reading{now, answered};
}

struct ActorCalls::BatchedDecisions {
  std::vector<EventId> events;
  std::vector<std::size_t> places;
  std::vector<DecisionRequest> requests;
  std::vector<bool> is_answered;
};

namespace {

void put_ask_answer(const LineAnswers& lines, std::size_t line, const AskAnswer& answer) {
  std::visit([&](const auto& each) { lines.put(line, each); }, answer);
}

}  // namespace

void ActorCalls::decide_batch(const Request& request, const Responder& responder) {
  const std::chrono::milliseconds wait = request.wait(longest_wait).value_or(longest_wait);
  const std::vector<std::string_view> texts = lines_of(request.body);
  const LineAnswers lines(responder, texts.size());
  const auto batch = std::make_shared<BatchedDecisions>();
  for (std::size_t i = 0; i < texts.size(); ++i) {
    try {
      DecisionCall call = read_decision(texts[i].empty() ? "-" : texts[i], context->terms.arms);
      if (call.wait) throw JsonError("field \"wait_ms\": of a batch it stands in the query");
      batch->events.push_back(call.request.event);
      batch->places.push_back(i);
      batch->requests.push_back(std::move(call.request));
    } catch (const JsonError& error) {
      lines.put(i, bad_body(error.what()));
    }
  }
  if (batch->requests.empty()) return;
  batch->is_answered.assign(batch->requests.size(), false);
  if (wait.count() == 0) return keep_batch(lines, batch);
  responder.call_at(context->clocks.server_now() + wait,
                    [self = shared_from_this(), state = std::weak_ptr(lines.state()), batch] {
                      if (const auto kept = state.lock()) self->keep_batch(LineAnswers(kept), batch);
                    });
  std::vector<std::size_t> all(batch->requests.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  service.ask(batch->requests, true, answerer(lines, batch, std::move(all)));
}

AskAnswered ActorCalls::answerer(const LineAnswers& lines, const std::shared_ptr<BatchedDecisions>& batch,
                                 std::vector<std::size_t> asked) {
  return [self = shared_from_this(), lines, batch, asked = std::move(asked)](const auto& replies, CallRefusal trouble) {
    for (const auto& [place, reply] : replies) {
      const std::size_t each = asked.at(place);
      const EventId& event = batch->events.at(each);
      const std::size_t line = batch->places[each];
      batch->is_answered[each] = true;
      if (trouble != CallRefusal::none) {
        lines.put(line, with_event(problem_of(trouble), event));
      } else {
        put_ask_answer(lines, line, self->answer_to(event, reply));
      }
    }
  };
}

void ActorCalls::keep_batch(const LineAnswers& lines, const std::shared_ptr<BatchedDecisions>& batch) {
  lines.responder().call_at(context->clocks.server_now() + stored_within,
                            [state = std::weak_ptr(lines.state()), batch] {
                              const auto kept = state.lock();
                              if (!kept) return;
                              const LineAnswers late(kept);
                              for (std::size_t i = 0; i < batch->events.size(); ++i) {
                                late.put(batch->places[i], not_stored(batch->events[i]));
                              }
                            });
  std::vector<DecisionRequest> requests;
  std::vector<std::size_t> asked;
  for (std::size_t i = 0; i < batch->requests.size(); ++i) {
    if (batch->is_answered[i]) continue;
    requests.push_back(batch->requests[i]);
    asked.push_back(i);
  }
  service.ask(std::move(requests), false, answerer(lines, batch, std::move(asked)));
}

}  // namespace sotto::apps::live
