// The functions of the actor's engine that handle calls of the actor's own organisation.
#include <algorithm>

#include "apps/live/engine/actor_engine.h"

namespace sotto::apps::live {
namespace {

AskReply reply_of(const AskResult& result) { return AskReply{result.status, result.answer, false}; }

}  // namespace

std::function<void(std::function<void()>)> ActorEngine::poster() {
  return [this](std::function<void()> call) { core_.post_later(std::move(call)); };
}

void ActorEngine::view(const EventId& event, Answered<std::optional<EventView>> answer) {
  ask_view(views_, event, std::move(answer));
}

void ActorEngine::ask(std::vector<DecisionRequest> requests, bool wait, AskAnswered answer) {
  const auto call = std::make_shared<AskCall>(AskCall{std::move(answer)});
  const std::size_t count = requests.size();
  if (asks_.put(Asked{std::move(requests), wait, call}, count)) {
    // An idle engine thread handles the requests itself, because a detour through the call thread would cost more time.
    return is_idle_ ? core_.wake_engine() : core_.wake_calls();
  }
  AskReplies replies;
  for (std::size_t place = 0; place < count; ++place) replies.add(call, place, AskReply{});
  replies.give([this](std::function<void()> call) { core_.post(std::move(call)); }, CallRefusal::full);
}

void ActorEngine::find(const EventId& event, bool wait, Answered<std::optional<AskReply>> answer) {
  if (finds_.put(Found{event, wait, answer}, 1)) return core_.wake_calls();
  core_.post([answer = std::move(answer)] {
    answer(CallResult<std::optional<AskReply>>{CallRefusal::full, std::nullopt});
  });
}

void ActorEngine::activate(std::vector<EventId> events, Answered<std::vector<ActivateStatus>> answer) {
  activations_.ask(std::move(events), std::move(answer));
}

void ActorEngine::put_order(Order order) {
  const Answered<OrderMark> answer = order.answer;
  if (new_orders_.put(std::move(order), 1)) return core_.wake_calls();
  core_.post([answer] { answer(CallResult<OrderMark>{CallRefusal::full, {}}); });
}

void ActorEngine::drain(Answered<OrderMark> answer) {
  put_order(Order{Order::Kind::drain, LiveMode::online, std::move(answer)});
}

void ActorEngine::resume(Answered<OrderMark> answer) {
  put_order(Order{Order::Kind::resume, LiveMode::online, std::move(answer)});
}

void ActorEngine::take_snapshot(Answered<OrderMark> answer) {
  put_order(Order{Order::Kind::snapshot, LiveMode::online, std::move(answer)});
}

void ActorEngine::change_mode(LiveMode mode, Answered<OrderMark> answer) {
  put_order(Order{Order::Kind::mode, mode, std::move(answer)});
}

// The call thread calls the functions below under the lock.

void ActorEngine::work(LiveTime now) {
  work_on_orders();
  work_on_asks(now);
  work_on_finds();
  activations_.work([&](std::span<const EventId> events) { return actor_->activate(events); });
  work_on_views(views_, *actor_);
  pass_deadlines(now);
  end_orders();
  if (forgets_.is_due(now)) {
    actor_->forget(now);
    forgets_.done(now, actor_->forgets_more());
  }
  if (actor_->queued() > 0 || wanted_mode_ || wants_snapshot()) core_.wake_engine();
}

std::optional<LiveTime> ActorEngine::next_due() const {
  return std::min(actor_->next_deadline().value_or(forgets_.next()), forgets_.next());
}

void ActorEngine::work_on_asks(LiveTime now) {
  std::vector<Asked> calls = asks_.take();
  AskReplies replies;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    try {
      ask_all(calls[i], now, replies);
    } catch (...) {
      replies.give(poster());
      AskReplies failed;
      for (; i < calls.size(); ++i) {
        for (std::size_t place = 0; place < calls[i].requests.size(); ++place) {
          failed.add(calls[i].call, place, AskReply{});
        }
      }
      failed.give(poster(), CallRefusal::disk_full);
      throw;
    }
  }
  replies.give(poster());
}

// A caller that does not wait may disconnect, so its requests are stored on the disk.
void ActorEngine::ask_all(const Asked& asked, LiveTime now, AskReplies& replies) {
  const std::vector<AskResult> results = actor_->ask(asked.requests, now, !asked.wait);
  for (std::size_t place = 0; place < results.size(); ++place) {
    const DecisionRequest& request = asked.requests[place];
    const bool waits = results[place].status == AskStatus::pending;
    const LiveTime deadline = now + deadline_of(request, settings());
    if (waits) asked_.add({request, now, deadline}, asked.wait ? asked.call : nullptr, place);
    if (!waits || !asked.wait) replies.add(asked.call, place, reply_of(results[place]));
  }
}

