// The handlers of the actor's routes.
#pragma once

#include <chrono>
#include <memory>

#include "apps/kit/http/lines.h"
#include "apps/live/api/api_context.h"
#include "apps/live/api/problems.h"
#include "apps/live/api/queue_rate.h"

namespace sotto::apps::live {

// How long the role may take to store a call whose wait is over.
inline constexpr std::chrono::milliseconds stored_within{2'000};

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

  // The call has waited for so long: the event is stored, so that it has its answer whatever happens, before 202 says
  // so.
  void keep(const DecisionRequest& request, const Responder& responder);
  struct BatchedDecisions;
  void keep_batch(const LineAnswers& lines, const std::shared_ptr<BatchedDecisions>& batch);
  // Answers with what is said of the event.
  [[nodiscard]] AskAnswered teller(const Responder& responder, const EventId& event);
  [[nodiscard]] AskAnswered teller(const LineAnswers& lines, const std::shared_ptr<BatchedDecisions>& batch,
                                   std::vector<std::size_t> asked);
  // What `reply` says of the event; `pending` is the status where it still waits.
  void answer(const Responder& responder, const EventId& event, const AskReply& reply, unsigned pending);
  [[nodiscard]] Told told_to(const EventId& event, const AskReply& reply);
  [[nodiscard]] unsigned retry_after();

  ActorService& service;
  SharedContext context;
  QueueRate rate;
};

}  // namespace sotto::apps::live
