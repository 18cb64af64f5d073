// The chain: a role stores the last numbers of the order that the role has done. No role can be two numbers ahead of
// another role (opening.h), so the last two numbers are enough to go back.
//
// A chain begins with number 0, whose id is all zeros. Every new store has number 0.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "apps/live/order/agreement.h"
#include "apps/live/order/entry.h"

namespace sotto::apps::live {

inline constexpr std::size_t most_marks = 2;  // the most numbers that a role announces to others
// A role stores one number more than it announces, so that two numbers remain after the last number is rolled back.
inline constexpr std::size_t most_chain_rows = 3;

// A number that a role has done, in the form in which the role announces the number to others. All members are public.
struct OrderMark {
  OrderNumber number = 0;
  bandit::CheckpointId id{};  // zeros at the rewarder, which receives no ids
  std::uint32_t epoch = 0;    // the epoch in which the number was done
  net::Digest entry{};

  friend bool operator==(const OrderMark&, const OrderMark&) = default;
};

// Totals of the work that all numbers together have done. If a number is undone, the number's work is subtracted from
// the tally.
struct OrderTally {
  OrderNumber model = 0;  // number of the last learn, or of a later recovery from a copy; 0: the model is empty
  std::uint64_t decides = 0;
  std::uint64_t learns = 0;
  std::uint64_t padding = 0;          // at the actor: places in decides that had no event
  std::uint64_t missing = 0;          // at a party: events that were decided with the default row
  std::uint64_t rewards_learned = 0;  // at the rewarder: events that were learned
  std::uint64_t clipped = 0;          // at the rewarder: learned events with a sum of rewards beyond [-1, 1]
  double reward_sum = 0;

  friend bool operator==(const OrderTally&, const OrderTally&) = default;
};
inline constexpr std::size_t bytes_of_tally = 8 * 8;

// A number of the order, in the form in which a role stores the number.
struct ChainRow {
  OrderMark mark;
  LiveMode mode = LiveMode::online;  // the mode in force after the number
  // At the actor: true if the actor received the number in a `restate` frame. The actor releases the arms of such a
  // number only when all roles have opened the next epoch.
  bool restated = false;
  // Number of events in all decides up to this number, without secret decides. The actor was shown the arms of these
  // events, so privacy was spent on them.
  std::uint64_t decided = 0;
  std::uint64_t learned = 0;  // number of events in all learns up to this number
  Agreement agreement{};      // the agreement after the number
  OrderTally tally{};         // the tally after the number
  OrderEntry entry;           // at number 0: the default entry
  bandit::SumBits from{};     // the fraction bits of the model after the number
  // At a party, for a decide: the lanes that the party sent to the actor, one byte per arm. For a secret decide: the 8
  // bytes of the party's share of the sum of agreement.
  std::vector<std::byte> lanes;

  friend bool operator==(const ChainRow&, const ChainRow&) = default;
};

[[nodiscard]] std::vector<std::byte> encode(const ChainRow& row);
// Returns nothing if the bytes are not an encoded ChainRow.
[[nodiscard]] std::optional<ChainRow> decode_chain_row(std::span<const std::byte> bytes);

// write() and read_mark() encode a mark as a part of a larger message.
void write(ByteWriter& out, const OrderMark& mark);
[[nodiscard]] OrderMark read_mark(ByteReader& in);

}  // namespace sotto::apps::live
