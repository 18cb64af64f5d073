// Calls that a role stores and acknowledges: features at a party, rewards at the rewarder. One answers 204 or a
// problem, of many each line does.
#pragma once

#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "apps/kit/files/json.h"
#include "apps/kit/http/json_body.h"
#include "apps/kit/http/lines.h"
#include "apps/kit/http/request.h"
#include "apps/kit/http/responder.h"
#include "apps/live/api/answers.h"
#include "apps/live/api/event_text.h"

namespace sotto::apps::live {

// Calls that came together, and where their answers go. `Call` has a member `event`.
template <class Call>
struct CallLines {
  LineAnswers lines;
  std::vector<Call> calls;
  std::vector<std::size_t> places;  // the line of each
};

// `read` makes a call of a line, or throws JsonError or ProblemError, which is the answer to that line.
template <class Call, class Read>
[[nodiscard]] CallLines<Call> read_lines(std::string_view body, const Responder& responder, Read read) {
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

// {"event","status":204}
[[nodiscard]] inline nlohmann::ordered_json stored_json(const EventId& event) {
  nlohmann::ordered_json json;
  json["event"] = event_text(event);
  json["status"] = 204;
  return json;
}

// Answers the line of each call by its status, where `problem_of_status` says what is wrong, if anything.
template <class Call, class Status, class ProblemOf>
void put_statuses(const CallLines<Call>& batch, const CallResult<std::vector<Status>>& done,
                  ProblemOf problem_of_status) {
  for (std::size_t i = 0; i < batch.places.size(); ++i) {
    const EventId& event = batch.calls[i].event;
    if (done.trouble != Trouble::none) {
      batch.lines.put(batch.places[i], with_event(problem_of(done.trouble), event));
    } else if (const std::optional<Problem> problem = problem_of_status(event, done.result.at(i))) {
      batch.lines.put(batch.places[i], *problem);
    } else {
      batch.lines.put(batch.places[i], stored_json(event));
    }
  }
}

// The same of one call by itself.
template <class Status, class ProblemOf>
void answer_status(const Responder& responder, const EventId& event, const CallResult<std::vector<Status>>& done,
                   ProblemOf problem_of_status) {
  if (done.trouble != Trouble::none) {
    responder.answer(with_event(problem_of(done.trouble), event));
  } else if (const std::optional<Problem> problem = problem_of_status(event, done.result.at(0))) {
    responder.answer(*problem);
  } else {
    responder.answer(Answer::nothing());
  }
}

}  // namespace sotto::apps::live
