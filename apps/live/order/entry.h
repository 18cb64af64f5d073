// The order of the decision service is a sequence of entries with the numbers 1, 2, 3, ... Every role does the entries
// in this order.
//
// An entry is a `decide` (chooses the arms of up to B events), a `learn` (the model learns from decided batches), a
// change of mode, or a snapshot. At a snapshot the parties copy the model. The actor proposes entries, one at a time. A
// fifth kind of entry, a recovery, is never proposed: after a store was lost, an epoch opens with a recovery
// (opening.h). An entry is public to actor, parties and rewarder. Event ids contain no time and nothing about the
// event.
//
// A program is one computation of the engine in an epoch. The dealer knows only the shape of a program: its kind and
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

using OrderNumber = std::uint64_t;                        // the first entry has number 1; 0: before the first entry
using EventId = std::array<std::byte, 16>;                // random bytes
using LiveTime = std::uint64_t;                           // ms since 1970 on the role's own clock
inline constexpr std::uint32_t largest_decide = 4096;     // events
inline constexpr std::size_t longest_subject = 64;        // bytes
inline constexpr std::uint32_t longest_cut_off = 60'000;  // ms
inline constexpr OrderNumber last_number = OrderNumber{1} << 62;

enum class EntryKind : std::uint8_t { decide = 1, learn = 2, mode = 3, snapshot = 4, recovery = 5 };
enum class LiveMode : std::uint8_t { online = 1, apprentice = 2, frozen = 3 };

[[nodiscard]] const char* name_of(EntryKind kind);
[[nodiscard]] const char* name_of(LiveMode mode);

struct ProgramShape {
  EntryKind kind = EntryKind::decide;
  std::uint32_t size = 1;
  // True for a decide in mode apprentice. Nobody sees the arms of a secret decide; the arms are only compared with the
  // arms that callers played.
  bool secret = false;
  bandit::SumBits from{};

  friend bool operator==(const ProgramShape&, const ProgramShape&) = default;
};

struct BarredArm {
  std::uint32_t place = 0;
  std::uint16_t arm = 0;

  friend bool operator==(const BarredArm&, const BarredArm&) = default;
  friend bool operator<(const BarredArm& a, const BarredArm& b) {
    return a.place != b.place ? a.place < b.place : a.arm < b.arm;
  }
};

struct OrderRecovery {
  bool snapshot = false;  // the parties go back to a copy of the model, and drop unlearned events
  bool actor = false;     // the actor's store is lost, and the roles drop unlearned events
  bool rewarder = false;
  bandit::CheckpointId model{};  // the id of the copy, equal at all parties; zeros: the model is empty
  std::uint64_t learned = 0;
  bandit::SumBits from{};
  OrderNumber kept = 0;  // the number of the last entry that stays; later entries, which no caller saw, are undone
  bandit::CheckpointId kept_id{};  // the id of entry `kept`; zeros if the parties go back to a copy

  friend bool operator==(const OrderRecovery&, const OrderRecovery&) = default;
};

struct OrderEntry {
  OrderNumber number = 1;
  std::uint64_t program = 0;  // number of the program in the epoch, from 1; 0: the entry has no program
  ProgramShape shape;
  std::uint32_t cut_off = 0;  // number of ms after the entry; features that come later are too late
  bandit::CheckpointId before{};
  std::vector<EventId> events;        // for a decide: all different, at most shape.size
  std::vector<std::string> subjects;  // pseudonyms; empty, or one per event
  std::vector<BarredArm> barred;      // ascending
  std::vector<OrderNumber> batches;   // for a learn: numbers of the decides to learn, ascending
  LiveMode mode = LiveMode::online;
  OrderRecovery recovery;

  friend bool operator==(const OrderEntry&, const OrderEntry&) = default;
};

[[nodiscard]] bool is_valid(const OrderEntry& entry);

[[nodiscard]] std::vector<std::byte> encode(const OrderEntry& entry);
// encode() of the result gives the same bytes.
[[nodiscard]] std::optional<OrderEntry> decode_entry(std::span<const std::byte> bytes);

// 1 to longest_subject printable bytes without blanks.
[[nodiscard]] bool is_subject(std::string_view text);

// The functions below encode parts of larger messages. After an invalid entry the reader is not ok().
void write(ByteWriter& out, const ProgramShape& shape);
[[nodiscard]] ProgramShape read_shape(ByteReader& in);
// Both numbers of SumBits are from 1 to 62.
void write(ByteWriter& out, const bandit::SumBits& bits);
[[nodiscard]] bandit::SumBits read_sum_bits(ByteReader& in);
// Also accepts two zeros, as the bits of no imported model.
[[nodiscard]] bandit::SumBits read_optional_sum_bits(ByteReader& in);
void write(ByteWriter& out, const OrderEntry& entry);
[[nodiscard]] OrderEntry read_entry(ByteReader& in);
void write(ByteWriter& out, const OrderRecovery& recovery);
[[nodiscard]] OrderRecovery read_recovery(ByteReader& in);

// SHA-256 of the encoded entry. Every frame of an entry's rounds contains a digest that depends on the entry's digest.
[[nodiscard]] net::Digest digest_of(const OrderEntry& entry);

// The id of an entry. If two roles have equal ids, they have done the same entries up to this number.
//
//     id = SHA-256("sotto order", id before, session of the links, epoch, number, digest of the entry,
//                  SHA-256 of the public words)
//
// The public words are equal at all parties. For a learn they are the public words of the saved model; other entries
// have none. With three parties or more, the public words of a decide or a learn also include all words that the
// parties opened or broadcast (Rounds::openings), unless the check of openings is off. Without a dealer, the public
// words also include the words that all parties drew during the program. The session contains fresh random bytes from
// the dealer and the parties, so ids of two runs always differ.
struct OrderPlace {
  bandit::CheckpointId before{};
  net::SessionId session{};
  std::uint32_t epoch = 0;
};
[[nodiscard]] bandit::CheckpointId order_id(const OrderPlace& place, OrderNumber number, const net::Digest& entry,
                                            const net::Digest& public_words);

}  // namespace sotto::apps::live
