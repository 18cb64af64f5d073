// The rows that a role stores, and their bytes before encryption (seal.h).
//
// The decoders accept any bytes. Before the decoders allocate memory, they compare every length with the number of
// bytes that are there. No byte may remain unread, and encoding the result gives the same bytes again. The fuzz target
// `store` calls the decoders.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "apps/bandit/run/state/resume_state.h"
#include "apps/kit/report/reward_curve.h"

namespace sotto::apps::bandit::run {

// The steps that a role has begun, over all epochs.
struct StepCounts {
  std::uint64_t begun = 0;  // one more than the number of the last step that has ever begun
  std::uint64_t taken = 0;  // how often a step has begun; above `begun` if steps were repeated

  friend bool operator==(const StepCounts&, const StepCounts&) = default;
};

// The state from which a role can continue once `steps` steps are done.
struct Checkpoint {
  std::uint64_t steps = 0;
  std::uint32_t epoch = 0;  // epoch in which the checkpoint was written
  StepCounts progress;
  CheckpointId id{};  // zeros at the dealer, which does not receive the id
  // At a compute party: its additive shares of the model, as in ModelShares (apps/bandit/model/sites.h). Empty at all
  // other roles.
  std::vector<std::uint64_t> inverses;
  std::vector<std::uint64_t> targets;
  // Only at the role that gets the rewards.
  std::optional<RewardCurve::State> curve;

  friend bool operator==(const Checkpoint&, const Checkpoint&) = default;
};

// A record that an epoch was opened.
struct OpenedEpoch {
  std::uint32_t epoch = 0;
  std::uint64_t from_step = 0;
  StepCounts progress;             // the counts at the start of the epoch
  std::array<std::byte, 16> boot;  // id of the machine's boot, see begun_mark.h

  friend bool operator==(const OpenedEpoch&, const OpenedEpoch&) = default;
};

// Arms that were pulled in the steps first, first + 1, ...; only if a run records them.
struct PulledArms {
  std::uint64_t first = 0;
  std::vector<std::uint32_t> arms;

  friend bool operator==(const PulledArms&, const PulledArms&) = default;
};

[[nodiscard]] std::vector<std::byte> encode(const Checkpoint& checkpoint);
[[nodiscard]] std::vector<std::byte> encode(const OpenedEpoch& opened);
[[nodiscard]] std::vector<std::byte> encode(const PulledArms& arms);

// Return nothing if the bytes are not a row of this kind.
[[nodiscard]] std::optional<Checkpoint> decode_checkpoint(std::span<const std::byte> row);
[[nodiscard]] std::optional<OpenedEpoch> decode_opened_epoch(std::span<const std::byte> row);
[[nodiscard]] std::optional<PulledArms> decode_pulled_arms(std::span<const std::byte> row);

}  // namespace sotto::apps::bandit::run
