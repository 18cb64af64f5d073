// The calls at the actor that wait for decisions about events. Several calls may ask for one event. If the actor's
// state machine is made again after an error, the calls continue to wait.
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

// A call for decisions. Some of its requests have no answer yet.
struct AskCall {
  AskAnswered answer;
};

// Collects replies, and then passes on all replies of a call at once.
class AskReplies {
 public:
  void add(const std::shared_ptr<AskCall>& call, std::size_t place, const AskReply& reply);
  // `post` receives one function per call; the function passes the replies to the caller.
  void give(const std::function<void(std::function<void()>)>& post, CallRefusal trouble = CallRefusal::none);

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

  // Adds a call that waits for the event. The event's wait begins at request.asked. If the event already waits, the
  // earlier of the two deadlines applies. `call` may be null.
  void add(const Request& request, const std::shared_ptr<AskCall>& call, std::size_t place);
  // Adds a look-up of the event. The event need not have a request in this object.
  void add(const EventId& event, Found found);

  [[nodiscard]] std::vector<EventId> events() const;
  // The requests of the events, without those events that have only look-ups.
  [[nodiscard]] std::vector<Request> requests() const;
  [[nodiscard]] bool empty() const noexcept { return events_.empty(); }

  // Answers all calls that wait for the event, and then removes the event. An empty `reply` means that the event is not
  // known.
  void resolve(const EventId& event, const std::optional<AskReply>& reply, AskReplies& replies,
               const std::function<void(std::function<void()>)>& post);
  // Answers all waiting calls with the trouble, and removes all calls.
  void fail(CallRefusal trouble, const std::function<void(std::function<void()>)>& post);
  // If `is_late` returns true for a request, answers the calls of this request with the trouble. The requests stay in
  // this object.
  void fail_late(CallRefusal trouble, const std::function<void(std::function<void()>)>& post,
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
  static void fail(Event& event, CallRefusal trouble, AskReplies& replies,
                   const std::function<void(std::function<void()>)>& post);

  std::map<EventId, Event> events_;
};

}  // namespace sotto::apps::live
