#include "sotto/net/mesh/handshake/standing.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "sotto/core/error/errors.h"
#include "sotto/net/mesh/handshake/old_copies.h"
#include "sotto/net/mesh/peers.h"

namespace sotto::net {
namespace {

const Standing& of(const std::map<NodeId, Standing>& standings, NodeId role) {
  const auto found = standings.find(role);
  if (found == standings.end()) throw std::invalid_argument("the standing of a role is missing");
  return found->second;
}

void check_all_or_none(const Topology& topology, const std::map<NodeId, Standing>& standings) {
  const bool first = of(standings, 0).stateful;
  for (NodeId role = 0; role < topology.nodes(); ++role) {
    if (of(standings, role).stateful == first) continue;
    const std::string one = peer_name(topology, 0);
    const std::string other = peer_name(topology, role);
    throw DisagreementError(
        fmt::format("{} keeps a state and {} does not: give both a state folder, or neither",
                    first ? one : other, first ? other : one));
  }
}

std::uint32_t next_epoch(const Topology& topology, const std::map<NodeId, Standing>& standings) {
  std::uint32_t highest = 0;
  for (const auto& [role, standing] : standings) {
    if (standing.epoch == std::numeric_limits<std::uint32_t>::max()) {
      throw DisagreementError(fmt::format(
          "{} has opened epoch {}, the last that there is: start the run anew, with a new session",
          peer_name(topology, role), standing.epoch));
    }
    highest = std::max(highest, standing.epoch);
  }
  return highest + 1;
}

// The newest that all nodes have; the beginning where there is none.
CheckpointName newest_common(const Topology& topology,
                             const std::map<NodeId, Standing>& standings) {
  CheckpointName newest;
  for (const CheckpointName& name : of(standings, 0).checkpoints) {
    bool common = true;
    for (NodeId node = 1; node < topology.nodes(); ++node) {
      const auto& names = of(standings, node).checkpoints;
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

// Whoever opened an epoch took over what all roles remembered then, so the highest counts are those
// of the newest memory. A dealer deals ahead: what it has dealt tells how much was played only where
// nobody who played remembers that epoch.
Counts remembered(const std::map<NodeId, Standing>& standings) {
  std::uint32_t last_played = 0;
  for (const auto& [role, standing] : standings) {
    if (!standing.ahead) last_played = std::max(last_played, standing.epoch);
  }
  Counts counts;
  for (const auto& [role, standing] : standings) {
    if (standing.ahead && standing.epoch <= last_played) continue;
    counts.begun = std::max(counts.begun, standing.begun);
    counts.taken = std::max(counts.taken, standing.taken);
  }
  return counts;
}

}  // namespace

bool is_valid(const Standing& standing) {
  const auto& names = standing.checkpoints;
  std::uint64_t before = 0;
  for (const CheckpointName& name : names) {
    if (name.step <= before) return false;
    before = name.step;
  }
  return names.size() <= most_checkpoints && (standing.stateful || names.empty()) &&
         !(standing.stateful && standing.ahead) && standing.begun <= standing.taken &&
         standing.taken <= most_taken;
}

Opening agree_on(const Topology& topology, const std::map<NodeId, Standing>& standings) {
  for (NodeId role = 0; role < topology.nodes(); ++role) (void)of(standings, role);
  if (topology.has_dealer()) (void)of(standings, dealer_id);
  check_all_or_none(topology, standings);
  Opening opening;
  opening.epoch = next_epoch(topology, standings);
  const CheckpointName start = newest_common(topology, standings);
  if (start.step == 0) {
    if (const auto what = old_copies(topology, standings)) throw DisagreementError(*what);
  }
  const Counts counts = remembered(standings);
  opening.from_step = start.step;
  opening.from_id = start.id;
  opening.repeated = counts.begun > start.step ? counts.begun - start.step : 0;
  opening.taken = counts.taken;
  return opening;
}

}  // namespace sotto::net
