// The part of an epoch that is common to all nodes: the session, messages of the order, and the planned programs.
//
// A preparation (prepared_programs.h) begins when its plan arrives. If a decide was proposed before the plan, the
// preparation begins only after that decide. So all nodes run the decide and the preparation in the same order, even if
// a node receives the plan before it has run the decide.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "apps/live/engine/engine_core.h"
#include "apps/live/engine/live_programs.h"
#include "apps/live/engine/messages.h"
#include "apps/live/engine/prepared_programs.h"

namespace sotto::apps::live {

class NodeEpoch {
 public:
  // Waits until the parties and the dealer have opened the epoch. Without a dealer, also waits until all nodes have
  // agreed on keys.
  NodeEpoch(EngineCore& core, const Epoch& epoch);

  [[nodiscard]] const bandit::BatchPlan& plan() const noexcept { return epoch_.plan; }
  [[nodiscard]] const LiveOpening& opening() const noexcept { return epoch_.opening; }
  [[nodiscard]] const Topology& topology() const { return epoch_.mesh.topology(); }
  [[nodiscard]] NodeId self() const { return epoch_.mesh.self(); }
  [[nodiscard]] NodeId actor() const { return topology().outside_node(); }
  [[nodiscard]] NodeId rewarder() const { return topology().further_node(); }

  void send(NodeId peer, const OrderFrame& frame);
  void relay(NodeId peer, const OrderMessage& message);
  // Waits for the next message. Returns nothing at the time `end`, if a learn has ended, or if the core's descriptor
  // `wake()` was written to. Throws Interrupted if the role has to end the epoch. If `awaited` is given, the wait spins
  // as long as a wait in the rounds of that program.
  [[nodiscard]] std::optional<std::pair<NodeId, OrderMessage>> wait(net::Clock::time_point end,
                                                                    const ProgramShape* awaited = nullptr);

  // Call expect() for a proposal before plan() for any later plan.
  void plan(const PlanFrame& frame);
  void expect(const OrderEntry& proposed);
  void skip(const SkipFrame& frame);
  // Throws ProtocolError if the entry's program may not run next (PlannedPrograms).
  template <class Body>
  auto run(const OrderEntry& entry, const Body& body) {
    take(entry);
    if (prepared_) return run_prepared(entry, body);
    auto run = core_.timed(entry.shape, LiveObserver::Phase::rounds,
                           [&] { return session_.run(digest_of(entry), body, spin_in(entry.shape)); });
    note_costs();
    return std::move(run.result);
  }
  // Returns a digest of `openings`, which are those of the last program, and of the randomness that the program drew
  // without a dealer. Returns zeros if the program opened and drew nothing. Parties that received equal words and drew
  // equal randomness get equal digests.
  [[nodiscard]] net::Digest in_step(const net::Digest& openings) const;

  void pass(const OrderEntry& entry);
  // When the rounds of the learn have ended, a call of wait() passes the result to `done`.
  void begin(const BeginFrame& learn, bandit::LearnInputs inputs, std::function<void(bandit::LearnResult)> done);

 private:
  void check_turn(std::uint64_t program) const;
  void take(const OrderEntry& entry);
  template <class Body>
  auto run_prepared(const OrderEntry& entry, const Body& body) {
    wait_for(entry.program);
    const auto program = [&](Party& party) {
      protocols::PreparedProgram prepared = prepared_->take(entry.program);
      playing_ = prepared.pieces.get();
      return protocols::run_prepared(party, std::move(prepared), body);
    };
    auto run = core_.timed(entry.shape, LiveObserver::Phase::rounds,
                           [&] { return session_.run(digest_of(entry), program, spin_in(entry.shape)); });
    playing_ = nullptr;
    drawn_ = digest_of_draws(run.result.drawn);
    go_on_preparing();
    note_costs();
    return std::move(run.result.result);
  }
  [[nodiscard]] static net::Digest digest_of_draws(std::uint64_t drawn);
  void agree_on_keys();
  void wait_for(std::uint64_t program);
  void go_on_preparing();
  template <class Ended>
  void begin_prepared(const BeginFrame& learn, bandit::LearnInputs inputs, Ended ended);
  void note_costs();
  [[nodiscard]] std::optional<std::chrono::microseconds> spin_in(const ProgramShape& shape) const;
  [[nodiscard]] std::size_t longest_frame(const ProgramShape& shape);

  EngineCore& core_;
  const Epoch& epoch_;
  std::unique_ptr<PreparedPrograms> prepared_;  // null with a dealer; must outlive the session
  net::NodeSession session_;
  PlannedPrograms programs_;
  LiveCounters before_;
  std::map<std::size_t, std::size_t> longest_frames_;
  bool is_expected_ = false;
  std::vector<PlanFrame> to_prepare_;
  const protocols::PieceProtocols* playing_ = nullptr;
  net::Digest drawn_{};
};

}  // namespace sotto::apps::live
