// The engine of the dealer: it deals the programs that the actor plans, ahead of the rounds.
#pragma once

#include <memory>
#include <optional>

#include "apps/live/engine/engine_core.h"
#include "apps/live/engine/messages.h"
#include "apps/live/engine/side_calls.h"
#include "apps/live/roles/dealer.h"

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

}  // namespace sotto::apps::live
