#include "net/handshake/standing.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "core/error/errors.h"
#include "net/peers.h"

namespace sotto::net {
namespace {

std::vector<NodeId> holders(const Topology& topology) {
  std::vector<NodeId> result;
  for (NodeId party = 0; party < topology.parties(); ++party) result.push_back(party);
  result.push_back(topology.rewarder());
  return result;
}

const Standing& of(const std::map<NodeId, Standing>& standings, NodeId role) {
  const auto found = standings.find(role);
  if (found == standings.end()) throw std::invalid_argument("the standing of a role is missing");
  return found->second;
}

void check_all_or_none(const Topology& topology, const std::map<NodeId, Standing>& standings) {
  const bool first = of(standings, 0).stateful;
  for (const NodeId role : holders(topology)) {
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

}  // namespace

bool is_valid(const Standing& standing) {
  const auto& steps = standing.checkpoints;
  return steps.size() <= most_checkpoints && (standing.stateful || steps.empty()) &&
         std::adjacent_find(steps.begin(), steps.end(), std::greater_equal<>()) == steps.end();
}

Opening agree_on(const Topology& topology, const std::map<NodeId, Standing>& standings) {
  for (NodeId role = 0; role < topology.nodes(); ++role) (void)of(standings, role);
  if (topology.has_dealer()) (void)of(standings, dealer_id);
  check_all_or_none(topology, standings);
  Opening opening;
  opening.epoch = next_epoch(topology, standings);
  for (const std::uint64_t step : of(standings, 0).checkpoints) {
    const auto all = holders(topology);
    const bool common = std::all_of(all.begin(), all.end(), [&](NodeId role) {
      const auto& steps = of(standings, role).checkpoints;
      return std::find(steps.begin(), steps.end(), step) != steps.end();
    });
    if (common) opening.from_step = std::max(opening.from_step, step);
  }
  std::uint64_t begun = 0;
  for (const auto& [role, standing] : standings) begun = std::max(begun, standing.begun);
  opening.repeated = begun > opening.from_step ? begun - opening.from_step : 0;
  return opening;
}

}  // namespace sotto::net