void ActorEngine::work_on_finds() {
  for (Found& call : finds_.take()) {
    const std::optional<AskResult> result = actor_->find(call.event);
    if (result && result->status == AskStatus::pending && call.wait) {
      asked_.add(call.event, std::move(call.answer));
      continue;
    }
    std::optional<AskReply> reply;
    if (result) reply = reply_of(*result);
    core_.post_later([answer = std::move(call.answer), reply] {
      answer(CallResult<std::optional<AskReply>>{CallRefusal::none, reply});
    });
  }
}

void ActorEngine::work_on_orders() {
  for (Order& order : new_orders_.take()) {
    if (order.kind == Order::Kind::mode && order.mode != LiveMode::frozen && actor_->mode() == LiveMode::frozen &&
        actor_->book().learning_has_ended()) {
      core_.post_later([answer = order.answer] { answer(CallResult<OrderMark>{CallRefusal::learning_ended, {}}); });
      continue;
    }
    if (order.kind == Order::Kind::mode) {
      wanted_mode_ = order.mode;
      actor_->change_mode(order.mode);
    } else if (order.kind == Order::Kind::snapshot) {
      order.after = actor_->book().last().mark.number;
      actor_->take_snapshot();
    } else {
      draining_ = order.kind == Order::Kind::drain;
      actor_->set_draining(draining_);
    }
    orders_.push_back(std::move(order));
  }
}

bool ActorEngine::wants_snapshot() const {
  return std::any_of(orders_.begin(), orders_.end(),
                     [](const Order& order) { return order.kind == Order::Kind::snapshot; });
}

bool ActorEngine::is_done(const Order& order) const {
  const auto& snapshots = actor_->book().snapshots();
  switch (order.kind) {
    case Order::Kind::mode:
      return !wanted_mode_ || *wanted_mode_ != order.mode;
    case Order::Kind::snapshot:
      return !snapshots.empty() && snapshots.back().number > order.after;
    case Order::Kind::drain:
      return !draining_ || actor_->is_drained();
    case Order::Kind::resume:
      break;
  }
  return true;
}

void ActorEngine::end_orders() {
  if (wanted_mode_ == actor_->mode()) wanted_mode_.reset();
  for (const Order& order : orders_) {
    if (!is_done(order)) continue;
    OrderMark mark = actor_->book().last().mark;
    if (order.kind == Order::Kind::snapshot) {
      const SnapshotName& copy = actor_->book().snapshots().back();
      mark.number = copy.number;
      mark.id = copy.id;
    }
    core_.post_later([answer = order.answer, mark] { answer(CallResult<OrderMark>{CallRefusal::none, mark}); });
  }
  std::erase_if(orders_, [this](const Order& order) { return is_done(order); });
}

void ActorEngine::pass_deadlines(LiveTime now) {
  const PassedDeadlines passed = actor_->pass_deadlines(now);
  give(passed.baselines);
  if (passed.unanswered.empty()) return;
  AskReplies replies;
  for (const EventId& event : passed.unanswered) {
    asked_.resolve(event, AskReply{AskStatus::pending, std::nullopt, true}, replies, poster());
  }
  replies.give(poster());
}

void ActorEngine::give(const std::vector<LiveAnswer>& answers) {
  if (answers.empty()) return;
  AskReplies replies;
  for (const LiveAnswer& answer : answers) {
    AskReply reply{AskStatus::answered, answer, false};
    if (answer.state == DecisionState::lost) reply = AskReply{AskStatus::already_decided, std::nullopt, false};
    asked_.resolve(answer.event, reply, replies, poster());
  }
  replies.give(poster());
}

void ActorEngine::send_known_batches() {
  AskReplies replies;
  for (const EventId& event : asked_.events()) {
    const std::optional<AskResult> result = actor_->find(event);
    if (result && result->status == AskStatus::pending) continue;
    std::optional<AskReply> reply;
    if (result) reply = reply_of(*result);
    asked_.resolve(event, reply, replies, poster());
  }
  replies.give(poster());
}

void ActorEngine::fail_calls(CallRefusal trouble) {
  for (const Asked& asked : asks_.take()) {
    AskReplies replies;
    for (std::size_t place = 0; place < asked.requests.size(); ++place) replies.add(asked.call, place, AskReply{});
    replies.give(poster(), trouble);
  }
  for (Found& call : finds_.take()) {
    core_.post_later([answer = std::move(call.answer), trouble] {
      answer(CallResult<std::optional<AskReply>>{trouble, std::nullopt});
    });
  }
  std::vector<Order> orders = new_orders_.take();
  activations_.fail(trouble);
  views_.fail(trouble);
  if (trouble == CallRefusal::disk_full) {
    // Waiting requests continue when the disk has room again. A caller whose deadline has passed receives the error
    // `trouble` instead of a baseline arm.
    asked_.fail_late(trouble, poster(),
                     [now = core_.now()](const AskedEvents::Request& asked) { return now >= asked.deadline; });
  } else {
    asked_.fail(trouble, poster());
    for (Order& order : orders_) orders.push_back(std::move(order));
    orders_.clear();
  }
  for (const Order& order : orders) {
    core_.post_later([answer = order.answer, trouble] { answer(CallResult<OrderMark>{trouble, {}}); });
  }
}

}  // namespace sotto::apps::live
