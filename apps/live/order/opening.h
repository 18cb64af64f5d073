// How an epoch of the decision service opens: every role describes its history, and all roles derive the same opening.
//
//  epoch    one above the highest that any role has opened
//  number   c, the highest that all parties have under one id. A number that all parties have done is settled, even if
//           no other role knows it. If a party lacks a number, the others roll it back: no caller received an arm of it
//
// A service whose opening is refused changes nothing. The opening is refused, in a line with role, number and id, if:
// - the parties have no number in common, or c is more than one below a party's last number: its numbers before the
//   last are settled. Then some store is from another history
// - the actor has done more than c: it has answered callers with arms of a later number
// - actor or rewarder is more than one behind c, or from another history, or the rewarder is more than one ahead
// - a role has not opened an epoch in which another role has done a number: its store is an old copy
// - the witness, which is the dealer or the helper, learned of a number that stays, and c is below it: the stores of
//   all other roles are old copies. A service without a witness continues from the old copies
// Actor or rewarder may be one behind c. Then the parties send the number again (`restate`), to the actor with the same
// arm lanes.
//
// Lost stores. A role can be started with a request for a recovery. Then the epoch opens with a recovery instead. A
// recovery is a number above all numbers that any role knows of. Every role writes the recovery as it opens the epoch,
// in place of the numbers before. So an old store that turns up later is refused like any other. Every role that a
// recovery concerns must be started with the request (LiveWish); else the opening is refused, with the command that is
// missing. If a role dies, some roles may have written a recovery and others not; then the recovery is made again under
// a further number.
// - The model goes back to a copy: every party names the copy, and its id is the same at all. Events that were decided
//   and not learned are dropped. Answers that callers received stay valid.
// - The actor's or the rewarder's store is lost: that role says so, and all other roles that keep the order accept it.
//   That role receives the batches that the parties still know (`known`). At a lost actor no arm is known, so all
//   pending events are dropped.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "apps/live/order/chain.h"
#include "sotto/protocol/mesh/handshake/hello.h"

namespace sotto::apps::live {

// A recovery that a role was started with and has not done yet.
struct LiveWish {
  bool go_back = false;          // a party: goes back to a copy of the model
  OrderNumber snapshot = 0;      // the number at which this party made the copy
  bandit::CheckpointId model{};  // the id of the copy
  std::uint64_t learned = 0;     // number of events that the copy has learned
  bandit::SumBits from{};        // the bits of the copy
  bool rebuild = false;          // at actor or rewarder: its own store is lost
  bool accept_actor = false;     // the role accepts that the actor's store is lost
  bool accept_rewarder = false;

  friend bool operator==(const LiveWish&, const LiveWish&) = default;
};

// A role's statement about its history, after its last epoch has ended.
struct LiveStanding {
  bool keeps_order = true;                   // true for every role except the witness
  std::uint32_t epoch = 0;                   // the last epoch that the role opened
  OrderNumber settled = 0;                   // at the witness: the last settled number that the actor announced to it
  std::vector<OrderMark> marks;              // at other roles: the last one or two numbers, ascending
  LiveMode mode = LiveMode::online;          // the mode after the last number
  std::optional<OrderRecovery> recovered{};  // set if the last number is a recovery
  LiveWish wish{};

  friend bool operator==(const LiveStanding&, const LiveStanding&) = default;
};

struct LiveOpening {
  std::uint32_t epoch = 1;
  OrderNumber number = 0;     // c, the number at which the epoch opens
  bandit::CheckpointId id{};  // the id of c
  // The recovery that every role now writes as number c. No role had this number before.
  std::optional<OrderEntry> recovery{};

  friend bool operator==(const LiveOpening&, const LiveOpening&) = default;
};

// Encodes to at most net::longest_resume bytes.
[[nodiscard]] std::vector<std::byte> encode(const LiveStanding& standing);
[[nodiscard]] std::vector<std::byte> encode(const LiveOpening& opening);
// Nothing if the bytes are not a message that a role may send.
[[nodiscard]] std::optional<LiveStanding> decode_live_standing(std::span<const std::byte> bytes);
[[nodiscard]] std::optional<LiveOpening> decode_live_opening(std::span<const std::byte> bytes);

// The roles that keep the order: the parties, then the actor (node `outside`), then the rewarder (node `further`) if
// there is one.
[[nodiscard]] std::vector<NodeId> keepers_of(const Topology& topology);
// The role that learns what is settled and keeps no order: the dealer (net::dealer_id) or the helper. Nothing if there
// is neither.
[[nodiscard]] std::optional<NodeId> witness_of(const Topology& topology);

// Throws DisagreementError if the opening is refused, std::invalid_argument if a role is missing.
[[nodiscard]] LiveOpening agree_on_opening(const Topology& topology, const std::map<NodeId, LiveStanding>& standings);

// The recovery that the roles were started with. If some roles have written a recovery and others have not, it is made
// again. Nothing if there is no recovery. Throws DisagreementError if a role that must request it does not, or if the
// stores do not allow it.
[[nodiscard]] std::optional<OrderEntry> agree_on_recovery(const Topology& topology,
                                                          const std::map<NodeId, LiveStanding>& standings);

// Whether a role gives the consent that the recovery needs from it. `wish` is what the role was started with, and
// `recovered` is its last number, if that is a recovery.
[[nodiscard]] bool agrees(const OrderRecovery& recovery, const LiveWish& wish,
                          const std::optional<OrderRecovery>& recovered, bool is_party, bool is_actor);

// The checkpoint id of a recovery. It contains no session, because the epoch is new.
[[nodiscard]] bandit::CheckpointId recovery_id(const OrderEntry& recovery, std::uint32_t epoch);

// The version of the layout of a store, and of what the store's role says here. Roles of two versions do not open an
// epoch.
inline constexpr std::uint8_t live_store_version = 5;

// This role's part in the handshake: its statement, and how it judges the statements of others.
[[nodiscard]] net::Resume resume_live(const Topology& topology, const LiveStanding& mine);

}  // namespace sotto::apps::live
