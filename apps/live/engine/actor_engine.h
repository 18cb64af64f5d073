#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "apps/live/engine/asked_events.h"
#include "apps/live/engine/engine_core.h"
#include "apps/live/engine/node_epoch.h"
#include "apps/live/engine/side_calls.h"
#include "apps/live/roles/actor.h"

namespace sotto::apps::live {

class ActorEngine final : public ActorService, private EngineRole {
 public:
  // `rows` and `io` must outlive this object.
  ActorEngine(net::Io& io, LiveRows& rows, EngineConfig config, ActorPeers peers);
  ~ActorEngine() override;

  void start() { core_.start(); }
  void stop() { core_.stop(); }

  [[nodiscard]] const LiveSettings& settings() const override { return core_.config().settings; }
  [[nodiscard]] LiveStatus status() const override;
  [[nodiscard]] LiveCounters counters() const override { return core_.counters(); }
  void view(const EventId& event, Answered<std::optional<EventView>> answer) override;
  void ask(std::vector<DecisionRequest> requests, bool wait, AskAnswered answer) override;
  void find(const EventId& event, bool wait, Answered<std::optional<AskReply>> answer) override;
  void activate(std::vector<EventId> events, Answered<std::vector<ActivateStatus>> answer) override;
  void drain(Answered<OrderMark> answer) override;
  void resume(Answered<OrderMark> answer) override;
  void take_snapshot(Answered<OrderMark> answer) override;
  void change_mode(LiveMode mode, Answered<OrderMark> answer) override;

 private:
  struct Asked {
    std::vector<DecisionRequest> requests;
    bool wait = true;
    std::shared_ptr<AskCall> call;
  };
  struct Found {
    EventId event;
    bool wait = false;
    Answered<std::optional<AskReply>> answer;
  };
  struct Order {
    enum class Kind : std::uint8_t { drain, resume, snapshot, mode } kind;
    LiveMode mode = LiveMode::online;
    Answered<OrderMark> answer;
    OrderNumber after = 0;
  };

  void make() override;
  void leave_epoch() override { actor_->leave_epoch(); }
  [[nodiscard]] LiveHistory history() const override { return actor_->history(); }
  void play(const Epoch& epoch) override;
  void work(LiveTime now) override;
  void fail_calls(CallRefusal trouble) override;
  [[nodiscard]] std::optional<LiveTime> next_due() const override;
  void fill(LiveStatus& status) const override;
  void report_figures(LiveCounters& counters) const override;
  void write_figures() override { actor_->write_figures(); }

  // The functions below are called under the lock.
  void work_on_asks(LiveTime now);
  void ask_all(const Asked& asked, LiveTime now, AskReplies& replies);
  void work_on_finds();
  void work_on_orders();
  void pass_deadlines(LiveTime now);
  void give(const std::vector<LiveAnswer>& answers);
  void send_known_batches();
  void end_orders();
  void put_order(Order order);
  [[nodiscard]] std::function<void(std::function<void()>)> poster();

  void open(NodeEpoch& node, const Epoch& epoch);
  void open_role(const Epoch& epoch, std::vector<RestateFrame> restated);
  [[nodiscard]] bool wants_snapshot() const;
  [[nodiscard]] bool is_done(const Order& order) const;
  [[nodiscard]] std::pair<NodeId, OrderFrame> receive(NodeEpoch& node, const ProgramShape* awaited = nullptr);
  void turn(NodeEpoch& node);
  void wait_idly(NodeEpoch& node, net::Clock::time_point end);
  void notify_parties(NodeEpoch& node, const OrderFrame& frame) const;
  void notify_players(NodeEpoch& node, const OrderFrame& frame) const;
  void send_plan(NodeEpoch& node, const PlanFrame& plan) const;
  void run(NodeEpoch& node, const OrderEntry& entry);
  void decide(NodeEpoch& node, const OrderEntry& entry);
  void agree(NodeEpoch& node, const OrderEntry& entry);
  void begin_learn(NodeEpoch& node, const BeginFrame& learn);
  [[nodiscard]] std::optional<std::pair<NodeId, OrderFrame>> receive_until(NodeEpoch& node, net::Clock::time_point end,
                                                                           const ProgramShape* awaited = nullptr);
  void wait_for_all(NodeEpoch& node, const ProgramShape& shape);
  void commit();

  LiveRows& rows_;
  ActorPeers peers_;
  EngineCore core_;
  CallQueue<Asked> asks_{most_items_waiting};
  CallQueue<Found> finds_{most_items_waiting};
  CallQueue<Order> new_orders_{256};
  ListCalls<EventId, ActivateStatus> activations_{core_};
  ViewCalls views_{core_};
  std::atomic<bool> is_idle_{false};

  // The members below may be used only under the lock.
  std::unique_ptr<LiveActor> actor_;
  AskedEvents asked_;
  std::vector<Order> orders_;
  bool draining_ = false;
  std::optional<LiveMode> wanted_mode_;
  ForgetTurns forgets_;
};

}  // namespace sotto::apps::live
