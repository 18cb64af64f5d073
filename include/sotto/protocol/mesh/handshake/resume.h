// How a program goes on where an earlier start of its run has ended. The handshake carries the program's bytes, and
// reads none of them.
//
// Every role says its state in its hello. The dealer and the parties, who hear everybody, each derive the resume point
// from all states and compare it in their confirms; other nodes, which do not hear each other, adopt it.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "sotto/protocol/party/topology.h"
#include "sotto/protocol/wire/hex.h"

namespace sotto::net {

inline constexpr std::size_t longest_resume = 256;  // bytes of a state or a point

using ResumeBytes = std::vector<std::byte>;
using ResumeStates = std::map<NodeId, ResumeBytes>;  // the dealer's under dealer_id

struct Resume {
  ResumeBytes state{};  // of this role
  // The point that follows from the states of all roles, the same at each. Throws DisagreementError where they do not
  // fit together, ProtocolError where a role says what is no state.
  std::function<ResumeBytes(const ResumeStates& states)> agree = [](const ResumeStates&) { return ResumeBytes(); };
  // A point in a few words that may follow "party 0 would open", whatever bytes a peer has sent.
  std::function<std::string(std::span<const std::byte> point)> describe = [](std::span<const std::byte> point) {
    return hex(point);
  };
};

}  // namespace sotto::net
