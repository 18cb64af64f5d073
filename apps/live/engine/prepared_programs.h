// The correlated randomness ("material") that programs use in an epoch without a dealer. All nodes make the material
// together, before the programs run.
//
// Keys        In each epoch, all nodes once agree on keys, from fresh secrets. Each program draws its randomness from
//             separate streams; the number of the program selects the streams.
// Preparation The programs of a plan are prepared together, in as many rounds as the longest program needs. Plans are
//             prepared in order. Large programs are prepared in pieces of `events_at_once` events. `in_flight`
//             preparations run at the same time, each on its own lane. Two parties number the transfers on a lane, and
//             each preparation continues the numbers of the preparation before it.
// Material    The material of a program stays in memory until the program uses the material, which happens only once.
//             The material of a skipped program is thrown away. All material is dropped when the epoch ends for any
//             reason: a new epoch has new keys, and no material is ever used twice.
// Checks      Before a preparation is used, all parties confirm that they made the same requests. The other nodes
//             confirm their requests to party 0. The id of an entry depends on the random words that the entry's
//             program drew. The parties compare this id after they have done the entry.
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

using PieceLanes = std::vector<protocols::MakePieces>;

// Only this role may know `secret`, and each epoch needs a new secret. `label` is the expansion_label of session and
// epoch.
[[nodiscard]] Task<PieceLanes> agree_on_lanes(Party& party, const bandit::BatchPlan& plan, Seed secret,
                                              std::string label);

// `make` and `plan` must outlive the task.
[[nodiscard]] Task<std::vector<protocols::PreparedProgram>> prepare_programs(
    Party& party, const protocols::MakePieces& make, std::string label, const bandit::BatchPlan& plan, PlanFrame frame);

class PreparedPrograms {
 public:
  static constexpr std::size_t in_flight = 2;
  static constexpr std::size_t events_at_once = 256;

  // All arguments except `lanes` must outlive this object.
  PreparedPrograms(net::NodeSession& session, const Topology& topology, const bandit::BatchPlan& plan, PieceLanes lanes,
                   std::string label);

  void prepare(const PlanFrame& frame);
  [[nodiscard]] bool has(std::uint64_t program) const { return there_.count(program) > 0; }
  // Throws std::logic_error if the program is not prepared.
  [[nodiscard]] protocols::PreparedProgram take(std::uint64_t program);
  void drop(std::uint64_t program);
  [[nodiscard]] const net::ConcurrentSize& size_of(const ProgramShape& shape) { return costs_of(shape).program; }

  [[nodiscard]] std::uint64_t made() const noexcept { return made_; }
  [[nodiscard]] std::size_t there() const noexcept { return there_.size(); }

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
  std::set<std::uint64_t> dropped_;
  std::uint64_t made_ = 0;
  std::size_t begun_ = 0;
  std::vector<std::size_t> ended_;  // by lane
};

}  // namespace sotto::apps::live
