#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "apps/kit/dp/samplers.h"
#include "apps/live/engine/engine_core.h"
#include "apps/live/engine/node_epoch.h"
#include "apps/live/engine/side_calls.h"
#include "apps/live/roles/rewarder.h"
#include "sotto/protocol/random/prg.h"

namespace sotto::apps::live {

class RewarderEngine final : public RewarderService, private EngineRole {
 public:
  // `rows` and `io` must outlive this object.
  RewarderEngine(net::Io& io, LiveRows& rows, EngineConfig config);
  ~RewarderEngine() override;

  void start() { core_.start(); }
  void stop() { core_.stop(); }

  [[nodiscard]] const LiveSettings& settings() const override { return core_.config().settings; }
  [[nodiscard]] LiveStatus status() const override { return core_.status(); }
  [[nodiscard]] LiveCounters counters() const override { return core_.counters(); }
  void view(const EventId& event, Answered<std::optional<EventView>> answer) override;
  void post(std::vector<RewardCall> rewards, Answered<std::vector<RewardStatus>> answer) override;

 private:
  void make() override;
  void leave_epoch() override { rewarder_->leave_epoch(); }
  [[nodiscard]] LiveHistory history() const override { return rewarder_->history(); }
  void play(const Epoch& epoch) override;
  void work(LiveTime now) override;
  void fail_calls(CallRefusal trouble) override;
  [[nodiscard]] std::optional<LiveTime> next_due() const override { return forgets_.next(); }
  void fill(LiveStatus& status) const override { fill_order(status, *rewarder_); }
  void report_figures(LiveCounters& counters) const override;
  void write_figures() override { rewarder_->write_figures(); }

  void open(NodeEpoch& node, const Epoch& epoch);
  void take_known(NodeEpoch& node);
  [[nodiscard]] RestateFrame take_restated(NodeEpoch& node);
  void receive(NodeEpoch& node, NodeId from, const OrderMessage& message);
  void run(NodeEpoch& node, const OrderEntry& entry);
  void begin_learn(NodeEpoch& node, const BeginFrame& learn);
  [[nodiscard]] std::size_t level_of(double reward, const std::vector<double>& levels);
  [[nodiscard]] bandit::LearnInputs learn_inputs(const bandit::BatchPlan& plan,
                                                 const std::vector<LearnedReward>& rewards);

  LiveRows& rows_;
  EngineCore core_;
  ListCalls<RewardCall, RewardStatus> posts_{core_};
  ViewCalls views_{core_};
  Prg rounding_;  // used by the engine thread
  Coins coins_;   // used under the lock
  bool is_playing_ = false;

  std::unique_ptr<LiveRewarder> rewarder_;  // used under the lock
  ForgetTurns forgets_;                     // used under the lock
};

}  // namespace sotto::apps::live
