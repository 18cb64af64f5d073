// How an epoch of the decision service opens: what every role says of its past, and what follows from that for all.
//
//   epoch    one above the highest that any role has opened
//   number   c, the highest that all parties have under one id. What all parties have done is settled, whoever else
//            knows it; what one of them lacks is rolled back by the others, and no arm of it was told
//
// A service whose opening is refused changes nothing. Refused, in a line with role, number and id:
//   - the parties have no number in common, or only one that some of them knows to be surpassed: c is below what it has
//     done but for the last. Somebody's store is of another past
//   - the actor has done more than c: it has told arms of that
//   - actor or rewarder are more than one behind c, or of another past; the rewarder is more than one ahead
//   - a role has not opened an epoch in which somebody has done a number: an old copy
//   - the witness, which is the dealer or the helper, was told of a number that stays, and c is below: old copies of
//     all others. Where there is neither, the service goes on from the old copies
// Actor or rewarder may be one behind: they are told the number again (`restate`), the actor with the same arm lanes.
//
// Lost stores. Where a role was told to, the epoch opens with a recovery instead: a number above all that any role
// knows of, which every role writes as it opens, and which stands in place of the numbers before. So an old store that
// turns up later is refused like any other. What it makes up for has to be said at every role that it concerns
// (LiveWish); else the opening is refused, with the command that is missing. A recovery that some have written and
// others have not, since a role died meanwhile, is made again under a further number.
//   - the model goes back to a copy: every party names it, and its id is the same at all. What was decided and not
//     learned is dropped; what was told stays told
//   - the actor's or the rewarder's store is lost: it says so, and all others that keep the order accept it. What the
//     parties still know of batches is told to it (`known`). At a lost actor no arm is known: what is pending is
//     dropped
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "apps/live/order/chain.h"
#include "sotto/protocol/mesh/handshake/hello.h"

namespace sotto::apps::live {

// What a role was started with, and has not done yet.
struct LiveWish {
  bool go_back = false;          // a party: to a copy of the model
  OrderNumber snapshot = 0;      // at which it was made, here
  bandit::CheckpointId model{};  // of the copy
  std::uint64_t learned = 0;     // events in it
  bandit::SumBits from{};        // of it
  bool rebuild = false;          // actor, rewarder: its store is lost
  bool accept_actor = false;     // that its store is lost
  bool accept_rewarder = false;

  friend bool operator==(const LiveWish&, const LiveWish&) = default;
};

// Of a role, as read after its last epoch has ended.
struct LiveStanding {
  bool keeps_order = true;                   // every role but the witness
  std::uint32_t epoch = 0;                   // the last that it opened
  OrderNumber settled = 0;                   // the witness: that the actor told it
  std::vector<OrderMark> marks;              // others: of the last one or two numbers, the later last
  LiveMode mode = LiveMode::online;          // after the last
  std::optional<OrderRecovery> recovered{};  // the last number is this recovery
  LiveWish wish{};

  friend bool operator==(const LiveStanding&, const LiveStanding&) = default;
};

struct LiveOpening {
  std::uint32_t epoch = 1;
  OrderNumber number = 0;     // c
  bandit::CheckpointId id{};  // its id
  // The number is a recovery that every role writes now; in what every role had before there is no such number.
  std::optional<OrderEntry> recovery{};

  friend bool operator==(const LiveOpening&, const LiveOpening&) = default;
};

// At most net::longest_resume bytes.
[[nodiscard]] std::vector<std::byte> encode(const LiveStanding& standing);
[[nodiscard]] std::vector<std::byte> encode(const LiveOpening& opening);
// Nothing if the bytes are none that a role may say.
[[nodiscard]] std::optional<LiveStanding> decode_live_standing(std::span<const std::byte> bytes);
[[nodiscard]] std::optional<LiveOpening> decode_live_opening(std::span<const std::byte> bytes);

// The roles that keep the order: the parties, then the actor, the outside node, and the rewarder, the further one,
// where there is one.
[[nodiscard]] std::vector<NodeId> keepers_of(const Topology& topology);
// Who is told what is settled and keeps no order: the dealer, net::dealer_id, or the helper, or nobody.
[[nodiscard]] std::optional<NodeId> witness_of(const Topology& topology);

// Throws DisagreementError if the opening is refused, std::invalid_argument if a role is
// missing.
[[nodiscard]] LiveOpening agree_on_opening(const Topology& topology, const std::map<NodeId, LiveStanding>& standings);

// The recovery that the roles were told to make, or that some have made and others have not; nothing where there is
// none. Throws DisagreementError where a role is missing among those that must say so, or the stores do not allow it.
[[nodiscard]] std::optional<OrderEntry> agree_on_recovery(const Topology& topology,
                                                          const std::map<NodeId, LiveStanding>& standings);

// Whether a role that was started with `wish`, and has done `recovered` last, has said what the recovery needs of it.
[[nodiscard]] bool agrees(const OrderRecovery& recovery, const LiveWish& wish,
                          const std::optional<OrderRecovery>& recovered, bool is_party, bool is_actor);

// The number that stands for a recovery in the checkpoint id: its ids need no session, as the epoch is new.
[[nodiscard]] bandit::CheckpointId recovery_id(const OrderEntry& recovery, std::uint32_t epoch);

// The layout of a store and of what its role says here. Roles of two versions do not open an epoch.
inline constexpr std::uint8_t live_store_version = 5;

// For the handshake.
[[nodiscard]] net::Resume resume_live(const Topology& topology, const LiveStanding& mine);

}  // namespace sotto::apps::live
