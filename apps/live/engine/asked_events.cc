#include "apps/live/engine/asked_events.h"

#include <algorithm>
#include <utility>

namespace sotto::apps::live {

void AskReplies::add(const std::shared_ptr<AskCall>& call, std::size_t place, const AskReply& reply) {
  const auto [found, is_new] = places_.emplace(call.get(), calls_.size());
  if (is_new) calls_.push_back(OfCall{call, {}});
  calls_[found->second].replies.emplace_back(place, reply);
}

void AskReplies::give(const std::function<void(std::function<void()>)>& post, CallRefusal trouble) {
  for (OfCall& of_call : calls_) {
    post([call = std::move(of_call.call), replies = std::move(of_call.replies), trouble]() mutable {
      call->answer(std::move(replies), trouble);
    });
  }
  calls_.clear();
  places_.clear();
}

void AskedEvents::add(const Request& request, const std::shared_ptr<AskCall>& call, std::size_t place) {
  Event& event = events_[request.request.event];
  if (!event.request) event.request = request;
  event.request->deadline = std::min(event.request->deadline, request.deadline);
  if (call) event.waiters.push_back(Waiter{call, place, {}});
}

void AskedEvents::add(const EventId& event, Found found) {
  events_[event].waiters.push_back(Waiter{nullptr, 0, std::move(found)});
}

std::vector<EventId> AskedEvents::events() const {
  std::vector<EventId> all;
  all.reserve(events_.size());
  for (const auto& [id, event] : events_) all.push_back(id);
  return all;
}

std::vector<AskedEvents::Request> AskedEvents::requests() const {
  std::vector<Request> all;
  for (const auto& [id, event] : events_) {
    if (event.request) all.push_back(*event.request);
  }
  return all;
}

void AskedEvents::resolve(const EventId& event, const std::optional<AskReply>& reply, AskReplies& replies,
                          const std::function<void(std::function<void()>)>& post) {
  const auto found = events_.find(event);
  if (found == events_.end()) return;
  for (Waiter& waiter : found->second.waiters) {
    if (waiter.call) {
      replies.add(waiter.call, waiter.place, reply.value_or(AskReply{}));
      continue;
    }
    post([answer = std::move(waiter.found), reply] {
      answer(CallResult<std::optional<AskReply>>{CallRefusal::none, reply});
    });
  }
  events_.erase(found);
}

void AskedEvents::fail(Event& event, CallRefusal trouble, AskReplies& replies,
                       const std::function<void(std::function<void()>)>& post) {
  for (Waiter& waiter : std::exchange(event.waiters, {})) {
    if (waiter.call) {
      replies.add(waiter.call, waiter.place, AskReply{});
      continue;
    }
    post([answer = std::move(waiter.found), trouble] {
      answer(CallResult<std::optional<AskReply>>{trouble, std::nullopt});
    });
  }
}

void AskedEvents::fail(CallRefusal trouble, const std::function<void(std::function<void()>)>& post) {
  AskReplies replies;
  for (auto& [id, event] : events_) fail(event, trouble, replies, post);
  events_.clear();
  replies.give(post, trouble);
}

void AskedEvents::fail_late(CallRefusal trouble, const std::function<void(std::function<void()>)>& post,
                            const std::function<bool(const Request&)>& is_late) {
  AskReplies replies;
  for (auto& [id, event] : events_) {
    if (event.request && is_late(*event.request)) fail(event, trouble, replies, post);
  }
  replies.give(post, trouble);
}

}  // namespace sotto::apps::live
