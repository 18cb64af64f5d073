// How an epoch of the decision service opens: every role describes its history, and all roles compute the same opening
// from the descriptions.
//
//  epoch    one above the highest epoch that any role has opened
//  number   c, the highest number of an entry that all parties have with the same id. An entry that all parties have
//           done is settled, even if no other role knows this. If a party lacks an entry, the other parties roll the
//           entry back: no caller received its arms
//
// If an opening is refused, no role changes anything. An opening is refused if:
// - the parties have no entry in common, or c is more than one below the last number of a party. Every entry of a party
//   before its last entry is settled, so the stores of the parties cannot belong together
// - the actor has done an entry above c, so it has answered callers with arms of that entry
// - the last number of the actor or the rewarder is more than one below c, or their entry is of another history
// - the last number of the rewarder is more than one above c
// - a role has not opened an epoch in which another role has done an entry, so the store of the first role is an old
//   copy
// - the witness (the dealer or the helper) knows of a settled entry above c, so the stores of all other roles are old
//   copies. A service without a witness continues from the old copies
//
// If the last number of the actor or the rewarder is one below c, the parties send entry c again (`restate`). The actor
// receives the same arm lanes as before.
//
// Lost stores. If roles are started with a request for a recovery, the epoch opens with a recovery. The recovery is an
// entry with a number above all numbers that any role knows of. The recovery replaces the entries before it, so an old
// store that is found later is refused. Every role that must consent to a recovery must be started with the request
// (RecoveryRequest). If a role crashes, some roles may have written the recovery and others not; the recovery is then
// repeated under a new number.
// - The model goes back to a copy: every party names the copy, and the copy's id must be equal at all parties. Events
//   that were decided but not learned are dropped. Answers that callers received stay valid.
// - The actor's or the rewarder's store is lost: this role reports the loss, and all other roles that store the order
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

// The recovery that the role's user requested when the role started. Empty after the role has done this recovery.
struct RecoveryRequest {
  bool go_back = false;
  OrderNumber snapshot = 0;
  bandit::CheckpointId model{};
  std::uint64_t learned = 0;
  bandit::SumBits from{};
  bool rebuild = false;
  bool accept_actor = false;
  bool accept_rewarder = false;

  friend bool operator==(const RecoveryRequest&, const RecoveryRequest&) = default;
};

struct LiveHistory {
  bool keeps_order = true;
  std::uint32_t epoch = 0;
  OrderNumber settled = 0;       // the number of the last settled entry; only the dealer and the helper set it
  std::vector<OrderMark> marks;  // of the last one or two entries, ascending
  LiveMode mode = LiveMode::online;
  std::optional<OrderRecovery> recovered{};
  RecoveryRequest recovery_request{};

  friend bool operator==(const LiveHistory&, const LiveHistory&) = default;
};

struct LiveOpening {
  std::uint32_t epoch = 1;
  OrderNumber number = 0;  // c: when the epoch is open, every role has done the entries up to c
  bandit::CheckpointId id{};
  // If set, every role must write the recovery as entry c.
  std::optional<OrderEntry> recovery{};

  friend bool operator==(const LiveOpening&, const LiveOpening&) = default;
};

// At most net::longest_resume bytes.
[[nodiscard]] std::vector<std::byte> encode(const LiveHistory& history);
[[nodiscard]] std::vector<std::byte> encode(const LiveOpening& opening);
[[nodiscard]] std::optional<LiveHistory> decode_live_history(std::span<const std::byte> bytes);
[[nodiscard]] std::optional<LiveOpening> decode_live_opening(std::span<const std::byte> bytes);

// The parties, then the actor (node `outside`), then the rewarder (node `further`) if there is one.
[[nodiscard]] std::vector<NodeId> keepers_of(const Topology& topology);
// Returns nothing if the topology has no dealer and no helper.
[[nodiscard]] std::optional<NodeId> witness_of(const Topology& topology);

// Throws DisagreementError if the opening is refused, and std::invalid_argument if a role is missing.
[[nodiscard]] LiveOpening agree_on_opening(const Topology& topology, const std::map<NodeId, LiveHistory>& histories);

// Returns the recovery that the roles were started with, or a recovery that only some roles have written. Throws
// DisagreementError if a role must request the recovery and does not, or if the stores do not allow the recovery.
[[nodiscard]] std::optional<OrderEntry> agree_on_recovery(const Topology& topology,
                                                          const std::map<NodeId, LiveHistory>& histories);

// Returns true if the role need not consent to the recovery, if the role was started with this consent, or if the role
// has already done such a recovery. `recovered` is set if the role's last entry is a recovery.
[[nodiscard]] bool agrees(const OrderRecovery& recovery, const RecoveryRequest& recovery_request,
                          const std::optional<OrderRecovery>& recovered, bool is_party, bool is_actor);

[[nodiscard]] bandit::CheckpointId recovery_id(const OrderEntry& recovery, std::uint32_t epoch);

// The version of a store's layout and of the messages in this file. Roles of different versions do not open an epoch
// together.
inline constexpr std::uint8_t live_store_version = 5;

[[nodiscard]] net::Resume resume_live(const Topology& topology, const LiveHistory& mine);

}  // namespace sotto::apps::live
