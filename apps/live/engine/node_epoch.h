// An epoch as every node plays it: the session, messages of the order, and the planned programs. Without a dealer the
// epoch also has the material of the programs (prepared_programs.h). A program whose material is not there yet waits
// for the material.
//
// A preparation begins when its plan comes, but after a decide that was proposed before the plan. So the order of
// programs in the session is the same at all nodes, although some nodes receive the plan before they run that decide
// and others after.
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

  void tell(NodeId peer, const OrderFrame& frame);
  // Relays the message unchanged.
  void relay(NodeId peer, const OrderMessage& message);
  // The next message. Nothing if the core's descriptor was written to, if a learn has ended, or at `end`. Throws
  // Interrupted if the role has to end the epoch. While the `awaited` program is on its way, the wait spins as in that
  // program's rounds.
  [[nodiscard]] std::optional<std::pair<NodeId, OrderMessage>> wait(net::Clock::time_point end,
                                                                    const ProgramShape* awaited = nullptr);

  // Take the actor's frames about programs. A proposal must go to expect() before any later plan goes to plan().
  void plan(const PlanFrame& frame);
  void expect(const OrderEntry& proposed);
  void skip(const SkipFrame& frame);
  // Runs the entry's program in rounds. `body` makes the task. Throws ProtocolError if the program is not the next
  // planned one.
  template <class Body>
  auto run(const OrderEntry& entry, const Body& body) {
    take(entry);
    if (prepared_) return run_prepared(entry, body);
    auto run = core_.timed(entry.shape, LiveObserver::Phase::rounds,
                           [&] { return session_.run(digest_of(entry), body, spin_in(entry.shape)); });
    note_costs();
    return std::move(run.result);
  }
  // A digest of the openings of the last program and, without a dealer, of what the program drew; zeros if there is
  // neither. The program may still be running if it draws nothing more. Parties that are in step and received the same
  // words have the same digest.
  [[nodiscard]] net::Digest in_step(const net::Digest& openings) const;

  // Passes over the rounds of the entry's program without playing them, because this role has no part in them.
  void pass(const OrderEntry& entry);
  // Begins the learn's rounds next to everything else that runs. When they end, `done` takes their result, within a
  // call of wait().
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
  LiveCounters before_;                                 // counters of earlier epochs
  std::map<std::size_t, std::size_t> longest_frames_;   // the longest frame of a learn, by the size of the learn
  bool is_expected_ = false;                            // true if a decide was proposed and has not run
  std::vector<PlanFrame> to_prepare_;                   // plans that came after that proposal
  const protocols::PieceProtocols* playing_ = nullptr;  // protocols of the program that runs; null with a dealer
  net::Digest drawn_{};
};

}  // namespace sotto::apps::live
