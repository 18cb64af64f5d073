// The material on which programs of an epoch without a dealer are played. All nodes make it together, ahead of use.
//
// Keys        All nodes agree on keys once an epoch, by fresh secrets. Each program has streams of its own under its
//             number. So a decide, a learn that is played next to it, and preparations draw independently of each
//             other, in whatever order they go at a role.
// Preparation The programs of a plan are prepared side by side, in the rounds of the longest, and plans go in order.
//             Large programs are prepared in pieces of `events_at_once` events, so that the first is there before the
//             last, and a round computes less. `in_flight` preparations are on their way at once, each on a lane of its
//             own: transfers of two parties are counted on from one preparation to the next.
// Material    The material lies in memory until the program of its number takes it, once. The material of a skipped
//             program is thrown away. All material goes with the epoch, whatever ends the epoch: a new epoch has new
//             keys, and nothing is ever used twice.
// Checks      All parties, and at party 0 the nodes outside, confirm a preparation's requests before it is used. The
//             draws of a program while it runs go into the id that parties compare once they have done its number.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "apps/live/engine/live_programs.h"
#include "apps/live/order/frames.h"
#include "protocols/preprocessing/recorded/run_recorded.h"
#include "sotto/protocol/async/task.h"
#include "sotto/protocol/mesh/driver/session.h"
#include "sotto/protocol/party/party.h"
#include "sotto/protocol/random/seed.h"

namespace sotto::apps::live {

// The makers of pieces of the epoch, one entry per lane.
using PieceLanes = std::vector<protocols::MakePieces>;

// Agrees on keys as RandomnessBy of the plan says. `secret` is this role's own, and fresh for the epoch. `label` is
// the expansion_label of session and epoch.
[[nodiscard]] Task<PieceLanes> agree_on_lanes(Party& party, const bandit::BatchPlan& plan, Seed secret,
                                              std::string label);

// The programs of a plan, made with the pieces of one lane. `make` and `plan` must outlive the task.
[[nodiscard]] Task<std::vector<protocols::PreparedProgram>> prepare_programs(
    Party& party, const protocols::MakePieces& make, std::string label, const bandit::BatchPlan& plan, PlanFrame frame);

class PreparedPrograms {
 public:
  static constexpr std::size_t in_flight = 2;
  static constexpr std::size_t events_at_once = 256;

  // All arguments except `lanes` must outlive this object. `label` is the same as for agree_on_lanes().
  PreparedPrograms(net::NodeSession& session, const Topology& topology, const bandit::BatchPlan& plan, PieceLanes lanes,
                   std::string label);

  // Begins to prepare the programs of the plan, after the programs that the session already has.
  void prepare(const PlanFrame& frame);
  [[nodiscard]] bool has(std::uint64_t program) const { return there_.count(program) > 0; }
  // Takes the prepared program. Throws std::logic_error if the program is not there.
  [[nodiscard]] protocols::PreparedProgram take(std::uint64_t program);
  // Drops the material of a program that is not used, whether it is there or still to come.
  void drop(std::uint64_t program);
  // The size of the program itself, without its preparation.
  [[nodiscard]] const net::ConcurrentSize& size_of(const ProgramShape& shape) { return costs_of(shape).program; }

  [[nodiscard]] std::uint64_t made() const noexcept { return made_; }         // programs prepared so far
  [[nodiscard]] std::size_t there() const noexcept { return there_.size(); }  // prepared, not yet used

 private:
  struct Costs {
    net::ConcurrentSize preparation, program;
  };
  [[nodiscard]] const Costs& costs_of(const ProgramShape& shape);
  void begin(const PlanFrame& frame);
  void keep(std::uint64_t first, std::vector<protocols::PreparedProgram> programs);

  net::NodeSession& session_;
  const Topology& topology_;
  const bandit::BatchPlan& plan_;
  PieceLanes lanes_;
  std::string label_;
  std::vector<std::pair<ProgramShape, Costs>> costs_;
  std::map<std::uint64_t, protocols::PreparedProgram> there_;
  std::set<std::uint64_t> dropped_;  // programs that were dropped before they were prepared
  std::uint64_t made_ = 0;
  std::size_t begun_ = 0;           // number of preparations that have begun
  std::vector<std::size_t> ended_;  // by lane: number of preparations that have ended
};

}  // namespace sotto::apps::live
