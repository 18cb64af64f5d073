// The engine of the dealer: it deals the programs that the actor plans, ahead of the rounds.
#pragma once

#include <memory>
#include <optional>

#include "apps/live/engine/engine_core.h"
#include "apps/live/engine/messages.h"
#include "apps/live/engine/node_epoch.h"
#include "apps/live/engine/side_calls.h"
#include "apps/live/roles/witness.h"

namespace sotto::apps::live {

class DealerEngine final : public WitnessService, private EngineRole {
 public:
  // `accept_rollback`: at its first epoch it does not tell what it knows to be settled. `rows` and `io` must outlive
  // this.
  DealerEngine(net::Io& io, LiveRows& rows, EngineConfig config, bool accept_rollback = false);
  ~DealerEngine() override;

  void start() { core_.start(); }
  void stop() { core_.stop(); }

  [[nodiscard]] const LiveSettings& settings() const override { return core_.config().settings; }
  [[nodiscard]] LiveStatus status() const override { return core_.status(); }
  [[nodiscard]] LiveCounters counters() const override { return core_.counters(); }
  // It knows none.
  void view(const EventId& event, Answered<std::optional<EventView>> answer) override;

 private:
  void make() override;
  void leave_epoch() override { dealer_->leave_epoch(); }
  [[nodiscard]] LiveStanding standing() const override { return dealer_->standing(); }
  void play(const Epoch& epoch) override;
  void work(LiveTime) override {}
  void fail_calls(Trouble) override {}
  [[nodiscard]] std::optional<LiveTime> next_due() const override { return std::nullopt; }
  void fill(LiveStatus& status) const override;

  void hear(const Epoch& epoch, NodeId from, const OrderFrame& frame);
  void deal(const Epoch& epoch, net::DealerSession& session, const DealtProgram& program);

  LiveRows& rows_;
  EngineCore core_;
  std::unique_ptr<LiveDealer> dealer_;  // under the lock
  bool accept_rollback_;
};

// The engine of the helper: it makes the programs that the actor plans with the parties, passes the rounds of decides,
// and has nothing to say in those of a learn. It hears shapes and numbers of programs, and of no event.

class HelperEngine final : public WitnessService, private EngineRole {
 public:
  // `accept_rollback`: at its first epoch it does not tell what it knows to be settled. `rows` and `io` must outlive
  // this.
  HelperEngine(net::Io& io, LiveRows& rows, EngineConfig config, bool accept_rollback = false);
  ~HelperEngine() override;

  void start() { core_.start(); }
  void stop() { core_.stop(); }

  [[nodiscard]] const LiveSettings& settings() const override { return core_.config().settings; }
  [[nodiscard]] LiveStatus status() const override { return core_.status(); }
  [[nodiscard]] LiveCounters counters() const override { return core_.counters(); }
  // It knows none.
  void view(const EventId& event, Answered<std::optional<EventView>> answer) override;

 private:
  void make() override;
  void leave_epoch() override { witness_->leave_epoch(); }
  [[nodiscard]] LiveStanding standing() const override { return witness_->standing(); }
  void play(const Epoch& epoch) override;
  void work(LiveTime) override {}
  void fail_calls(Trouble) override {}
  [[nodiscard]] std::optional<LiveTime> next_due() const override { return std::nullopt; }
  void fill(LiveStatus& status) const override;

  void hear(NodeEpoch& node, NodeId from, const OrderMessage& message);

  LiveRows& rows_;
  EngineCore core_;
  std::unique_ptr<LiveWitness> witness_;  // under the lock
  bool accept_rollback_;
};

}  // namespace sotto::apps::live
