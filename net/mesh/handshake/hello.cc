#include "sotto/protocol/mesh/handshake/hello.h"

#include <fmt/format.h>
#include <openssl/rand.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <set>
#include <stdexcept>
#include <utility>

#include "core/text/terminal_safe.h"
#include "sotto/protocol/error/errors.h"
#include "sotto/protocol/mesh/peers.h"
#include "sotto/protocol/wire/hash.h"

namespace sotto::net {
namespace {

constexpr std::string_view hello_magic = "sotto/hs";

// One octet of a hello says which roles the run has. The octet is 0 in a run with a dealer. Without a dealer, it is 1,
// plus the values below if the run has a further node or a helper.
constexpr std::uint8_t no_dealer = 1;
constexpr std::uint8_t and_a_further_node = 1;
constexpr std::uint8_t and_a_helper = 2;
constexpr std::uint8_t most_without_dealer = no_dealer + and_a_further_node + and_a_helper;

std::uint8_t octet_without_dealer(const Hello& hello) {
  if (hello.dealer) return 0;
  return static_cast<std::uint8_t>(no_dealer + (hello.further_node ? and_a_further_node : 0) +
                                   (hello.helper ? and_a_helper : 0));
}

std::string kind_of(const Hello& hello) {
  return fmt::format("a run with{}{}",
                     hello.helper   ? " a helper"
                     : hello.dealer ? " a dealer"
                                    : "out a dealer",
                     hello.further_node ? " and with a further node" : "");
}

struct Line {
  std::string_view key;
  std::size_t place = 0;  // index among the lines with the same key
  std::string_view value;
  bool has_value = false;
};

std::vector<Line> lines_of(std::string_view text) {
  std::vector<Line> lines;
  std::map<std::string_view, std::size_t> places;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    const std::size_t equals = line.find(" = ");
    const bool has_value = equals != std::string_view::npos;
    const std::string_view key = line.substr(0, equals);
    lines.push_back({key, places[key]++, has_value ? line.substr(equals + 3) : std::string_view(), has_value});
  }
  return lines;
}

using ByKey = std::map<std::pair<std::string_view, std::size_t>, std::string_view>;

ByKey by_key(const std::vector<Line>& lines) {
  ByKey values;
  for (const Line& line : lines) values.emplace(std::pair(line.key, line.place), line.value);
  return values;
}

std::string shown(std::string_view text) { return terminal_safe(text, 100); }

std::string shown_key(const ByKey& here, const ByKey& there, const Line& line) {
  const std::pair second(line.key, std::size_t{1});
  const bool is_list = here.contains(second) || there.contains(second);
  return is_list ? fmt::format("{} {}", shown(line.key), line.place + 1) : shown(line.key);
}

bool is_trust(std::string_view key) { return key.starts_with("trust_"); }

std::set<std::string_view> words_of(std::string_view text) {
  std::set<std::string_view> words;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(word.size() + 1, text.size()));
    words.insert(word);
  }
  return words;
}

// Two lists of fingerprints agree if they share a fingerprint.
bool agree(std::string_view key, std::string_view mine, std::string_view theirs) {
  if (mine == theirs || !is_trust(key)) return mine == theirs;
  const std::set<std::string_view> known = words_of(theirs);
  const std::set<std::string_view> words = words_of(mine);
  return std::any_of(words.begin(), words.end(), [&](std::string_view word) { return known.contains(word); });
}

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

std::vector<std::byte> encode(const Hello& hello) {
  if (hello.parameters.size() > longest_text || hello.announcement.size() > longest_text) {
    throw InputError(fmt::format("the parameters of a run are longer than {} bytes", longest_text));
  }
  if (hello.resume_state.size() > longest_resume) throw std::invalid_argument("a resume state is too long");
  ByteWriter writer;
  writer.text(hello_magic);
  writer.number(hello.version);
  writer.octet(hello.sender);
  writer.octet(hello.parties);
  writer.octet(hello.dealer && hello.further_node ? 1 : 0);
  writer.octet(octet_without_dealer(hello));
  writer.octet(hello.owners);
  writer.bytes(hello.session);
  writer.bytes(hello.nonce);
  writer.numbers(std::span(hello.resume_state));
  writer.bytes(sha256(hello.parameters));
  writer.long_text(hello.parameters);
  writer.long_text(hello.announcement);
  std::vector<std::byte> bytes = writer.take();
  if (bytes.size() > longest_hello) {
    throw InputError(
        fmt::format("the parameters and the announcement of a run take more than {} bytes", longest_hello));
  }
  return bytes;
}

