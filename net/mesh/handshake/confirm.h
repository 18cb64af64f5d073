// The second frame on every link, once all hellos are in: what its sender has heard. It catches who tells different
// peers different things.
//
//     SHA-256 of the parameters                    32 bytes
//     the fresh session                            16
//     SHA-256 of each party's announcement         32 each, in party order
//     from the dealer and the parties, length and bytes of the resume point: 8 + at most 256
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sotto/net/mesh/handshake/resume.h"
#include "sotto/net/mesh/handshake/session.h"

namespace sotto::net {

struct Confirm {
  Digest parameters{};
  SessionId session{};
  std::vector<Digest> announcements;        // by party
  std::optional<ResumeBytes> resume_point;  // of the dealer and the parties

  friend bool operator==(const Confirm&, const Confirm&) = default;
};

[[nodiscard]] std::size_t longest_confirm(const Topology& topology, NodeId sender);
[[nodiscard]] std::vector<std::byte> encode(const Confirm& confirm);
// Nothing if the payload is no confirm of that sender.
[[nodiscard]] std::optional<Confirm> decode_confirm(std::span<const std::byte> payload, const Topology& topology,
                                                    NodeId sender);

// What differs, in one phrase, between two that have the same session; nothing if both have heard the same. Resume points
// are compared where both have one, and shown as `describe` says. Another session is no disagreement: so it is where a
// role was started anew when some of its peers had confirmed already.
[[nodiscard]] std::optional<std::string> difference(const Confirm& mine, const Confirm& theirs,
                                                    const std::string& my_name, const std::string& their_name,
                                                    const decltype(Resume::describe)& describe);

}  // namespace sotto::net
