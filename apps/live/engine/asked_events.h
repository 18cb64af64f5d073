// Who waits for the answer to which event, at the actor: an event may be asked by several calls, and what waits
// outlives the actor's state machine, which is made anew after an error.
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

// Replies that are collected, then given a call at a time.
class AskReplies {
 public:
  void add(const std::shared_ptr<AskCall>& call, std::size_t place, const AskReply& reply);
  // `post` takes each call's.
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

  // The event waits since then; if it does already, its deadline is the earlier one. `call` may be null.
  void add(const Request& request, const std::shared_ptr<AskCall>& call, std::size_t place);
  // Asked for by nobody here, perhaps.
  void add(const EventId& event, Found found);

  [[nodiscard]] std::vector<EventId> events() const;
  // Those that were asked here.
  [[nodiscard]] std::vector<Request> requests() const;
  [[nodiscard]] bool empty() const noexcept { return events_.empty(); }

  // All who wait for it, with nothing for an event that is not known; it is gone then.
  void resolve(const EventId& event, const std::optional<AskReply>& reply, AskReplies& replies,
               const std::function<void(std::function<void()>)>& post);
  // Nobody waits any more: all are told of the trouble.
  void fail(Trouble trouble, const std::function<void(std::function<void()>)>& post);
  // Only those who wait for events whose request `is_late` holds of. The requests stay.
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
