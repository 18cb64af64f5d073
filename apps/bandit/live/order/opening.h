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
//   - the dealer was told of a number that stays, and c is below: old copies of all others
// Actor or rewarder may be one behind: they are told the number again (`restate`), the actor with the same arm lanes.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "sotto/apps/bandit/live/order/chain.h"
#include "sotto/net/mesh/handshake/resume.h"

namespace sotto::apps {

// Of a role, as read after its last epoch has ended.
struct LiveStanding {
  bool keeps_order = true;       // every role but the dealer
  std::uint32_t epoch = 0;       // the last that it opened
  OrderNumber settled = 0;       // the dealer: that the actor told it
  std::vector<OrderMark> marks;  // others: of the last one or two numbers, the later last

  friend bool operator==(const LiveStanding&, const LiveStanding&) = default;
};

struct LiveOpening {
  std::uint32_t epoch = 1;
  OrderNumber number = 0;  // c
  CheckpointId id{};       // its id

  friend bool operator==(const LiveOpening&, const LiveOpening&) = default;
};

// At most net::longest_resume bytes.
[[nodiscard]] std::vector<std::byte> encode(const LiveStanding& standing);
[[nodiscard]] std::vector<std::byte> encode(const LiveOpening& opening);
// Nothing if the bytes are none that a role may say.
[[nodiscard]] std::optional<LiveStanding> decode_live_standing(std::span<const std::byte> bytes);
[[nodiscard]] std::optional<LiveOpening> decode_live_opening(std::span<const std::byte> bytes);

// The parties are nodes 0, 1, ..., the actor is the outside node, the rewarder the further one where there is one, and
// the dealer net::dealer_id. Throws DisagreementError if the opening is refused, std::invalid_argument if a role is
// missing.
[[nodiscard]] LiveOpening agree_on_opening(const Topology& topology, const std::map<NodeId, LiveStanding>& standings);

// For the handshake.
[[nodiscard]] net::Resume resume_live(const Topology& topology, const LiveStanding& mine);

}  // namespace sotto::apps
