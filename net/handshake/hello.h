// The first frame on every link: who speaks, in which session, with which parameters.
//
//     magic "sotto/hs"  8 bytes        session                         16 bytes
//     wire version      4              SHA-256 of the parameters       32
//     sender            1              length and text of the parameters     4 + at most 64 KiB
//     parties           1              length and text of the announcement   4 + at most 64 KiB
//     own rewarder      1
//     zero              1
//
// The parameters are the static config of the run in a canonical text, one "key = value" a line,
// the same at all roles; the text travels so that a disagreement can name the line. An announcement
// is what a compute party alone knows and all must: columns, rows, norm bound.
//
// After all hellos a `confirm` frame holds the digest of the parameters and of each party's
// announcement: it catches who tells different peers different things.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/party/topology.h"

namespace sotto::net {

inline constexpr std::uint32_t wire_version = 1;
inline constexpr std::size_t longest_text = 64 * 1024;
inline constexpr std::size_t longest_hello = 128 + 2 * longest_text;

using SessionId = std::array<std::byte, 16>;
using Digest = std::array<std::byte, 32>;

[[nodiscard]] Digest sha256(std::string_view text);

// What the digest field of every chunk holds: the session and the epoch, hashed.
[[nodiscard]] std::uint64_t epoch_digest(const SessionId& session, std::uint32_t epoch);

struct Hello {
  std::uint32_t version = wire_version;
  NodeId sender = 0;
  std::uint8_t parties = 0;
  bool separate_rewarder = false;
  SessionId session{};
  std::string parameters;
  std::string announcement;
};

// Throws InputError if a text is longer than the cap.
[[nodiscard]] std::vector<std::byte> encode(const Hello& hello);

// Nothing if the bytes are no hello. Of a hello of another version only the version is read.
[[nodiscard]] std::optional<Hello> decode_hello(std::span<const std::byte> payload);

// What differs between this role's hello and a peer's, in one phrase such as "epsilon = 0.1 here,
// 0.2 at party 1"; nothing if they can work together.
[[nodiscard]] std::optional<std::string> difference(const Hello& mine, const Hello& theirs,
                                                    const std::string& their_name);

// The payload of a confirm frame: the digest of the parameters, then of each announcement in party
// order.
[[nodiscard]] std::vector<std::byte> encode_confirm(const std::string& parameters,
                                                    std::span<const std::string> announcements);

}  // namespace sotto::net
