// A role stores the last entries that it has done. No role can be two entries ahead of another role (opening.h), so the
// last two entries are enough to go back.
//
// The first row of a new chain has number 0 and an id of zeros.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "apps/live/order/agreement.h"
#include "apps/live/order/entry.h"
#include "apps/live/order/lift_window.h"

namespace sotto::apps::live {

inline constexpr std::size_t most_marks = 2;
// A role stores one entry more than it announces, so that two entries remain after the last one is rolled back.
inline constexpr std::size_t most_chain_rows = 3;

// An entry that a role has done. All members are public.
struct OrderMark {
  OrderNumber number = 0;
  bandit::CheckpointId id{};  // zeros at the rewarder, which receives no ids
  std::uint32_t epoch = 0;
  net::Digest entry{};

  friend bool operator==(const OrderMark&, const OrderMark&) = default;
};

struct OrderTally {
  OrderNumber model = 0;  // number of the entry that made the current model: a learn or a recovery; 0: empty model
  std::uint64_t decides = 0;
  std::uint64_t learns = 0;
  std::uint64_t padding = 0;
  std::uint64_t missing = 0;  // at a party: events that were decided with the default row
  std::uint64_t rewards_learned = 0;
  std::uint64_t clipped = 0;
  double reward_sum = 0;

  friend bool operator==(const OrderTally&, const OrderTally&) = default;
};
inline constexpr std::size_t bytes_of_tally = 8 * 8;

struct ChainRow {
  OrderMark mark;
  LiveMode mode = LiveMode::online;
  // At the actor: true if the actor received the entry in a `restate` frame. The actor releases the arms of such an
  // entry only when all roles have opened the next epoch.
  bool restated = false;
  // Number of events in all decides up to this entry, except secret decides. The actor has seen the arms of the counted
  // events, so each of these events has revealed something about its context.
  std::uint64_t decided = 0;
  std::uint64_t learned = 0;
  Agreement agreement{};
  LiftWindow lift{};
  OrderTally tally{};
  OrderEntry entry;
  bandit::SumBits from{};
  // At a party: what the party sent to the actor in a decide. In a secret decide, these are the 8 bytes of the party's
  // share of the sum of agreement. In another decide, they are lanes, one byte per event and arm.
  std::vector<std::byte> lanes;

  friend bool operator==(const ChainRow&, const ChainRow&) = default;
};

[[nodiscard]] std::vector<std::byte> encode(const ChainRow& row);
[[nodiscard]] std::optional<ChainRow> decode_chain_row(std::span<const std::byte> bytes);

void write(ByteWriter& out, const OrderMark& mark);
[[nodiscard]] OrderMark read_mark(ByteReader& in);

}  // namespace sotto::apps::live
