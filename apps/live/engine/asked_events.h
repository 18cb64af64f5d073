// The calls at the actor that wait for decisions about events. If the actor's state machine is made again after an
// error, the calls continue to wait.
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

struct AskCall {
  AskAnswered answer;
};

class AskReplies {
 public:
  void add(const std::shared_ptr<AskCall>& call, std::size_t place, const AskReply& reply);
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

  // If the event already waits, the earlier of the two deadlines applies. `call` may be null.
  void add(const Request& request, const std::shared_ptr<AskCall>& call, std::size_t place);
  void add(const EventId& event, Found found);

  [[nodiscard]] std::vector<EventId> events() const;
  [[nodiscard]] std::vector<Request> requests() const;
  [[nodiscard]] bool empty() const noexcept { return events_.empty(); }

  // An empty `reply` means that the event is not known.
  void resolve(const EventId& event, const std::optional<AskReply>& reply, AskReplies& replies,
               const std::function<void(std::function<void()>)>& post);
  void fail(CallRefusal trouble, const std::function<void(std::function<void()>)>& post);
  // Answers calls for which `is_late` returns true. The requests stay in this object.
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
