// An epoch as every node plays it: the session, messages of the order, and the programs that are planned.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <utility>

#include "sotto/apps/bandit/live/engine/engine_core.h"
#include "sotto/apps/bandit/live/engine/live_programs.h"
#include "sotto/apps/bandit/live/engine/messages.h"

namespace sotto::apps {

class NodeEpoch {
 public:
  // Waits until the parties and the dealer have opened the epoch.
  NodeEpoch(EngineCore& core, const Epoch& epoch);

  [[nodiscard]] const BatchPlan& plan() const noexcept { return epoch_.plan; }
  [[nodiscard]] const LiveOpening& opening() const noexcept { return epoch_.opening; }
  [[nodiscard]] const Topology& topology() const { return epoch_.mesh.topology(); }
  [[nodiscard]] NodeId self() const { return epoch_.mesh.self(); }
  [[nodiscard]] NodeId actor() const { return topology().outside_node(); }
  [[nodiscard]] NodeId rewarder() const { return topology().further_node(); }

  void tell(NodeId peer, const OrderFrame& frame);
  // Unchanged.
  void relay(NodeId peer, const OrderMessage& message);
  // The next message, or nothing once the core's descriptor was written to, a learn has ended, or at `end`. Throws
  // Interrupted where the role is to end the epoch.
  [[nodiscard]] std::optional<std::pair<NodeId, OrderMessage>> wait(net::Clock::time_point end);

  // What the actor says of programs, at the other nodes.
  void plan(const PlanFrame& frame) { programs_.plan(frame); }
  void skip(const SkipFrame& frame);
  // The entry's program, in rounds; `body` makes the task. Throws ProtocolError where it is not the next that was planned.
  template <class Body>
  auto run(const OrderEntry& entry, const Body& body) {
    take(entry);
    auto run = core_.timed(entry.shape, LiveObserver::Phase::rounds,
                           [&] { return session_.run(digest_of(entry), body, spin_in(entry.shape)); });
    note_costs();
    return std::move(run.result);
  }

  // The entry's program, of which nothing is for this role: its rounds are passed without being played.
  void pass(const OrderEntry& entry);
  // Begins the learn's rounds beside all that is run until they end; what they gave is in `done` then, within wait().
  void begin(const BeginFrame& learn, LearnInputs inputs, std::function<void(LearnResult)> done);

 private:
  void check_turn(std::uint64_t program) const;
  void take(const OrderEntry& entry);
  void note_costs();
  [[nodiscard]] std::optional<std::chrono::microseconds> spin_in(const ProgramShape& shape) const;
  [[nodiscard]] std::size_t longest_frame(std::size_t size);

  EngineCore& core_;
  const Epoch& epoch_;
  net::NodeSession session_;
  PlannedPrograms programs_;
  LiveCounters before_;                                // of the epochs before
  std::map<std::size_t, std::size_t> longest_frames_;  // of a learn, by its size
};

}  // namespace sotto::apps
