// The one order of the decision service, in which every role does the same: numbers 1, 2, 3, ..., and the entry of
// each.
//
// An entry is a `decide` (the arms of up to B events), a `learn` (batches that were decided enter the model), a change
// of mode, or a snapshot, at which the parties copy the model. The actor makes entries, one at a time; the parties and
// the rewarder accept them or end the epoch. One kind nobody proposes: a recovery, by which an epoch opens after a
// store was lost (opening.h). An entry is public to actor, parties and rewarder: event ids have no time and nothing of
// the event in them.
//
// A program is one run of the engine in an epoch, and a shape what the dealer knows of it: its kind and its batch size.
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

using OrderNumber = std::uint64_t;                        // from 1; 0 is before the first
using EventId = std::array<std::byte, 16>;                // random
using LiveTime = std::uint64_t;                           // ms since 1970 on the role's own clock; a caller gives it
inline constexpr std::uint32_t largest_decide = 4096;     // events
inline constexpr std::size_t longest_subject = 64;        // bytes
inline constexpr std::uint32_t longest_cut_off = 60'000;  // ms
inline constexpr OrderNumber last_number = OrderNumber{1} << 62;

enum class EntryKind : std::uint8_t { decide = 1, learn = 2, mode = 3, snapshot = 4, recovery = 5 };
enum class LiveMode : std::uint8_t { online = 1, apprentice = 2, frozen = 3 };

// "decide", "learn", "mode", "snapshot", "recovery"; "online", "apprentice", "frozen".
[[nodiscard]] const char* name_of(EntryKind kind);
[[nodiscard]] const char* name_of(LiveMode mode);

struct ProgramShape {
  EntryKind kind = EntryKind::decide;  // decide or learn
  std::uint32_t size = 1;              // B, the most events
  // Of a decide: no arm is told, it is compared with the one that the caller played, as in mode apprentice.
  bool secret = false;
  bandit::SumBits from{};  // of a learn: as the model is that it begins from

  friend bool operator==(const ProgramShape&, const ProgramShape&) = default;
};

// An arm that an event must not get.
struct BarredArm {
  std::uint32_t place = 0;  // of the event in the entry
  std::uint16_t arm = 0;

  friend bool operator==(const BarredArm&, const BarredArm&) = default;
  friend bool operator<(const BarredArm& a, const BarredArm& b) {
    return a.place != b.place ? a.place < b.place : a.arm < b.arm;
  }
};

// What a recovery makes up for, and from where the order goes on.
struct OrderRecovery {
  bool snapshot = false;  // the parties go back to a copy of the model; what was decided and not learned is dropped
  bool actor = false;     // its store is lost; likewise
  bool rewarder = false;  // its store is lost
  bandit::CheckpointId
      model{};  // of the copy, by which the parties know that theirs are the same; zeros: the model is empty
  std::uint64_t learned = 0;       // events in that copy
  bandit::SumBits from{};          // of that copy
  OrderNumber told = 0;            // the last number that stands: what is above was never told and is undone
  bandit::CheckpointId told_id{};  // its id; zeros where the parties go back to a copy

  friend bool operator==(const OrderRecovery&, const OrderRecovery&) = default;
};

struct OrderEntry {
  OrderNumber number = 1;
  std::uint64_t program = 0;          // in its epoch, from 1; 0 of what runs none: all but decide and learn
  ProgramShape shape;                 // of what runs none: of size 0
  std::uint32_t cut_off = 0;          // ms for features after the entry has come
  bandit::CheckpointId before{};      // of the number before
  std::vector<EventId> events;        // of a decide, at most the shape's size; different
  std::vector<std::string> subjects;  // pseudonyms of the events, or none at all
  std::vector<BarredArm> barred;      // ascending
  std::vector<OrderNumber> batches;   // of a learn: numbers of decides, ascending
  LiveMode mode = LiveMode::online;   // from then on, of a change of mode or a recovery; else online
  OrderRecovery recovery;             // of a recovery

  friend bool operator==(const OrderEntry&, const OrderEntry&) = default;
};

// Whether a role may say it, whatever came before.
[[nodiscard]] bool is_valid(const OrderEntry& entry);

[[nodiscard]] std::vector<std::byte> encode(const OrderEntry& entry);
// Nothing if the bytes are no valid entry. What is accepted encodes to the same bytes.
[[nodiscard]] std::optional<OrderEntry> decode_entry(std::span<const std::byte> bytes);

// Whether it may stand for an event: 1 to longest_subject printable bytes without blanks.
[[nodiscard]] bool is_subject(std::string_view text);

// Parts of larger messages. The reader is not ok() after what is no valid entry.
void write(ByteWriter& out, const ProgramShape& shape);
[[nodiscard]] ProgramShape read_shape(ByteReader& in);
// Both more than 0 and at most 62; at the end of a row, where there are any.
void write(ByteWriter& out, const bandit::SumBits& bits);
[[nodiscard]] bandit::SumBits read_sum_bits(ByteReader& in);
void write(ByteWriter& out, const OrderEntry& entry);
[[nodiscard]] OrderEntry read_entry(ByteReader& in);
void write(ByteWriter& out, const OrderRecovery& recovery);
[[nodiscard]] OrderRecovery read_recovery(ByteReader& in);

// SHA-256 of the encoded entry. It goes into the digest of every frame of the entry's rounds.
[[nodiscard]] net::Digest digest_of(const OrderEntry& entry);

// By what the roles know that they stand at the same number of the same past:
//     id = SHA-256("sotto order", id before, session of the links, epoch, number, digest of the entry,
//                  SHA-256 of the public words)
// The public words are what all parties opened alike: of the saved model for a learn, none for the rest. Of a decide
// and a learn they are also, of three parties and more, all words that were opened or broadcast (Rounds::openings),
// unless that is off, and without a dealer what the parties drew in common while it ran. The session has fresh bytes of
// dealer and parties, so two runs never share an id.
struct OrderPlace {
  bandit::CheckpointId before{};
  net::SessionId session{};
  std::uint32_t epoch = 0;
};
[[nodiscard]] bandit::CheckpointId order_id(const OrderPlace& place, OrderNumber number, const net::Digest& entry,
                                            const net::Digest& public_words);

}  // namespace sotto::apps::live
