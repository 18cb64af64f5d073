// The second frame on every link, once all hellos are in: what its sender has heard. It catches who tells different
// peers different things.
//
//     SHA-256 of the parameters without trust      32 bytes
//     the fresh session                            16
//     SHA-256 of each party's announcement         32 each, in party order
//     from the dealer and the parties, length and bytes of the resume point: 8 + at most 256
//     from them, length and text of each owner's announcement: 4 + at most 1,024 each, in the order of owners
//
// Nodes outside the parties do not hear each other: they adopt the resume point and the owners' announcements, if all
// that tell them say the same.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sotto/protocol/mesh/handshake/resume.h"
#include "sotto/protocol/mesh/handshake/session.h"
#include "sotto/protocol/party/topology.h"

namespace sotto::net {

inline constexpr std::size_t longest_of_owner = 1024;  // bytes of an announcement

struct Confirm {
  Digest parameters{};
  SessionId session{};
  std::vector<Digest> announcements;        // by party
  std::optional<ResumeBytes> resume_point;  // of the dealer and the parties
  std::vector<std::string> of_owners{};     // likewise; elsewhere none

  friend bool operator==(const Confirm&, const Confirm&) = default;
};

[[nodiscard]] std::size_t longest_confirm(const Topology& topology, NodeId sender);
[[nodiscard]] std::vector<std::byte> encode(const Confirm& confirm);
// Nothing if the payload is no confirm of that sender.
[[nodiscard]] std::optional<Confirm> decode_confirm(std::span<const std::byte> payload, const Topology& topology,
                                                    NodeId sender);

// What differs, in one phrase, between two that have the same session; nothing if both have heard the same. Resume
// points and what owners announced are compared where both have them, and points shown as `describe` says. Another
// session is no disagreement: so it is where a role was started anew when some of its peers had confirmed already.
[[nodiscard]] std::optional<std::string> difference(const Confirm& mine, const Confirm& theirs,
                                                    const std::string& my_name, const std::string& their_name,
                                                    const decltype(Resume::describe)& describe);

}  // namespace sotto::net
