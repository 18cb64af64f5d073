// The state that a role remembers from earlier epochs, and the point from which the run resumes.
//
// A run that is resumed after a crash opens a new epoch. The new epoch has its own masks, and starts from a checkpoint
// that all roles still have. Roles compare the ids of checkpoints and not only their steps, because a repeated step
// writes its checkpoint again with other shares.
//
// The dealer and the parties compute the resume point from all states, and all other roles adopt this point.
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
  std::uint64_t step = 0;  // number of completed steps
  CheckpointId id{};       // zeros at the beginning of the run

  friend bool operator==(const CheckpointName&, const CheckpointName&) = default;
};

struct ResumeState {
  // Whether the role stores checkpoints. False at the dealer.
  bool stateful = false;
  // True for a dealer that has not seen the end of its epoch. The counts of such a dealer may exceed the played steps.
  bool ahead = false;
  std::uint32_t epoch = 0;  // the last epoch that the role opened
  std::vector<CheckpointName> checkpoints;
  std::uint64_t begun = 0;  // number of steps that have ever begun
  std::uint64_t taken = 0;  // number of begun steps, repeated steps included

  friend bool operator==(const ResumeState&, const ResumeState&) = default;
};

struct ResumePoint {
  std::uint32_t epoch = 1;
  std::uint64_t from_step = 0;  // number of completed steps
  std::uint64_t repeated = 0;   // number of steps that the new epoch repeats
  std::uint64_t taken = 0;      // number of steps begun in earlier epochs, repeated steps included
  CheckpointId from_id{};       // id of the checkpoint at from_step

  friend bool operator==(const ResumePoint&, const ResumePoint&) = default;
};

// A valid state has at most two checkpoints, ascending, and `begun` <= `taken` <= most_taken.
[[nodiscard]] bool is_valid(const ResumeState& resume_state);

// Computes the resume point from the resume states of all roles, by node number. The dealer has the number
// net::dealer_id:
//   epoch             one above the highest epoch of all roles
//   from_step         the newest checkpoint that all nodes have, compared by step and id. The beginning of the run if
//                     no role has a checkpoint yet
//   repeated, taken   from the highest counts among the roles that take part in steps. If the dealer has opened a later
//                     epoch than each of these roles, their states are older than this epoch. The function then counts
//                     all steps that the dealer has dealt as played.
// Throws DisagreementError if only some nodes keep a state, or if no epoch number is left. Throws the same error if
// nodes have checkpoints, but none that all nodes have. Throws std::invalid_argument if a role's resume state is
// missing.
[[nodiscard]] ResumePoint agree_on(const Topology& topology, const std::map<NodeId, ResumeState>& states);

// If the nodes have no checkpoint in common, returns an error line that names the nodes with old copies. Returns
// nothing if the run may begin again, because not all nodes have written a first checkpoint.
[[nodiscard]] std::optional<std::string> old_copies(const Topology& topology,
                                                    const std::map<NodeId, ResumeState>& states);

[[nodiscard]] std::vector<std::byte> encode(const ResumeState& resume_state);
[[nodiscard]] std::vector<std::byte> encode(const ResumePoint& resume_point);
// Both functions return nothing if encode() cannot have made the bytes.
[[nodiscard]] std::optional<ResumeState> decode_resume_state(std::span<const std::byte> bytes);
[[nodiscard]] std::optional<ResumePoint> decode_resume_point(std::span<const std::byte> bytes);

[[nodiscard]] net::Resume resume_from(const Topology& topology, const ResumeState& mine);

}  // namespace sotto::apps::bandit::run
