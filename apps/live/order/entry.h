// The one order of the decision service, in which every role does the same: numbers 1, 2, 3, ..., each with its entry.
//
// An entry is a `decide` (the arms of up to B events), a `learn` (batches that were decided enter the model), a change
// of mode, or a snapshot. At a snapshot the parties copy the model. The actor makes entries, one at a time. The parties
// and the rewarder accept an entry or end the epoch. There is a fifth kind, a recovery, which no role proposes. After a
// store was lost, an epoch opens with a recovery (opening.h). An entry is public to actor, parties and rewarder. Event
// ids contain no time and nothing about the event.
//
// A program is one run of the engine in an epoch. A shape is the part of a program that the dealer knows: its kind and
// its batch size.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "apps/bandit/model/parameters.h"
#include "apps/bandit/model/sites.h"
#include "sotto/protocol/wire/coding.h"

namespace sotto::apps::live {

using OrderNumber = std::uint64_t;                        // counts from 1; 0 is before the first entry
using EventId = std::array<std::byte, 16>;                // random bytes
using LiveTime = std::uint64_t;                           // ms since 1970 on the role's own clock, given by the caller
inline constexpr std::uint32_t largest_decide = 4096;     // events
inline constexpr std::size_t longest_subject = 64;        // bytes
inline constexpr std::uint32_t longest_cut_off = 60'000;  // ms
inline constexpr OrderNumber last_number = OrderNumber{1} << 62;

enum class EntryKind : std::uint8_t { decide = 1, learn = 2, mode = 3, snapshot = 4, recovery = 5 };
enum class LiveMode : std::uint8_t { online = 1, apprentice = 2, frozen = 3 };

// The names: "decide", "learn", "mode", "snapshot", "recovery"; "online", "apprentice", "frozen".
[[nodiscard]] const char* name_of(EntryKind kind);
[[nodiscard]] const char* name_of(LiveMode mode);

struct ProgramShape {
  EntryKind kind = EntryKind::decide;  // decide or learn
  std::uint32_t size = 1;              // B, the most events of the program
  // For a decide in mode apprentice: nobody sees its arms, which are only compared with the arms that callers played.
  bool secret = false;
  bandit::SumBits from{};  // for a learn: the bits of the model that the learn begins from

  friend bool operator==(const ProgramShape&, const ProgramShape&) = default;
};

// An arm that an event must not get.
struct BarredArm {
  std::uint32_t place = 0;  // index of the event in the entry
  std::uint16_t arm = 0;

  friend bool operator==(const BarredArm&, const BarredArm&) = default;
  friend bool operator<(const BarredArm& a, const BarredArm& b) {
    return a.place != b.place ? a.place < b.place : a.arm < b.arm;
  }
};

// The losses that a recovery makes up for, and the number from which the order continues.
struct OrderRecovery {
  bool snapshot = false;  // the parties go back to a copy of the model; events decided and not learned are dropped
  bool actor = false;     // the actor's store is lost; events that were decided and not learned are dropped
  bool rewarder = false;  // the rewarder's store is lost
  bandit::CheckpointId model{};    // the id of the copy, the same at all parties; zeros: the model is empty
  std::uint64_t learned = 0;       // number of events that the copy has learned
  bandit::SumBits from{};          // the bits of the copy
  OrderNumber told = 0;            // the last number that stays; later numbers reached no caller and are undone
  bandit::CheckpointId told_id{};  // the id of `told`; zeros if the parties go back to a copy

  friend bool operator==(const OrderRecovery&, const OrderRecovery&) = default;
};

struct OrderEntry {
  OrderNumber number = 1;
  std::uint64_t program = 0;          // number in the epoch, from 1; 0: the entry runs none (neither decide nor learn)
  ProgramShape shape;                 // shape of that program; of size 0 if there is none
  std::uint32_t cut_off = 0;          // ms that features may come after the entry
  bandit::CheckpointId before{};      // the id of the previous number
  std::vector<EventId> events;        // for a decide: its events, at most the shape's size, all different
  std::vector<std::string> subjects;  // pseudonyms of the events; empty, or one per event
  std::vector<BarredArm> barred;      // in ascending order
  std::vector<OrderNumber> batches;   // for a learn: the numbers of its decides, ascending
  LiveMode mode = LiveMode::online;   // for a change of mode or a recovery: the mode from then on; else online
  OrderRecovery recovery;             // for a recovery: what it makes up for

  friend bool operator==(const OrderEntry&, const OrderEntry&) = default;
};

// Whether a role may send the entry, apart from what earlier entries require.
[[nodiscard]] bool is_valid(const OrderEntry& entry);

[[nodiscard]] std::vector<std::byte> encode(const OrderEntry& entry);
// Nothing if the bytes are not a valid entry. An accepted entry encodes to the same bytes.
[[nodiscard]] std::optional<OrderEntry> decode_entry(std::span<const std::byte> bytes);

// Whether the text may be a subject: 1 to longest_subject printable bytes without blanks.
[[nodiscard]] bool is_subject(std::string_view text);

// Read and write parts of larger messages. After an invalid entry the reader is not ok().
void write(ByteWriter& out, const ProgramShape& shape);
[[nodiscard]] ProgramShape read_shape(ByteReader& in);
// Both numbers are above 0 and at most 62. In a row that contains them, they are at the end.
void write(ByteWriter& out, const bandit::SumBits& bits);
[[nodiscard]] bandit::SumBits read_sum_bits(ByteReader& in);
void write(ByteWriter& out, const OrderEntry& entry);
[[nodiscard]] OrderEntry read_entry(ByteReader& in);
void write(ByteWriter& out, const OrderRecovery& recovery);
[[nodiscard]] OrderRecovery read_recovery(ByteReader& in);

// SHA-256 of the encoded entry. It goes into the digest of every frame of the entry's rounds.
[[nodiscard]] net::Digest digest_of(const OrderEntry& entry);

// The id by which roles know that they are at the same number of the same history:
//     id = SHA-256("sotto order", id before, session of the links, epoch, number, digest of the entry,
//                  SHA-256 of the public words)
// The public words are words that all parties opened alike: for a learn those of the saved model, for other entries
// none. With three parties or more, the public words of a decide or a learn also include all words that were opened or
// broadcast (Rounds::openings), unless that is switched off. Without a dealer, they include the words that the parties
// drew in common while the program ran. The session contains fresh bytes of dealer and parties, so two runs never share
// an id.
struct OrderPlace {
  bandit::CheckpointId before{};
  net::SessionId session{};
  std::uint32_t epoch = 0;
};
[[nodiscard]] bandit::CheckpointId order_id(const OrderPlace& place, OrderNumber number, const net::Digest& entry,
                                            const net::Digest& public_words);

}  // namespace sotto::apps::live
