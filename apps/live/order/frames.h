// The control frames that the roles of the decision service exchange to keep one order. The frames use links that exist
// already.
//
//     frame     from, to                                    content
//     plan      actor to all                                shapes of the next programs; never changed once sent
//     skip      actor to all                                a program whose randomness is thrown away unused
//     begin     actor to parties, party 0 to rewarder       a learn; its rounds run while decides run; no entry yet
//     ran       parties to actor                            the rounds of a learn have ended
//     propose   actor to parties, party 0 to rewarder       the next entry; a learn only after its rounds
//     done      parties, rewarder to actor                  the number is on the sender's disk; refused events
//     restate   parties to actor, party 0 to rewarder       while an epoch opens: the number that the receiver lacks
//     settled   actor to all                                the number is settled; sent if no `propose` follows soon
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

inline constexpr std::size_t most_planned = 64;  // the most shapes in a plan

struct PlanFrame {
  std::uint64_t first = 1;           // number of the first program in `shapes`
  OrderNumber settled = 0;           // the last settled number
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
  std::vector<OrderNumber> batches;  // numbers of decides, ascending

  friend bool operator==(const BeginFrame&, const BeginFrame&) = default;
};
// The frames of a learn's rounds carry the digest of the learn's BeginFrame. Without a dealer, the frames of a
// preparation carry the digest of the preparation's PlanFrame.
[[nodiscard]] net::Digest digest_of(const BeginFrame& begin);
[[nodiscard]] net::Digest digest_of(const PlanFrame& plan);
// Whether the entry is the learn whose rounds `begin` started.
[[nodiscard]] bool is_of(const OrderEntry& entry, const BeginFrame& begin);

struct RanFrame {
  std::uint64_t program = 1;

  friend bool operator==(const RanFrame&, const RanFrame&) = default;
};

// The indices, in ascending order, of the refused events of a decide. A party refuses an event that the party has
// decided before, if the actor has forgotten this. The callers of refused events get no arm from the decide.
using RefusedPlaces = std::vector<std::uint32_t>;

struct DoneFrame {
  OrderNumber number = 1;
  net::Digest digest{};     // from a party: the checkpoint id; from the rewarder: the digest of the entry
  RefusedPlaces refused{};  // from a party: the refused events

  friend bool operator==(const DoneFrame&, const DoneFrame&) = default;
};

struct RestateFrame {
  bandit::CheckpointId id{};
  std::uint32_t epoch = 1;  // the epoch in which the number was done
  OrderEntry entry;
  std::vector<std::byte> lanes;  // to the actor, for a decide: the same lanes as the first time (ChainRow::lanes)
  RefusedPlaces refused{};       // to the actor, for a decide: the refused events, as in `done`

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

// A party's data about a batch that was decided.
struct KnownBatch {
  OrderNumber number = 1;  // the number of the decide
  LiveTime at = 0;         // when the party stored the batch
  bool open = false;       // true if the batch is not learned yet
  std::vector<EventId> events;

  friend bool operator==(const KnownBatch&, const KnownBatch&) = default;
};

struct KnownFrame {
  bool last = false;          // true for the last frame
  std::uint64_t decided = 0;  // ChainRow::decided of the party
  std::uint64_t learned = 0;
  OrderNumber model = 0;            // OrderTally::model of the party
  bandit::SumBits from{};           // the fraction bits of that model
  std::vector<KnownBatch> batches;  // ascending by number; at most most_known batches

  friend bool operator==(const KnownFrame&, const KnownFrame&) = default;
};
inline constexpr std::size_t most_known = 64;

using OrderFrame = std::variant<PlanFrame, SkipFrame, ProposeFrame, DoneFrame, RestateFrame, SettledFrame, OpenedFrame,
                                KnownFrame, BeginFrame, RanFrame>;

[[nodiscard]] std::vector<std::byte> encode(const OrderFrame& frame);
// Returns nothing if the bytes are not a valid frame.
[[nodiscard]] std::optional<OrderFrame> decode_order_frame(std::span<const std::byte> bytes);

}  // namespace sotto::apps::live
