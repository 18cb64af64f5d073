// Many decisions in one call, a line each.
#include <map>
#include <utility>

#include "sotto/apps/bandit/live/api/actor_calls.h"
#include "sotto/apps/bandit/live/api/decision_body.h"
#include "sotto/apps/bandit/live/api/event_text.h"
#include "sotto/apps/kit/http/lines.h"

namespace sotto::apps {
namespace {

struct BatchedDecisions {
  std::vector<EventId> events;      // of the requests, in their order
  std::vector<std::size_t> places;  // the line of each
};

void put_told(const LineAnswers& lines, std::size_t line, const Told& answer) {
  std::visit([&](const auto& each) { lines.put(line, each); }, answer);
}

}  // namespace

void ActorCalls::decide_batch(const Request& request, const Responder& responder) {
  const std::chrono::milliseconds wait = request.wait(longest_wait).value_or(longest_wait);
  const std::vector<std::string_view> texts = lines_of(request.body);
  const LineAnswers lines(responder, texts.size());
  const auto batch = std::make_shared<BatchedDecisions>();
  std::vector<DecisionRequest> requests;
  requests.reserve(texts.size());
  for (std::size_t i = 0; i < texts.size(); ++i) {
    try {
      DecisionCall call = read_decision(texts[i].empty() ? "-" : texts[i], context->terms.arms);
      if (call.wait) throw JsonError("field \"wait_ms\": of a batch it stands in the query");
      batch->events.push_back(call.request.event);
      batch->places.push_back(i);
      requests.push_back(std::move(call.request));
    } catch (const JsonError& error) {
      lines.put(i, bad_body(error.what()));
    }
  }
  if (requests.empty()) return;
  if (wait.count() > 0) {
    // Those that have an answer keep it; the last one sends them all.
    responder.answer_by(context->clocks.server_now() + wait, [lines, batch] {
      for (std::size_t i = 0; i < batch->events.size(); ++i)
        lines.put(batch->places[i], pending_json(batch->events[i]));
      return Answer::nothing();
    });
  }
  service.ask(std::move(requests), wait.count() > 0,
              [self = shared_from_this(), lines, batch](const auto& replies, Trouble trouble) {
                for (const auto& [place, reply] : replies) {
                  const EventId& event = batch->events.at(place);
                  const std::size_t line = batch->places[place];
                  if (trouble != Trouble::none) {
                    lines.put(line, with_event(problem_of(trouble), event));
                  } else {
                    put_told(lines, line, self->told_to(event, reply));
                  }
                }
              });
}

}  // namespace sotto::apps
