// The calls that wait for the answers to events, at the actor. Several calls may ask for one event. The waiting calls
// outlive the actor's state machine, which is made again after an error.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "apps/live/service/live_service.h"

namespace sotto::apps::live {

// A call for decisions that has requests without an answer.
struct AskCall {
  AskAnswered answer;
};

// Collects replies, and then passes on all replies of a call at once.
class AskReplies {
 public:
  void add(const std::shared_ptr<AskCall>& call, std::size_t place, const AskReply& reply);
  // `post` receives one function per call; the function passes the replies to the caller.
  void give(const std::function<void(std::function<void()>)>& post, Trouble trouble = Trouble::none);

 private:
  struct OfCall {
    std::shared_ptr<AskCall> call;
    std::vector<std::pair<std::size_t, AskReply>> replies;
  };
  std::vector<OfCall> calls_;
  std::map<const AskCall*, std::size_t> places_;
};

class AskedEvents {
 public:
  struct Request {
    DecisionRequest request;
    LiveTime asked = 0;
    LiveTime deadline = 0;
  };
  using Found = Answered<std::optional<AskReply>>;

  // Adds a call that waits for the event. The event waits from request.asked on. If it already waits, the earlier
  // deadline counts. `call` may be null.
  void add(const Request& request, const std::shared_ptr<AskCall>& call, std::size_t place);
  // Adds a look-up of the event, even if no call here has asked for the event.
  void add(const EventId& event, Found found);

  [[nodiscard]] std::vector<EventId> events() const;
  // The requests of events that calls here have asked for.
  [[nodiscard]] std::vector<Request> requests() const;
  [[nodiscard]] bool empty() const noexcept { return events_.empty(); }

  // Answers all calls that wait for the event, and then removes the event. Without `reply` the event is not known.
  void resolve(const EventId& event, const std::optional<AskReply>& reply, AskReplies& replies,
               const std::function<void(std::function<void()>)>& post);
  // All waiting calls receive the trouble. After that, none waits any more.
  void fail(Trouble trouble, const std::function<void(std::function<void()>)>& post);
  // The calls whose requests pass `is_late` receive the trouble. Their requests stay.
  void fail_late(Trouble trouble, const std::function<void(std::function<void()>)>& post,
                 const std::function<bool(const Request&)>& is_late);

 private:
  struct Waiter {
    std::shared_ptr<AskCall> call;
    std::size_t place = 0;
    Found found{};
  };
  struct Event {
    std::optional<Request> request;
    std::vector<Waiter> waiters;
  };
  static void fail(Event& event, Trouble trouble, AskReplies& replies,
                   const std::function<void(std::function<void()>)>& post);

  std::map<EventId, Event> events_;
};

}  // namespace sotto::apps::live
