// What a role remembers of earlier epochs of a run, and where the run goes on.
//
// A run that is resumed after a crash opens a new epoch: with masks of its own, from a step whose
// state all roles still have.
//
// Every role says its standing in its hello. The dealer and the parties, who hear everybody, each
// compute the opening from all of them and compare it in their confirms; the actor and the
// rewarder, who do not hear each other, adopt it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "core/party/topology.h"

namespace sotto::net {

inline constexpr std::size_t most_checkpoints = 2;

struct Standing {
  bool stateful = false;                   // a party, or who gets the rewards, with a store
  std::uint32_t epoch = 0;                 // the last that it opened; 0: none
  std::vector<std::uint64_t> checkpoints;  // steps done at each, ascending; at most two
  std::uint64_t begun = 0;                 // steps that it has ever begun

  friend bool operator==(const Standing&, const Standing&) = default;
};

struct Opening {
  std::uint32_t epoch = 1;
  std::uint64_t from_step = 0;  // steps that the state at the start has behind it
  std::uint64_t repeated = 0;   // steps that had begun and are done once more

  friend bool operator==(const Opening&, const Opening&) = default;
};

// True if a hello may say it: at most two checkpoints, ascending, and none of a role that is not
// stateful.
[[nodiscard]] bool is_valid(const Standing& standing);

// From the standings of all roles, by number, the dealer's under dealer_id:
//   epoch      one above the highest of all
//   from_step  the newest checkpoint that all have who hold the run's results: the parties and who
//              gets the rewards; 0 where they have none in common
//   repeated   how many steps after it any role has ever begun
// Throws DisagreementError if some of those holders keep a state and others do not, or if no epoch
// is left; std::invalid_argument if a role's standing is missing.
[[nodiscard]] Opening agree_on(const Topology& topology,
                               const std::map<NodeId, Standing>& standings);

}  // namespace sotto::net
