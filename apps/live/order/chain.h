// The end of the order as a role has it on its disk: the last two numbers that the role has done. No role can be two
// numbers ahead of another (opening.h), so two are enough to go back.
//
// A chain begins with number 0 under an id of zeros. Every new store has this number.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "apps/live/order/agreement.h"
#include "apps/live/order/entry.h"

namespace sotto::apps::live {

inline constexpr std::size_t most_marks = 2;  // the most numbers that a role offers
// The disk holds one number more than a role offers, so that two remain after the last was rolled back.
inline constexpr std::size_t most_chain_rows = 3;

// A number that a role has done, in the form in which the role announces it to others. All of it is public.
struct OrderMark {
  OrderNumber number = 0;
  bandit::CheckpointId id{};  // zeros at the rewarder, which receives no ids
  std::uint32_t epoch = 0;    // the epoch in which the number was done
  net::Digest entry{};

  friend bool operator==(const OrderMark&, const OrderMark&) = default;
};

// The work of all numbers, added up. Undoing a number takes its work out of the tally.
struct OrderTally {
  OrderNumber model = 0;  // the last learn, or recovery that went back to a copy of the model; 0: the model is empty
  std::uint64_t decides = 0;
  std::uint64_t learns = 0;
  std::uint64_t padding = 0;          // at the actor: empty places of decides
  std::uint64_t missing = 0;          // at a party: events that were decided with its default row
  std::uint64_t rewards_learned = 0;  // at the rewarder: events that were learned
  std::uint64_t clipped = 0;          // at the rewarder: those of `rewards_learned` with a sum beyond [-1, 1]
  double reward_sum = 0;

  friend bool operator==(const OrderTally&, const OrderTally&) = default;
};
inline constexpr std::size_t bytes_of_tally = 8 * 8;

// A number as it is stored.
struct ChainRow {
  OrderMark mark;
  LiveMode mode = LiveMode::online;  // the mode in force after the number
  // At the actor: true if the actor received the number by `restate`. The actor then releases the number's arms only
  // when all roles have opened the next epoch.
  bool restated = false;
  // Number of events in all decides up to this number whose arms the actor was shown. Privacy was spent on these
  // events.
  std::uint64_t decided = 0;
  std::uint64_t learned = 0;  // number of events in all learns up to this number
  Agreement agreement{};      // the agreement after the number
  OrderTally tally{};         // the tally after the number
  OrderEntry entry;           // at number 0: the default entry
  bandit::SumBits from{};     // the bits of the model after the number
  // At a party, for a decide: the lanes that it sent to the actor, one byte per arm. For a secret decide: the 8 bytes
  // of its share of the sum of agreement.
  std::vector<std::byte> lanes;

  friend bool operator==(const ChainRow&, const ChainRow&) = default;
};

[[nodiscard]] std::vector<std::byte> encode(const ChainRow& row);
// Nothing if the bytes are not such a row.
[[nodiscard]] std::optional<ChainRow> decode_chain_row(std::span<const std::byte> bytes);

// Read and write parts of larger messages.
void write(ByteWriter& out, const OrderMark& mark);
[[nodiscard]] OrderMark read_mark(ByteReader& in);

}  // namespace sotto::apps::live
