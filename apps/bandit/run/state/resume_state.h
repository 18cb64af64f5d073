// A role's memory of earlier epochs of a run, and the point from which the run resumes.
//
// A run that is resumed after a crash opens a new epoch, which has masks of its own and starts from a checkpoint that
// all roles still have. A checkpoint has an id, by which roles know that their checkpoints belong together. The step
// number of a checkpoint is not enough, because after a repeated step the checkpoint is written again, with other
// shares.
//
// Every role sends its resume state in its hello, as bytes that only this file reads
// (include/sotto/protocol/mesh/handshake/hello.h). The dealer and the parties compute the resume point from all states.
// All other roles adopt this resume point.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "apps/bandit/model/sites.h"
#include "sotto/protocol/mesh/handshake/hello.h"

namespace sotto::apps::bandit::run {

inline constexpr std::size_t most_checkpoints = 2;
inline constexpr std::uint64_t most_taken = std::uint64_t{1} << 62;

struct CheckpointName {
  std::uint64_t step = 0;  // steps done
  CheckpointId id{};       // zeros: the beginning

  friend bool operator==(const CheckpointName&, const CheckpointName&) = default;
};

struct ResumeState {
  // True for any node with a store. The dealer's store has no checkpoints, so at the dealer it is false.
  bool stateful = false;
  // True for a dealer that has not seen the end of its epoch. The counts of such a dealer may exceed the played steps.
  bool ahead = false;
  std::uint32_t epoch = 0;                  // the last epoch that the role opened; 0: none
  std::vector<CheckpointName> checkpoints;  // ascending; at most two
  std::uint64_t begun = 0;                  // number of steps that the role has ever begun
  std::uint64_t taken = 0;                  // how often a step has begun; above `begun` if steps were repeated

  friend bool operator==(const ResumeState&, const ResumeState&) = default;
};

struct ResumePoint {
  std::uint32_t epoch = 1;
  std::uint64_t from_step = 0;  // number of steps that are done at the start of the epoch
  std::uint64_t repeated = 0;   // number of steps that had begun before and are repeated
  std::uint64_t taken = 0;      // number of times that a step had begun, in all earlier epochs
  CheckpointId from_id{};       // id of the checkpoint from which the epoch starts

  friend bool operator==(const ResumePoint&, const ResumePoint&) = default;
};

// Whether a role may send the state. A valid state has at most two checkpoints, ascending, and no checkpoint if it is
// not stateful. `begun` is at most `taken`, and `taken` is at most most_taken.
[[nodiscard]] bool is_valid(const ResumeState& resume_state);

// The resume point from the resume states of all roles, by node number; the dealer has the number net::dealer_id:
//   epoch             one above the highest epoch of all roles
//   from_step, -_id   the newest checkpoint that all nodes have, by step and id; the beginning if
//                     there is none yet
//   repeated, taken   from the highest counts among the roles that take part in steps. If none of these roles knows the
//                     last epoch that the dealer opened, their copies are older than that epoch. In that case all steps
//                     that the dealer has dealt are taken to be played.
// Throws DisagreementError if some nodes keep a state and others do not, or if no epoch is left. Throws
// DisagreementError if there are checkpoints but none that all nodes have, and names the nodes whose copy is old.
// Throws std::invalid_argument if a role's resume state is missing.
[[nodiscard]] ResumePoint agree_on(const Topology& topology, const std::map<NodeId, ResumeState>& states);

// An error line for nodes that have no checkpoint in common. The line names the nodes whose checkpoints do not belong
// to the newest checkpoints, and says what to do. Returns nothing if the run may begin again: if no node has written a
// checkpoint, or if some nodes stopped before they wrote their first checkpoint.
//
// The newest nodes are those of the highest epoch. Among nodes of the same epoch, the newest are those with the highest
// step. Among these, the newest are those whose last checkpoint exists at the largest number of nodes.
[[nodiscard]] std::optional<std::string> old_copies(const Topology& topology,
                                                    const std::map<NodeId, ResumeState>& states);

// Throws std::invalid_argument unless the state is valid.
[[nodiscard]] std::vector<std::byte> encode(const ResumeState& resume_state);
[[nodiscard]] std::vector<std::byte> encode(const ResumePoint& resume_point);
// Return nothing if encode() cannot have made the bytes.
[[nodiscard]] std::optional<ResumeState> decode_resume_state(std::span<const std::byte> bytes);
[[nodiscard]] std::optional<ResumePoint> decode_resume_point(std::span<const std::byte> bytes);

// The part of the handshake for a role that remembers `mine`, with the rule by which the roles agree on a resume point.
[[nodiscard]] net::Resume resume_from(const Topology& topology, const ResumeState& mine);

}  // namespace sotto::apps::bandit::run
