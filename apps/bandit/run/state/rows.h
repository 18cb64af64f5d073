// The rows that a role stores, as bytes before encryption (seal.h).
//
// The decoders accept any bytes. They compare every length with the number of bytes before they allocate memory. If a
// decoder accepts a row, encode() returns the same bytes again.
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

// Counts of steps over all epochs.
struct StepCounts {
  std::uint64_t begun = 0;  // number of different steps that have begun
  std::uint64_t taken = 0;  // number of begun steps, repeated steps included

  friend bool operator==(const StepCounts&, const StepCounts&) = default;
};

struct Checkpoint {
  std::uint64_t steps = 0;
  std::uint32_t epoch = 0;  // epoch in which the role wrote this checkpoint
  StepCounts progress;
  CheckpointId id{};  // zeros at the dealer
  // At compute parties.
  std::vector<std::uint64_t> inverses;
  std::vector<std::uint64_t> targets;
  // At the role that receives the rewards.
  std::optional<RewardCurve::State> curve;

  friend bool operator==(const Checkpoint&, const Checkpoint&) = default;
};

struct OpenedEpoch {
  std::uint32_t epoch = 0;
  std::uint64_t from_step = 0;
  StepCounts progress;             // counts at the start of the epoch
  std::array<std::byte, 16> boot;  // id of the machine's boot (begun_mark.h)

  friend bool operator==(const OpenedEpoch&, const OpenedEpoch&) = default;
};

struct PulledArms {
  std::uint64_t first = 0;
  std::vector<std::uint32_t> arms;

  friend bool operator==(const PulledArms&, const PulledArms&) = default;
};

[[nodiscard]] std::vector<std::byte> encode(const Checkpoint& checkpoint);
[[nodiscard]] std::vector<std::byte> encode(const OpenedEpoch& opened);
[[nodiscard]] std::vector<std::byte> encode(const PulledArms& arms);

// Each function returns nothing if the bytes are not a row of its kind.
[[nodiscard]] std::optional<Checkpoint> decode_checkpoint(std::span<const std::byte> row);
[[nodiscard]] std::optional<OpenedEpoch> decode_opened_epoch(std::span<const std::byte> row);
[[nodiscard]] std::optional<PulledArms> decode_pulled_arms(std::span<const std::byte> row);

}  // namespace sotto::apps::bandit::run
