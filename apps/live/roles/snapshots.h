// Copies of the model that stay: made at a number that all parties do, so that theirs are of one model.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "apps/live/order/entry.h"

namespace sotto::apps::live {

inline constexpr std::size_t most_snapshots = 5;  // that a role keeps

// What roles say of a copy.
struct SnapshotName {
  OrderNumber number = 0;  // at which it was made; 0: of the service that this one began from
  // Of the model: of the number at which it was copied first. Zeros: the model is empty.
  bandit::CheckpointId id{};
  std::uint64_t learned = 0;  // events in it
  bandit::SumBits from{};

  friend bool operator==(const SnapshotName&, const SnapshotName&) = default;
};

struct SnapshotRow {
  SnapshotName name;
  bool imported = false;         // of another service, in its layout (import/foreign_model.h)
  std::vector<std::byte> model;  // a party: its shares; empty: the model is

  friend bool operator==(const SnapshotRow&, const SnapshotRow&) = default;
};
[[nodiscard]] std::vector<std::byte> encode(const SnapshotRow& row);
[[nodiscard]] std::optional<SnapshotRow> decode_snapshot_row(std::span<const std::byte> bytes);

}  // namespace sotto::apps::live
