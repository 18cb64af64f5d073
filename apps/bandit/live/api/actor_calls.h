// The handlers of the actor's routes.
#pragma once

#include <memory>

#include "sotto/apps/bandit/live/api/api_context.h"
#include "sotto/apps/bandit/live/api/queue_rate.h"

namespace sotto::apps {

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

  // What `reply` says of the event; `pending` is the status where it still waits.
  void answer(const Responder& responder, const EventId& event, const AskReply& reply, unsigned pending);
  [[nodiscard]] Told told_to(const EventId& event, const AskReply& reply);
  [[nodiscard]] unsigned retry_after();

  ActorService& service;
  SharedContext context;
  QueueRate rate;
};

}  // namespace sotto::apps
