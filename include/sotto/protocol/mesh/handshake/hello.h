// The hello is the first frame on every link. A hello has the sender, its session, its parameters, and its state from
// earlier starts of the run.
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
// The parameters are the static config of the run in a canonical text, the same at all roles, with one "key = value" on
// each line. The first line names the program and its version. The whole text is sent, so that the error of a
// disagreement can name the line.
//
// The value of a line such as "trust_party_0" is a list of fingerprints: two such lines agree if they have a
// fingerprint in common. So a role of a service can change its key while the other roles trust both the old key and the
// new key. An announcement has the facts that only a compute party or an owner knows and all roles must know: columns,
// rows, norm bound.
//
// Magic and wire version have the same position in every version, and no version sends a longer hello. So a role can
// recognise a peer of another version.
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

// The session of a run: the number that distinguishes it from every other run.
//
// The config's session id says which run is meant. The same session id may be used again, by mistake or to resume. The
// session of the links is new each time: SHA-256 over the config's session and 16 fresh bytes of the dealer and of each
// party, cut to 16 bytes. The session of the links does not repeat as long as the dealer or one party takes its bytes
// from a working generator.

using SessionId = std::array<std::byte, 16>;
using Nonce = std::array<std::byte, 16>;
using Digest = std::array<std::byte, 32>;

using sotto::sha256;

// Throws ResourceError if the system gives no random bytes.
[[nodiscard]] Nonce fresh_nonce();
// A nonce for runs that must repeat exactly. Anybody can repeat a run with such nonces.
[[nodiscard]] Nonce insecure_nonce(std::uint64_t number, NodeId role);

// True for the dealer or the helper, and for the compute parties. Every role receives the hellos of these roles.
[[nodiscard]] bool makes_the_session(const Topology& topology, NodeId role);

// The hash of the config's session and of the nonces of the roles that make the session (makes_the_session). The nonces
// of other roles are ignored. Throws std::out_of_range if the nonce of a role that makes the session is missing.
[[nodiscard]] SessionId fresh_session(const Topology& topology, const SessionId& of_config,
                                      const std::map<NodeId, Nonce>& nonces);

// The digest field of every chunk: the session and the epoch, hashed.
[[nodiscard]] std::uint64_t epoch_digest(const SessionId& session, std::uint32_t epoch);

// 32 hex digits.
[[nodiscard]] std::string text_of(const SessionId& session);

// How a program continues from the point where an earlier start of its run has ended. The handshake transmits bytes
// that only the program interprets.
//
// Every role sends its state in its hello. The dealer and the parties receive the states of all roles. The dealer and
// each party derive the resume point from all states, and compare their points in `confirm` frames. All other nodes do
// not receive each other's states, and adopt the resume point.

inline constexpr std::size_t longest_resume = 256;  // the longest state or resume point, in bytes

using ResumeBytes = std::vector<std::byte>;
using ResumeStates = std::map<NodeId, ResumeBytes>;  // by role; the dealer's state is under dealer_id

struct Resume {
  ResumeBytes state{};  // the state of this role
  // Returns the resume point that follows from the states of all roles, the same at each role. Throws DisagreementError
  // if the states do not fit together, and ProtocolError if a role sends bytes that are not a state.
  std::function<ResumeBytes(const ResumeStates& states)> agree = [](const ResumeStates&) { return ResumeBytes(); };
  // Describes a resume point in a few words that can follow "party 0 would open". A peer may have sent any bytes as the
  // resume point.
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
  SessionId session{};  // the session of the config
  Nonce nonce{};
  ResumeBytes resume_state{};
  std::string parameters;
  std::string announcement;

  friend bool operator==(const Hello&, const Hello&) = default;
};

// Throws InputError if a text is longer than its limit, or if the whole hello is longer than longest_hello. Throws
// std::invalid_argument if the resume state is longer than longest_resume.
[[nodiscard]] std::vector<std::byte> encode(const Hello& hello);

// Returns nothing if the bytes are not a hello. In a hello of another version only the version is read.
[[nodiscard]] std::optional<Hello> decode_hello(std::span<const std::byte> payload);

// The difference between this role's hello and a peer's, in one phrase such as "epsilon = 0.1 here, 0.2 at party 1".
// Returns nothing if the two roles can work together.
[[nodiscard]] std::optional<std::string> difference(const Hello& mine, const Hello& theirs,
                                                    const std::string& their_name);

// The first difference of two texts of parameters, such as "epsilon = 0.1 here, 0.2 at party 1". The first difference
// is the first line of `mine` that `theirs` lacks or has with another value, else the first line that only `theirs`
// has. Several lines with the same key are a list: they are compared in their order and numbered from 1, as in "arm 2 =
// sale here, card at party 1". Returns nothing if the texts agree. Text from the peer is cut and made safe for a
// terminal.
[[nodiscard]] std::optional<std::string> first_difference(std::string_view mine, std::string_view theirs,
                                                          const std::string& their_name);

// The lines of a text of parameters that must be equal byte for byte: all lines except the lines about trust.
[[nodiscard]] std::string without_trust(std::string_view parameters);

}  // namespace sotto::net
