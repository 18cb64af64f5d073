#include "sotto/protocol/mesh/handshake/session.h"

#include <fmt/format.h>
#include <openssl/rand.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "sotto/protocol/error/errors.h"
#include "sotto/protocol/mesh/peers.h"
#include "sotto/protocol/wire/hex.h"

namespace sotto::net {
namespace {

template <std::size_t Size>
std::string bytes_of(const std::array<std::byte, Size>& array) {
  return std::string(reinterpret_cast<const char*>(array.data()), Size);
}

std::array<std::byte, 16> first_half(const Digest& digest) {
  std::array<std::byte, 16> result;
  std::copy_n(digest.begin(), result.size(), result.begin());
  return result;
}

}  // namespace

Nonce fresh_nonce() {
  Nonce nonce;
  if (RAND_bytes(reinterpret_cast<unsigned char*>(nonce.data()), static_cast<int>(nonce.size())) != 1) {
    throw ResourceError("the operating system's random generator gave no bytes; check getrandom and /dev/urandom");
  }
  return nonce;
}

Nonce insecure_nonce(std::uint64_t number, NodeId role) {
  return first_half(sha256(fmt::format("sotto nonce of {}, role {}", number, int{role})));
}

bool makes_the_session(const Topology& topology, NodeId role) {
  return role == dealer_id || topology.is_party(role) || topology.is_helper(role);
}

SessionId fresh_session(const Topology& topology, const SessionId& of_config, const std::map<NodeId, Nonce>& nonces) {
  std::string text = bytes_of(of_config);
  if (topology.has_dealer()) text += bytes_of(nonces.at(dealer_id));
  for (NodeId party = 0; party < topology.parties(); ++party) text += bytes_of(nonces.at(party));
  if (topology.has_helper()) text += bytes_of(nonces.at(topology.helper()));
  return first_half(sha256(text));
}

std::uint64_t epoch_digest(const SessionId& session, std::uint32_t epoch) {
  const Digest digest = sha256(bytes_of(session) + fmt::format("epoch {}", epoch));
  std::uint64_t result;
  std::memcpy(&result, digest.data(), sizeof result);
  return result;
}

std::string text_of(const SessionId& session) { return hex(session); }

}  // namespace sotto::net
