// What a role remembers of earlier epochs of a run, and where the run goes on.
//
// A run that is resumed after a crash opens a new epoch: with masks of its own, from a checkpoint that all roles still
// have. A checkpoint has an id, by which roles know that theirs belong together: the number of its step is not enough,
// since a step that is repeated is written again, in other shares.
//
// Every role says its resume state in its hello. The dealer and the parties, who hear everybody, each compute the
// resume point from all of them and compare it in their confirms; the actor and the rewarder, who do not hear each
// other, adopt it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "sotto/core/party/topology.h"
#include "sotto/net/mesh/handshake/session.h"

namespace sotto::net {

inline constexpr std::size_t most_checkpoints = 2;
inline constexpr std::uint64_t most_taken = std::uint64_t{1} << 62;

// SHA-256 of all that a checkpoint is made of (apps/bandit/state/checkpoint_id.h); zeros: of the beginning.
using CheckpointId = Digest;

struct CheckpointName {
  std::uint64_t step = 0;  // steps done
  CheckpointId id{};

  friend bool operator==(const CheckpointName&, const CheckpointName&) = default;
};

struct ResumeState {
  // Any node with a store. The dealer's store has no checkpoints: it says no.
  bool stateful = false;
  // The counts below may be above what was played: a dealer that has not seen the end of its epoch.
  bool ahead = false;
  std::uint32_t epoch = 0;                  // the last that it opened; 0: none
  std::vector<CheckpointName> checkpoints;  // ascending; at most two
  std::uint64_t begun = 0;                  // steps that it has ever begun
  std::uint64_t taken = 0;                  // how often one began: more than `begun` where steps were repeated

  friend bool operator==(const ResumeState&, const ResumeState&) = default;
};

struct ResumePoint {
  std::uint32_t epoch = 1;
  std::uint64_t from_step = 0;  // steps that the state at the start has behind it
  std::uint64_t repeated = 0;   // steps that had begun and are done once more
  std::uint64_t taken = 0;      // how often a step had begun, over all earlier epochs
  CheckpointId from_id{};       // of the checkpoint that it starts from

  friend bool operator==(const ResumePoint&, const ResumePoint&) = default;
};

// True if a hello may say it: at most two checkpoints, ascending, none of a role that is not stateful; no more steps
// begun than taken, and of these no more than most_taken.
[[nodiscard]] bool is_valid(const ResumeState& resume_state);

// From the resume states of all roles, by number, the dealer's under dealer_id:
//   epoch             one above the highest of all
//   from_step, -_id   the newest checkpoint that all nodes have, by step and id; the beginning where
//                     there is none yet
//   repeated, taken   what the roles that take part in steps remember, whoever remembers most; where
//                     none of them knows the last epoch that the dealer opened, their copies are older than it, and
//                     what the dealer has dealt counts as played
// Throws DisagreementError if some nodes keep a state and others do not, if no epoch is left, or if there are
// checkpoints and none that all have: it names those whose copy is old. Throws std::invalid_argument if a role's resume
// state is missing.
[[nodiscard]] ResumePoint agree_on(const Topology& topology, const std::map<NodeId, ResumeState>& states);

}  // namespace sotto::net
