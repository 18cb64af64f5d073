// What a role remembers of earlier epochs of a run, and where the run goes on.
//
// A run that is resumed after a crash opens a new epoch: with masks of its own, from a checkpoint that all roles still
// have. A checkpoint has an id, by which roles know that theirs belong together: the number of its step is not enough,
// since a step that is repeated is written again, in other shares.
//
// Every role says its resume state in its hello, as bytes that only this file reads
// (include/sotto/protocol/mesh/handshake/hello.h). The dealer and the parties compute the resume point from all of
// them; the actor and the rewarder adopt it.
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
  CheckpointId id{};       // zeros: of the beginning

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

// True if a role may say it: at most two checkpoints, ascending, none of a role that is not stateful; no more steps
// begun than taken, and of these no more than most_taken.
[[nodiscard]] bool is_valid(const ResumeState& resume_state);

// From the resume states of all roles, by number, the dealer's under net::dealer_id:
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

// One line that names the nodes whose checkpoints do not go with the newest that there are, and what to do about it;
// nothing where the run may begin anew, since nobody has written a checkpoint or some died before they wrote the first.
// For nodes that have no checkpoint in common.
//
// The newest are those of the highest epoch, of these the ones that have come furthest, of these the ones that most
// nodes have.
[[nodiscard]] std::optional<std::string> old_copies(const Topology& topology,
                                                    const std::map<NodeId, ResumeState>& states);

// std::invalid_argument unless the state is valid.
[[nodiscard]] std::vector<std::byte> encode(const ResumeState& resume_state);
[[nodiscard]] std::vector<std::byte> encode(const ResumePoint& resume_point);
// Nothing if the bytes are none that encode() makes.
[[nodiscard]] std::optional<ResumeState> decode_resume_state(std::span<const std::byte> bytes);
[[nodiscard]] std::optional<ResumePoint> decode_resume_point(std::span<const std::byte> bytes);

// What the handshake carries for a role that remembers `mine`, and by which rule the roles agree.
[[nodiscard]] net::Resume resume_from(const Topology& topology, const ResumeState& mine);

}  // namespace sotto::apps::bandit::run
