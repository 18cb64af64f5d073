// Many decisions in one call, a line each.
#include <numeric>
#include <utility>

#include "apps/kit/http/lines.h"
#include "apps/live/api/actor_calls.h"
#include "apps/live/api/decision_body.h"
#include "apps/live/api/event_text.h"

namespace sotto::apps::live {

// In the order of the requests.
struct ActorCalls::BatchedDecisions {
  std::vector<EventId> events;
  std::vector<std::size_t> places;  // their lines
  std::vector<DecisionRequest> requests;
  std::vector<bool> told;
};

namespace {

void put_told(const LineAnswers& lines, std::size_t line, const Told& answer) {
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
  batch->told.assign(batch->requests.size(), false);
  if (wait.count() == 0) return keep_batch(lines, batch);
  // Those that have an answer keep it.
  responder.call_at(context->clocks.server_now() + wait,
                    [self = shared_from_this(), state = std::weak_ptr(lines.state()), batch] {
                      if (const auto kept = state.lock()) self->keep_batch(LineAnswers(kept), batch);
                    });
  std::vector<std::size_t> all(batch->requests.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  service.ask(batch->requests, true, teller(lines, batch, std::move(all)));
}

// `asked`: which requests of the batch were asked now.
AskAnswered ActorCalls::teller(const LineAnswers& lines, const std::shared_ptr<BatchedDecisions>& batch,
                               std::vector<std::size_t> asked) {
  return [self = shared_from_this(), lines, batch, asked = std::move(asked)](const auto& replies, Trouble trouble) {
    for (const auto& [place, reply] : replies) {
      const std::size_t each = asked.at(place);
      const EventId& event = batch->events.at(each);
      const std::size_t line = batch->places[each];
      batch->told[each] = true;
      if (trouble != Trouble::none) {
        lines.put(line, with_event(problem_of(trouble), event));
      } else {
        put_told(lines, line, self->told_to(event, reply));
      }
    }
  };
}

// What has no answer yet is stored, and answered as pending.
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
    if (batch->told[i]) continue;
    requests.push_back(batch->requests[i]);
    asked.push_back(i);
  }
  service.ask(std::move(requests), false, teller(lines, batch, std::move(asked)));
}

}  // namespace sotto::apps::live
