// What a doctor makes of what it has heard of one peer.
#pragma once

#include <chrono>
#include <string>

#include "sotto/apps/kit/deploy/finding.h"
#include "sotto/net/mesh/handshake/inquiry.h"

namespace sotto::apps {

// Clocks further apart than this are warned about: certificates are valid by the clock, and logs of several machines
// are read side by side.
inline constexpr std::chrono::seconds clocks_apart{5};

// An inquiry that has ended, or was given up.
struct PeerSeen {
  std::string name;  // "party 1"
  NodeId id = 0;
  std::string address;
  net::Inquiry::State state = net::Inquiry::State::unreachable;
  bool resolved = true;
  std::string trouble;
  std::string fingerprint;
  net::Probe answer{};
  std::chrono::microseconds ahead{};
  std::chrono::microseconds uncertainty{};
};

[[nodiscard]] PeerSeen seen(const net::Inquiry& inquiry, const std::string& name);

// One finding for each thing that could be checked: port, certificate, version, clock, parameters. `mine` is what this
// role says of itself. Of a peer that was not reached only that.
[[nodiscard]] Findings judge(const PeerSeen& peer, const net::Probe& mine, const Topology& topology);

}  // namespace sotto::apps
