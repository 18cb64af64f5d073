// How an epoch of the decision service opens: every role describes its history, and all roles compute the same opening
// from these descriptions.
//
//  epoch    one above the highest that any role has opened
//  number   c, the highest that all parties have under one id. A number that all parties have done is settled, even if
//           no other role knows it. If a party lacks a number, the others roll it back: no caller received its arms
//
// If an opening is refused, no role changes anything. The error is one line with role, number and id. An opening is
// refused if:
// - the parties have no number in common, or the common number c is more than one below a party's last number. All
//   numbers of a party before its last are settled, so some store must be from another history
// - the actor has done a number above the common number c, so it has answered callers with arms of that number
// - the last number of the actor or the rewarder is more than one below the common number c, or is of another history
// - the last number of the rewarder is more than one above the common number c
// - a role has not opened an epoch in which another role has done a number, so the store of the first role is an old
//   copy
// - the witness (the dealer or the helper) knows of a settled number above the common number c, so the stores of all
//   other roles are old copies. A service without a witness continues from the old copies
//
// If the last number of the actor or the rewarder is one below c, the parties send number c again (`restate`). The
// actor receives the same arm lanes as before.
//
// Lost stores. If roles are started with a request for a recovery, the epoch opens with a recovery. A recovery has a
// number above all numbers that any role knows of. Every role writes the recovery when the role opens the epoch, and
// the recovery replaces the numbers before it. An old store that is found later is therefore refused like any other old
// store. Every role that must consent to a recovery must be started with the request (RecoveryRequest). Without a
// request the opening is refused, and the error names the missing command. If a role crashes, some roles may have
// written the recovery and others not; the recovery is then repeated under a new number.
// - The model goes back to a copy: every party names the copy, and the copy's id must be equal at all parties. Events
//   that were decided but not learned are dropped. Answers that callers received stay valid.
// - The actor's or the rewarder's store is lost: this role reports the loss, and all other roles that keep the order
//   accept the loss. The role then receives the batches that the parties still know (`known`). An actor without its
//   store knows no arms, so all pending events are dropped.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "apps/live/order/chain.h"
#include "sotto/protocol/mesh/handshake/hello.h"

namespace sotto::apps::live {

// A request for a recovery. A role was started with this request, and has not done the recovery yet.
struct RecoveryRequest {
  bool go_back = false;          // at a party: go back to a copy of the model
  OrderNumber snapshot = 0;      // the number at which this party made the copy
  bandit::CheckpointId model{};  // the id of the copy
  std::uint64_t learned = 0;     // number of events that the copy has learned
  bandit::SumBits from{};        // the fraction bits of the copy
  bool rebuild = false;          // at the actor or rewarder: the role's own store is lost
  bool accept_actor = false;     // the role accepts that the actor's store is lost
  bool accept_rewarder = false;

  friend bool operator==(const RecoveryRequest&, const RecoveryRequest&) = default;
};

// A role's description of its own history, after the role's last epoch has ended.
struct LiveHistory {
  bool keeps_order = true;                   // true for every role except the witness
  std::uint32_t epoch = 0;                   // the last epoch that the role opened
  OrderNumber settled = 0;                   // at the witness: the last settled number that the actor announced
  std::vector<OrderMark> marks;              // at roles with the order: the last one or two numbers, ascending
  LiveMode mode = LiveMode::online;          // the mode after the last number
  std::optional<OrderRecovery> recovered{};  // set if the last number is a recovery
  RecoveryRequest recovery_request{};

  friend bool operator==(const LiveHistory&, const LiveHistory&) = default;
};

struct LiveOpening {
  std::uint32_t epoch = 1;
  OrderNumber number = 0;     // c, the number at which the epoch opens
  bandit::CheckpointId id{};  // the id of c
  // If set: the recovery that every role must write as number c. No role had this number before.
  std::optional<OrderEntry> recovery{};

  friend bool operator==(const LiveOpening&, const LiveOpening&) = default;
};

// encode() returns at most net::longest_resume bytes.
[[nodiscard]] std::vector<std::byte> encode(const LiveHistory& history);
[[nodiscard]] std::vector<std::byte> encode(const LiveOpening& opening);
// Returns nothing if the bytes are not a message that a role may send.
[[nodiscard]] std::optional<LiveHistory> decode_live_history(std::span<const std::byte> bytes);
[[nodiscard]] std::optional<LiveOpening> decode_live_opening(std::span<const std::byte> bytes);

// The roles that keep the order: the parties, then the actor (node `outside`), then the rewarder (node `further`) if
// there is one.
[[nodiscard]] std::vector<NodeId> keepers_of(const Topology& topology);
// The witness: the dealer (net::dealer_id) or the helper, which receives settled numbers but does not keep the order.
// Returns nothing if the topology has no dealer and no helper.
[[nodiscard]] std::optional<NodeId> witness_of(const Topology& topology);

// Computes the opening. Throws DisagreementError if the opening is refused, and std::invalid_argument if a role is
// missing.
[[nodiscard]] LiveOpening agree_on_opening(const Topology& topology, const std::map<NodeId, LiveHistory>& histories);

// Returns the recovery that the roles were started with, or a recovery that some roles have written and others have
// not. Returns nothing if there is no recovery. Throws DisagreementError if a role must request the recovery and does
// not, or if the stores do not allow the recovery.
[[nodiscard]] std::optional<OrderEntry> agree_on_recovery(const Topology& topology,
                                                          const std::map<NodeId, LiveHistory>& histories);

// Whether a role consents to the recovery; true if the recovery does not need the role's consent. `recovery_request` is
// the request that the role was started with. `recovered` is set if the role's last number is a recovery.
[[nodiscard]] bool agrees(const OrderRecovery& recovery, const RecoveryRequest& recovery_request,
                          const std::optional<OrderRecovery>& recovered, bool is_party, bool is_actor);

// The checkpoint id of a recovery. The id does not depend on the session, because the epoch is new.
[[nodiscard]] bandit::CheckpointId recovery_id(const OrderEntry& recovery, std::uint32_t epoch);

// The version of a store's layout and of the messages in this file. Roles of different versions do not open an epoch
// together.
inline constexpr std::uint8_t live_store_version = 5;

// This role's part in the handshake: sends the role's description, and computes the opening from the descriptions of
// all roles.
[[nodiscard]] net::Resume resume_live(const Topology& topology, const LiveHistory& mine);

}  // namespace sotto::apps::live
