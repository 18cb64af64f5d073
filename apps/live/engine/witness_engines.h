// The engines of the dealer and the helper. These roles learn the shape of each program and the number of programs, but
// nothing about events.
#pragma once

#include <memory>
#include <optional>
#include <utility>

#include "apps/live/engine/engine_core.h"
#include "apps/live/engine/messages.h"
#include "apps/live/engine/node_epoch.h"
#include "apps/live/engine/side_calls.h"
#include "apps/live/roles/witness.h"

namespace sotto::apps::live {

// A derived class must stop the core before any of its own members is destroyed.
class WitnessEngine : public WitnessService, protected EngineRole {
 public:
  // With `accept_rollback`, the role does not report the number of the last settled entry when the first epoch opens.
  // `rows` and `io` must outlive this object.
  WitnessEngine(net::Io& io, LiveRows& rows, EngineConfig config, bool accept_rollback);

  void start() { core_.start(); }
  void stop() { core_.stop(); }

  [[nodiscard]] const LiveSettings& settings() const override { return core_.config().settings; }
  [[nodiscard]] LiveStatus status() const override { return core_.status(); }
  [[nodiscard]] LiveCounters counters() const override { return core_.counters(); }
  void view(const EventId& event, Answered<std::optional<EventView>> answer) override;

 protected:
  // Call under the lock.
  [[nodiscard]] virtual const LiveWitness& witness() const = 0;

  [[nodiscard]] LiveHistory history() const override { return witness().history(); }
  void work(LiveTime) override {}
  void fail_calls(CallRefusal) override {}
  [[nodiscard]] std::optional<LiveTime> next_due() const override { return std::nullopt; }
  void fill(LiveStatus& status) const override;

  LiveRows& rows_;
  EngineCore core_;
  bool accept_rollback_;
};

class DealerEngine final : public WitnessEngine {
 public:
  DealerEngine(net::Io& io, LiveRows& rows, EngineConfig config, bool accept_rollback = false)
      : WitnessEngine(io, rows, std::move(config), accept_rollback) {}
  ~DealerEngine() override { stop(); }

 private:
  [[nodiscard]] const LiveWitness& witness() const override { return *dealer_; }
  void make() override { dealer_ = std::make_unique<LiveDealer>(rows_, accept_rollback_); }
  void leave_epoch() override { dealer_->leave_epoch(); }
  void play(const Epoch& epoch) override;

  void receive(const Epoch& epoch, NodeId from, const OrderFrame& frame);
  void deal(const Epoch& epoch, net::DealerSession& session, const DealtProgram& program);

  std::unique_ptr<LiveDealer> dealer_;  // used under the lock
};

// The helper prepares the planned programs together with the parties. The helper skips the rounds of decides, and sends
// nothing in the rounds of learns.
class HelperEngine final : public WitnessEngine {
 public:
  HelperEngine(net::Io& io, LiveRows& rows, EngineConfig config, bool accept_rollback = false)
      : WitnessEngine(io, rows, std::move(config), accept_rollback) {}
  ~HelperEngine() override { stop(); }

 private:
  [[nodiscard]] const LiveWitness& witness() const override { return *witness_; }
  void make() override { witness_ = std::make_unique<LiveWitness>(rows_, "the helper", accept_rollback_); }
  void leave_epoch() override { witness_->leave_epoch(); }
  void play(const Epoch& epoch) override;

  void receive(NodeEpoch& node, NodeId from, const OrderMessage& message);

  std::unique_ptr<LiveWitness> witness_;  // used under the lock
};

}  // namespace sotto::apps::live