std::optional<Hello> decode_hello(std::span<const std::byte> payload) {
  ByteReader reader(payload);
  reader.expect(hello_magic);
  Hello hello;
  hello.version = reader.number<std::uint32_t>();
  if (!reader.ok()) return std::nullopt;
  if (hello.version != wire_version) return hello;
  hello.sender = reader.octet();
  hello.parties = reader.octet();
  const bool beside_the_dealer = reader.flag();
  const std::uint8_t without_dealer = reader.octet();
  if (without_dealer > most_without_dealer) return std::nullopt;
  hello.dealer = without_dealer == 0;
  if (!hello.dealer && beside_the_dealer) return std::nullopt;
  const int beside = hello.dealer ? 0 : without_dealer - no_dealer;
  hello.further_node = beside_the_dealer || beside % 2 == and_a_further_node;
  hello.helper = beside >= and_a_helper;
  hello.owners = reader.octet();
  hello.session = reader.array<16>();
  hello.nonce = reader.array<16>();
  hello.resume_state = reader.numbers<std::byte>();
  if (hello.resume_state.size() > longest_resume) return std::nullopt;
  const Digest digest = reader.array<32>();
  hello.parameters = reader.long_text();
  hello.announcement = reader.long_text();
  if (!reader.at_end() || sha256(hello.parameters) != digest) return std::nullopt;
  return hello;
}

std::optional<std::string> difference(const Hello& mine, const Hello& theirs, const std::string& their_name) {
  if (mine.version != theirs.version) {
    return fmt::format("wire version {} here, {} at {}: install the same sotto everywhere", mine.version,
                       theirs.version, their_name);
  }
  if (mine.session != theirs.session) {
    return fmt::format("{} has another session id: one of the two is left over from another run", their_name);
  }
  if (auto what = first_difference(mine.parameters, theirs.parameters, their_name)) return what;
  if (mine.parties != theirs.parties) {
    return fmt::format("parties = {} here, {} at {}", mine.parties, theirs.parties, their_name);
  }
  if (mine.owners != theirs.owners) {
    return fmt::format("owners = {} here, {} at {}", mine.owners, theirs.owners, their_name);
  }
  if (mine.dealer != theirs.dealer || mine.helper != theirs.helper || mine.further_node != theirs.further_node) {
    return fmt::format("{} here, {} at {}", kind_of(mine), kind_of(theirs), their_name);
  }
  return std::nullopt;
}

std::optional<std::string> first_difference(std::string_view mine, std::string_view theirs,
                                            const std::string& their_name) {
  if (mine == theirs) return std::nullopt;
  const std::vector<Line> lines_here = lines_of(mine);
  const std::vector<Line> lines_there = lines_of(theirs);
  const ByKey here = by_key(lines_here);
  const ByKey there = by_key(lines_there);
  for (const Line& line : lines_here) {
    const auto other = there.find(std::pair(line.key, line.place));
    if (other != there.end() && agree(line.key, line.value, other->second)) continue;
    const std::string key = shown_key(here, there, line);
    if (other == there.end()) return fmt::format("{} = {} here, not set at {}", key, shown(line.value), their_name);
    return fmt::format("{} = {} here, {} at {}", key, shown(line.value), shown(other->second), their_name);
  }
  for (const Line& line : lines_there) {
    if (here.contains(std::pair(line.key, line.place))) continue;
    return fmt::format("{} is not set here, {} at {}", shown_key(here, there, line), shown(line.value), their_name);
  }
  if (without_trust(mine) == without_trust(theirs)) return std::nullopt;
  return fmt::format("the parameters are in another order at {}", their_name);
}

std::string without_trust(std::string_view parameters) {
  std::string rest;
  for (const Line& line : lines_of(parameters)) {
    if (is_trust(line.key)) continue;
    rest.append(line.key).append(line.has_value ? " = " : "").append(line.value).append("\n");
  }
  return rest;
}

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
