// The hello: the first frame on every link.
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
// The parameters are the static config of the run, one "key = value" on each line, the same at all roles. Roles send
// the whole text, so that an error can name the line that differs.
//
// The value of a line such as "trust_party_0" is a list of fingerprints. Two such lines agree if they share a
// fingerprint, so a role can change its key while other roles trust the old and the new key. An announcement states
// facts that all roles need, but only a compute party or an owner knows: columns, rows, norm bound.
//
// Magic and wire version have the same position in every version. No other version sends a longer hello than this
// version allows. So a role recognises peers of other versions.
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

// The session of the links is SHA-256, cut to 16 bytes, over the config's session and over 16 fresh bytes from the
// dealer and from each party. If the random generator of one of these roles works, the session of the links never
// repeats, even if the config's session is used again.

using SessionId = std::array<std::byte, 16>;
using Nonce = std::array<std::byte, 16>;
using Digest = std::array<std::byte, 32>;

using sotto::sha256;

// Throws ResourceError if the system gives no random bytes.
[[nodiscard]] Nonce fresh_nonce();
// A nonce for runs that must repeat exactly; anybody can compute the nonce.
[[nodiscard]] Nonce insecure_nonce(std::uint64_t number, NodeId role);

// True for the dealer or the helper, and for the compute parties.
[[nodiscard]] bool makes_the_session(const Topology& topology, NodeId role);

// The hash of the config's session and the nonces of the roles in makes_the_session(). Throws std::out_of_range if one
// of these nonces is missing.
[[nodiscard]] SessionId fresh_session(const Topology& topology, const SessionId& of_config,
                                      const std::map<NodeId, Nonce>& nonces);

// The digest field of every chunk: a hash of session and epoch.
[[nodiscard]] std::uint64_t epoch_digest(const SessionId& session, std::uint32_t epoch);

[[nodiscard]] std::string text_of(const SessionId& session);

// Resume: how a program continues a run that was started before. A state or a resume point is bytes that only the
// program interprets.
//
// Every role sends its state in its hello. The dealer and each party compute the resume point from all states, and
// compare their resume points in `confirm` frames. All other nodes adopt this resume point.

inline constexpr std::size_t longest_resume = 256;  // bytes of a state or resume point

using ResumeBytes = std::vector<std::byte>;
using ResumeStates = std::map<NodeId, ResumeBytes>;  // by role, the dealer under dealer_id

struct Resume {
  ResumeBytes state{};
  // Returns the resume point for the states of all roles. The result must be the same at each role. Throws
  // DisagreementError if the states do not fit together, and ProtocolError if a role sends bytes that are not a state.
  std::function<ResumeBytes(const ResumeStates& states)> agree = [](const ResumeStates&) { return ResumeBytes(); };
  // Describes a resume point, which may be any bytes from a peer, for the text "party 0 would open ...".
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
  SessionId session{};
  Nonce nonce{};
  ResumeBytes resume_state{};
  std::string parameters;
  std::string announcement;

  friend bool operator==(const Hello&, const Hello&) = default;
};

// Throws InputError if a text or the hello is too long, and std::invalid_argument if the resume state is longer than
// longest_resume.
[[nodiscard]] std::vector<std::byte> encode(const Hello& hello);

// Returns nothing if the bytes are not a hello. In a hello of another version, only the version is read.
[[nodiscard]] std::optional<Hello> decode_hello(std::span<const std::byte> payload);

// The difference between this role's hello and a peer's, such as "epsilon = 0.1 here, 0.2 at party 1"; nothing if the
// roles can work together.
[[nodiscard]] std::optional<std::string> difference(const Hello& mine, const Hello& theirs,
                                                    const std::string& their_name);

// The first line of `mine` that is missing or different in `theirs`. If there is no such line, the first line that is
// only in `theirs`. Nothing if the texts agree. Lines with the same key are compared one by one and numbered, as in
// "arm 2 = sale here, card at party 1". Text from the peer is cut and made safe for a terminal.
[[nodiscard]] std::optional<std::string> first_difference(std::string_view mine, std::string_view theirs,
                                                          const std::string& their_name);

// The lines that must be equal byte for byte: all except the lines about trust.
[[nodiscard]] std::string without_trust(std::string_view parameters);

}  // namespace sotto::net
