// The control frames that the roles of the decision service exchange to agree on one order.
//
//     frame     from, to                                    content
//     plan      actor to all                                shapes of the next programs; never changed once sent
//     skip      actor to all                                a program whose randomness is thrown away unused
//     begin     actor to parties, party 0 to rewarder       the rounds of a learn begin, and run while decides run
//     ran       parties to actor                            the rounds of a learn have ended
//     propose   actor to parties, party 0 to rewarder       the next entry; for a learn, sent after the learn's rounds
//     done      parties, rewarder to actor                  the entry is on the sender's disk; refused events
//     restate   parties to actor, party 0 to rewarder       while an epoch opens: the entry that the receiver lacks
//     settled   actor to all                                the entry is settled; sent if no `propose` follows soon
//     opened    parties, rewarder to actor                  the epoch is on the sender's disk
//     known     parties to actor, party 0 to rewarder       while an epoch opens: batches for a role with a lost store
//
// Actor and rewarder have no link, so party 0 relays their frames unchanged. The dealer receives only `plan` and
// `skip`, which contain shapes and no event. The decoder is safe for any bytes: it checks every length before it
// allocates memory. An accepted frame encodes to the same bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "apps/live/order/entry.h"

namespace sotto::apps::live {

inline constexpr std::size_t most_planned = 64;

struct PlanFrame {
  std::uint64_t first = 1;
  OrderNumber settled = 0;
  std::vector<ProgramShape> shapes;  // 1 to most_planned shapes

  friend bool operator==(const PlanFrame&, const PlanFrame&) = default;
};

struct SkipFrame {
  std::uint64_t program = 1;

  friend bool operator==(const SkipFrame&, const SkipFrame&) = default;
};

struct ProposeFrame {
  OrderEntry entry;

  friend bool operator==(const ProposeFrame&, const ProposeFrame&) = default;
};

struct BeginFrame {
  std::uint64_t program = 1;
  ProgramShape shape{EntryKind::learn, 1};
  std::vector<OrderNumber> batches;

  friend bool operator==(const BeginFrame&, const BeginFrame&) = default;
};
// Every frame of a learn's rounds contains the digest of the learn's BeginFrame. Without a dealer, every frame of a
// preparation contains the digest of the preparation's PlanFrame.
[[nodiscard]] net::Digest digest_of(const BeginFrame& begin);
[[nodiscard]] net::Digest digest_of(const PlanFrame& plan);
[[nodiscard]] bool is_of(const OrderEntry& entry, const BeginFrame& begin);

struct RanFrame {
  std::uint64_t program = 1;

  friend bool operator==(const RanFrame&, const RanFrame&) = default;
};

// A party refuses the events of a decide that were already decided earlier. RefusedPlaces contains the ascending
// indices of these events in the decide. Their callers get no arm from the decide.
using RefusedPlaces = std::vector<std::uint32_t>;

struct DoneFrame {
  OrderNumber number = 1;
  net::Digest digest{};  // a party sends the id of the entry; the rewarder sends the digest of the entry
  RefusedPlaces refused{};

  friend bool operator==(const DoneFrame&, const DoneFrame&) = default;
};

struct RestateFrame {
  bandit::CheckpointId id{};
  std::uint32_t epoch = 1;
  OrderEntry entry;
  std::vector<std::byte> lanes;
  RefusedPlaces refused{};

  friend bool operator==(const RestateFrame&, const RestateFrame&) = default;
};

struct SettledFrame {
  OrderNumber number = 1;
  bandit::CheckpointId id{};

  friend bool operator==(const SettledFrame&, const SettledFrame&) = default;
};

struct OpenedFrame {
  std::uint32_t epoch = 1;

  friend bool operator==(const OpenedFrame&, const OpenedFrame&) = default;
};

struct KnownBatch {
  OrderNumber number = 1;
  LiveTime at = 0;
  bool open = false;
  std::vector<EventId> events;

  friend bool operator==(const KnownBatch&, const KnownBatch&) = default;
};

struct KnownFrame {
  bool last = false;
  std::uint64_t decided = 0;
  std::uint64_t learned = 0;
  OrderNumber model = 0;
  bandit::SumBits from{};
  std::vector<KnownBatch> batches;  // ascending by number; at most most_known batches

  friend bool operator==(const KnownFrame&, const KnownFrame&) = default;
};
inline constexpr std::size_t most_known = 64;

using OrderFrame = std::variant<PlanFrame, SkipFrame, ProposeFrame, DoneFrame, RestateFrame, SettledFrame, OpenedFrame,
                                KnownFrame, BeginFrame, RanFrame>;

[[nodiscard]] std::vector<std::byte> encode(const OrderFrame& frame);
[[nodiscard]] std::optional<OrderFrame> decode_order_frame(std::span<const std::byte> bytes);

}  // namespace sotto::apps::live
