// The first frame on every link: who speaks, in which session, with which parameters, and what is left of earlier
// tries.
//
//     magic "sotto/hs"  8 bytes          nonce                               16 bytes
//     wire version      4                length and bytes of the resume state 8 + at most 256
//     sender            1                SHA-256 of the parameters           32
//     parties           1                length and text of the parameters    4 + at most 64 KiB
//     further, dealer   1                length and text of the announcement  4 + at most 64 KiB
//     no dealer         1
//     owners            1
//     session of the config  16
//
// The parameters are the static config of the run in a canonical text, one "key = value" a line, the same at all roles,
// the first of which names the program and its version; the text travels so that a disagreement can name the line. The
// value of "trust_party_0" is a list of fingerprints: two such lines agree if they share one, so that a role of a
// service can change its key while the others trust the old one and the new one. An announcement is what a compute
// party or an owner alone knows and all must: columns, rows, norm bound.
//
// Magic and version stand in the same place in every version, and no version sends a longer hello, so that roles of two
// versions can tell each other apart.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sotto/protocol/party/topology.h"
#include "sotto/protocol/wire/coding.h"
#include "sotto/protocol/wire/hash.h"

namespace sotto::net {

// The session of a run: the number that tells it from every other run.
//
// The config's session id says which run is meant; it may be used again, by mistake or to resume. The session of the
// links is made afresh each time: SHA-256 over the config's and 16 fresh bytes of the dealer and of each party, cut to
// 16 bytes. It does not come again as long as one of them takes its bytes from a working generator.

using SessionId = std::array<std::byte, 16>;
using Nonce = std::array<std::byte, 16>;
using Digest = std::array<std::byte, 32>;

using sotto::sha256;

// Throws ResourceError if the system gives no random bytes.
[[nodiscard]] Nonce fresh_nonce();
// For runs that must repeat exactly, and that anybody can then repeat.
[[nodiscard]] Nonce insecure_nonce(std::uint64_t number, NodeId role);

// True of the dealer or the helper, and of the compute parties: every role hears them.
[[nodiscard]] bool makes_the_session(const Topology& topology, NodeId role);

// From the config's session and the nonces of the roles that make the session; those of others do not count. Throws
// std::out_of_range if one is missing.
[[nodiscard]] SessionId fresh_session(const Topology& topology, const SessionId& of_config,
                                      const std::map<NodeId, Nonce>& nonces);

// What the digest field of every chunk holds: the session and the epoch, hashed.
[[nodiscard]] std::uint64_t epoch_digest(const SessionId& session, std::uint32_t epoch);

// 32 hex digits.
[[nodiscard]] std::string text_of(const SessionId& session);

// How a program goes on where an earlier start of its run has ended. The handshake carries the program's bytes, and
// reads none of them.
//
// Every role says its state in its hello. The dealer and the parties, who hear everybody, each derive the resume point
// from all states and compare it in their confirms; other nodes, which do not hear each other, adopt it.

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

inline constexpr std::uint32_t wire_version = 6;
inline constexpr std::size_t longest_hello = 128 + 2 * longest_text;

struct Hello {
  std::uint32_t version = wire_version;
  NodeId sender = 0;
  std::uint8_t parties = 0;
  bool dealer = true;
  bool helper = false;
  bool further_node = false;
  std::uint8_t owners = 0;
  SessionId session{};  // the config's
  Nonce nonce{};
  ResumeBytes resume_state{};
  std::string parameters;
  std::string announcement;

  friend bool operator==(const Hello&, const Hello&) = default;
};

// Throws InputError if a text is longer than the cap or the whole than longest_hello, std::invalid_argument if the
// resume state is longer than longest_resume.
[[nodiscard]] std::vector<std::byte> encode(const Hello& hello);

// Nothing if the bytes are no hello. Of a hello of another version only the version is read.
[[nodiscard]] std::optional<Hello> decode_hello(std::span<const std::byte> payload);

// What differs between this role's hello and a peer's, in one phrase such as "epsilon = 0.1 here, 0.2 at party 1";
// nothing if they can work together.
[[nodiscard]] std::optional<std::string> difference(const Hello& mine, const Hello& theirs,
                                                    const std::string& their_name);

// Of two texts of parameters, the first line of `mine` that `theirs` lacks or has otherwise, else the first that only
// `theirs` has: "epsilon = 0.1 here, 0.2 at party 1". Lines of one key are a list, whose lines are compared in their
// order and numbered from 1: "arm 2 = sale here, card at party 1". Nothing if the texts agree. What comes from the peer
// is cut and made safe for a terminal.
[[nodiscard]] std::optional<std::string> first_difference(std::string_view mine, std::string_view theirs,
                                                          const std::string& their_name);

// The lines of a text of parameters that must be the same to the byte: all but whom to trust.
[[nodiscard]] std::string without_trust(std::string_view parameters);

}  // namespace sotto::net
