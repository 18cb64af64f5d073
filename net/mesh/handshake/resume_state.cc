#include "sotto/net/mesh/handshake/resume_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "sotto/core/error/errors.h"
#include "sotto/net/mesh/handshake/old_copies.h"
#include "sotto/net/mesh/peers.h"

namespace sotto::net {
namespace {

const ResumeState& of(const std::map<NodeId, ResumeState>& states, NodeId role) {
  const auto found = states.find(role);
  if (found == states.end()) throw std::invalid_argument("the resume state of a role is missing");
  return found->second;
}

void check_all_or_none(const Topology& topology, const std::map<NodeId, ResumeState>& states) {
  const bool first = of(states, 0).stateful;
  for (NodeId role = 0; role < topology.nodes(); ++role) {
    if (of(states, role).stateful == first) continue;
    const std::string one = peer_name(topology, 0);
    const std::string other = peer_name(topology, role);
    throw DisagreementError(fmt::format("{} keeps a state and {} does not: give both a state folder, or neither",
                                        first ? one : other, first ? other : one));
  }
}

std::uint32_t next_epoch(const Topology& topology, const std::map<NodeId, ResumeState>& states) {
  std::uint32_t highest = 0;
  for (const auto& [role, resume_state] : states) {
    if (resume_state.epoch == std::numeric_limits<std::uint32_t>::max()) {
      throw DisagreementError(
          fmt::format("{} has opened epoch {}, the last that there is: start the run anew, with a new session",
                      peer_name(topology, role), resume_state.epoch));
    }
    highest = std::max(highest, resume_state.epoch);
  }
  return highest + 1;
}

// The newest that all nodes have; the beginning where there is none.
CheckpointName newest_common(const Topology& topology, const std::map<NodeId, ResumeState>& states) {
  CheckpointName newest;
  for (const CheckpointName& name : of(states, 0).checkpoints) {
    bool common = true;
    for (NodeId node = 1; node < topology.nodes(); ++node) {
      const auto& names = of(states, node).checkpoints;
      common = common && std::find(names.begin(), names.end(), name) != names.end();
    }
    if (common && name.step >= newest.step) newest = name;
  }
  return newest;
}

struct Counts {
  std::uint64_t begun = 0;
  std::uint64_t taken = 0;
};

// Whoever opened an epoch took over what all roles remembered then, so the highest counts are those of the newest
// memory. A dealer deals ahead: what it has dealt tells how much was played only where nobody who played remembers that
// epoch.
Counts remembered(const std::map<NodeId, ResumeState>& states) {
  std::uint32_t last_played = 0;
  for (const auto& [role, resume_state] : states) {
    if (!resume_state.ahead) last_played = std::max(last_played, resume_state.epoch);
  }
  Counts counts;
  for (const auto& [role, resume_state] : states) {
    if (resume_state.ahead && resume_state.epoch <= last_played) continue;
    counts.begun = std::max(counts.begun, resume_state.begun);
    counts.taken = std::max(counts.taken, resume_state.taken);
  }
  return counts;
}

}  // namespace

bool is_valid(const ResumeState& resume_state) {
  const auto& names = resume_state.checkpoints;
  std::uint64_t before = 0;
  for (const CheckpointName& name : names) {
    if (name.step <= before) return false;
    before = name.step;
  }
  return names.size() <= most_checkpoints && (resume_state.stateful || names.empty()) &&
         !(resume_state.stateful && resume_state.ahead) && resume_state.begun <= resume_state.taken &&
         resume_state.taken <= most_taken;
}

ResumePoint agree_on(const Topology& topology, const std::map<NodeId, ResumeState>& states) {
  for (NodeId role = 0; role < topology.nodes(); ++role) (void)of(states, role);
  if (topology.has_dealer()) (void)of(states, dealer_id);
  check_all_or_none(topology, states);
  ResumePoint resume_point;
  resume_point.epoch = next_epoch(topology, states);
  const CheckpointName start = newest_common(topology, states);
  if (start.step == 0) {
    if (const auto what = old_copies(topology, states)) throw DisagreementError(*what);
  }
  const Counts counts = remembered(states);
  resume_point.from_step = start.step;
  resume_point.from_id = start.id;
  resume_point.repeated = counts.begun > start.step ? counts.begun - start.step : 0;
  resume_point.taken = counts.taken;
  return resume_point;
}

}  // namespace sotto::net
