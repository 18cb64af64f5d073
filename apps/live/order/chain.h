// The end of the order as a role has it on its disk: the last two numbers that it has done. No role can be two ahead of
// another (opening.h), so two are enough to go back.
//
// A chain begins with number 0 under an id of zeros, which every new store has.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "apps/live/order/agreement.h"
#include "apps/live/order/entry.h"

namespace sotto::apps::live {

inline constexpr std::size_t most_marks = 2;  // that a role offers
// On the disk one more, so that two are there after the last was rolled back.
inline constexpr std::size_t most_chain_rows = 3;

// A number that a role has done, as it says so to others. All of it is public.
struct OrderMark {
  OrderNumber number = 0;
  bandit::CheckpointId id{};  // zeros at the rewarder, which is told none
  std::uint32_t epoch = 0;    // in which it was done
  net::Digest entry{};

  friend bool operator==(const OrderMark&, const OrderMark&) = default;
};

// What numbers have done, added up: of a number that is undone nothing is left in it.
struct OrderTally {
  OrderNumber model = 0;  // the last learn, or recovery that went back to a copy of the model; 0: the model is empty
  std::uint64_t decides = 0;
  std::uint64_t learns = 0;
  std::uint64_t padding = 0;          // the actor: empty places of decides
  std::uint64_t missing = 0;          // a party: events that were decided with its default row
  std::uint64_t rewards_learned = 0;  // the rewarder: events that were learned, of which
  std::uint64_t clipped = 0;          // so many had a sum of rewards beyond [-1, 1]
  double reward_sum = 0;

  friend bool operator==(const OrderTally&, const OrderTally&) = default;
};
inline constexpr std::size_t bytes_of_tally = 8 * 8;

// What is stored of it.
struct ChainRow {
  OrderMark mark;
  LiveMode mode = LiveMode::online;  // in force after it
  // At the actor: it came by `restate`. Its arms are told only once all roles have opened the next epoch.
  bool restated = false;
  // Events of all decides up to it whose arms the actor was shown: what privacy was spent on.
  std::uint64_t decided = 0;
  std::uint64_t learned = 0;  // events that all learns up to it took
  Agreement agreement{};      // after it
  OrderTally tally{};         // likewise
  OrderEntry entry;           // the default one at number 0
  bandit::SumBits from{};     // of the model after it
  // At a party, of a decide: its lanes as sent to the actor, an arm a byte; of a secret one the 8 bytes of the
  // agreement.
  std::vector<std::byte> lanes;

  friend bool operator==(const ChainRow&, const ChainRow&) = default;
};

[[nodiscard]] std::vector<std::byte> encode(const ChainRow& row);
// Nothing if the bytes are no such row.
[[nodiscard]] std::optional<ChainRow> decode_chain_row(std::span<const std::byte> bytes);

// Parts of larger messages.
void write(ByteWriter& out, const OrderMark& mark);
[[nodiscard]] OrderMark read_mark(ByteReader& in);

}  // namespace sotto::apps::live
