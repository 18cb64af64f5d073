#include "sotto/net/mesh/handshake/hello.h"

#include <fmt/format.h>

#include <stdexcept>

#include "sotto/core/error/errors.h"
#include "sotto/core/text/terminal_safe.h"

namespace sotto::net {
namespace {

constexpr std::string_view hello_magic = "sotto/hs";

// 0 is a run with a dealer, where an octet of its own says whether there is a further node. Without one: 1, and 1 more with a
// further node, 2 more with a helper.
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
  std::string_view value;
};

std::vector<Line> lines_of(std::string_view text) {
  std::vector<Line> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    const std::size_t equals = line.find(" = ");
    if (equals == std::string_view::npos) {
      lines.push_back({line, {}});
    } else {
      lines.push_back({line.substr(0, equals), line.substr(equals + 3)});
    }
  }
  return lines;
}

const Line* find(const std::vector<Line>& lines, std::string_view key) {
  for (const Line& line : lines) {
    if (line.key == key) return &line;
  }
  return nullptr;
}

std::string shown(std::string_view text) { return printable(text, 100); }

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
  const std::vector<Line> here = lines_of(mine);
  const std::vector<Line> there = lines_of(theirs);
  for (const Line& line : here) {
    const Line* other = find(there, line.key);
    if (other == nullptr) {
      return fmt::format("{} = {} here, not set at {}", shown(line.key), shown(line.value), their_name);
    }
    if (other->value != line.value) {
      return fmt::format("{} = {} here, {} at {}", shown(line.key), shown(line.value), shown(other->value), their_name);
    }
  }
  for (const Line& line : there) {
    if (find(here, line.key) == nullptr) {
      return fmt::format("{} is not set here, {} at {}", shown(line.key), shown(line.value), their_name);
    }
  }
  return fmt::format("the parameters are in another order at {}", their_name);
}

}  // namespace sotto::net
