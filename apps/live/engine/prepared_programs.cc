#include "apps/live/engine/prepared_programs.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "core/party/no_preprocessing.h"
#include "protocols/preprocessing/agree_on_pieces.h"
#include "sotto/protocol/async/when_all.h"
#include "sotto/protocol/io/deliver.h"

namespace sotto::apps::live {
namespace {

using protocols::PreparedProgram;
using Prepared = std::vector<PreparedProgram>;

std::string label_of(const std::string& epoch, std::uint64_t program) {
  return fmt::format("{}, program {}", epoch, program);
}

// Nodes that are not compute parties take no part in most rounds, so party 0 notifies these nodes when the material is
// prepared.
Task<Unit> tell_outside(Party& party) {
  const Topology& topology = party.topology();
  PoolVector<Task<Words>> tasks;
  for (auto outside = static_cast<NodeId>(topology.parties()); outside < topology.nodes(); ++outside) {
    tasks.push_back(protocols::deliver(party, 0, outside, Words(party.is(0) ? 1 : 0), 1, "programs are prepared"));
  }
  (void)co_await when_all(std::move(tasks));
  co_return Unit{};
}

template <class Start>
auto on_shapes(const Topology& topology, const Start& start) {
  Rounds rounds(topology, std::nullopt);
  NoPreprocessing none;
  Party party(rounds, none);
  auto task = start(party);
  task.start_on(rounds);
  while (rounds.gather()) rounds.scatter();
  const Cost total = rounds.ledger().total();
  return std::pair{task.take(),
                   net::ConcurrentSize{total.rounds, *std::max_element(total.sent.begin(), total.sent.end())}};
}

}  // namespace

Task<PieceLanes> agree_on_lanes(Party& party, const bandit::BatchPlan& plan, Seed secret, std::string label) {
  constexpr std::size_t lanes = PreparedPrograms::in_flight;
  const RandomnessBy by = plan.parameters.preprocessing;
  if (cast_of(by).shares_pieces) {
    co_return PieceLanes(lanes, co_await protocols::agree_on_pieces(party, by, std::move(secret), std::move(label)));
  }
  std::vector<Task<protocols::MakePieces>> tasks;
  tasks.reserve(lanes);
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    const std::string of_lane = fmt::format("{}, lane {}", label, lane);
    tasks.push_back(protocols::agree_on_pieces(party, by, secret.derive(of_lane), of_lane));
  }
  co_return co_await when_all(std::move(tasks));
}

Task<Prepared> prepare_programs(Party& party, const protocols::MakePieces& make, std::string label,
                                const bandit::BatchPlan& plan, PlanFrame frame) {
  std::vector<Task<PreparedProgram>> tasks;
  tasks.reserve(frame.shapes.size());
  for (std::size_t i = 0; i < frame.shapes.size(); ++i) {
    const auto recorded = [&plan, shape = frame.shapes[i]](Party& at) { return play_shape(at, plan, shape); };
    tasks.push_back(prepare_program(party, make(label_of(label, frame.first + i)), recorded));
  }
  Prepared prepared = co_await when_all(std::move(tasks));
  (void)co_await tell_outside(party);
  co_return std::move(prepared);
}

PreparedPrograms::PreparedPrograms(net::NodeSession& session, const Topology& topology, const bandit::BatchPlan& plan,
                                   PieceLanes lanes, std::string label)
    : session_(session),
      topology_(topology),
      plan_(plan),
      lanes_(std::move(lanes)),
      label_(std::move(label)),
      ended_(lanes_.size(), 0) {}

const PreparedPrograms::Costs& PreparedPrograms::costs_of(const ProgramShape& shape) {
  for (const auto& [known, costs] : costs_) {
    if (known == shape) return costs;
  }
  const auto lanes = on_shapes(
      topology_, [&](Party& party) { return agree_on_lanes(party, plan_, Seed::insecure_from_number(0), "a plan"); });
  auto prepared = on_shapes(topology_, [&](Party& party) {
    return prepare_programs(party, lanes.first.front(), "a plan", plan_, PlanFrame{1, 0, {shape}});
  });
  const auto program = [&](Party& party) { return play_shape(party, plan_, shape); };
  const auto run = on_shapes(
      topology_, [&](Party& party) { return run_prepared(party, std::move(prepared.first.front()), program); });
  return costs_.emplace_back(shape, Costs{prepared.second, run.second}).second;
}

void PreparedPrograms::prepare(const PlanFrame& frame) {
  PlanFrame part{frame.first, frame.settled, {}};
  std::size_t events = 0;
  for (const ProgramShape& shape : frame.shapes) {
    if (!part.shapes.empty() && events + shape.size > events_at_once) {
      begin(part);
      part = {part.first + part.shapes.size(), frame.settled, {}};
      events = 0;
    }
    part.shapes.push_back(shape);
    events += shape.size;
  }
  if (!part.shapes.empty()) begin(part);
}

void PreparedPrograms::begin(const PlanFrame& frame) {
  net::ConcurrentSize size;
  for (const ProgramShape& shape : frame.shapes) {
    const net::ConcurrentSize& one = costs_of(shape).preparation;
    size.rounds = std::max(size.rounds, one.rounds);
    size.longest_frame += one.longest_frame;
  }
  const std::size_t lane = begun_ % lanes_.size();
  const std::size_t before = begun_ / lanes_.size();
  ++begun_;
  session_.begin(
      digest_of(frame), size,
      [this, lane, frame](Party& party) { return prepare_programs(party, lanes_[lane], label_, plan_, frame); },
      [this, lane, first = frame.first](Prepared programs) {
        ++ended_[lane];
        keep(first, std::move(programs));
      },
      [this, lane, before] { return ended_[lane] == before; });
}

void PreparedPrograms::keep(std::uint64_t first, Prepared programs) {
  made_ += programs.size();
  for (PreparedProgram& one : programs) {
    if (dropped_.erase(first) == 0) there_.emplace(first, std::move(one));
    ++first;
  }
}

PreparedProgram PreparedPrograms::take(std::uint64_t program) {
  auto taken = there_.extract(program);
  if (taken.empty()) throw std::logic_error("a program that is not prepared");
  return std::move(taken.mapped());
}

void PreparedPrograms::drop(std::uint64_t program) {
  if (there_.erase(program) == 0) dropped_.insert(program);
}

}  // namespace sotto::apps::live
