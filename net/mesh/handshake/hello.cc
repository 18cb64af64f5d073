#include "sotto/net/mesh/handshake/hello.h"

#include <fmt/format.h>

#include <stdexcept>
#include <string_view>

#include "sotto/core/error/errors.h"
#include "sotto/net/mesh/handshake/parameters.h"

namespace sotto::net {
namespace {

constexpr std::string_view magic = "sotto/hs";

// 0 is sharing.
constexpr std::uint8_t masking = 1;
constexpr std::uint8_t third_party_masking = 2;

constexpr std::size_t checkpoint_size = sizeof(std::uint64_t) + sizeof(CheckpointId);

std::uint8_t cast_octet(const Hello& hello) {
  if (!hello.masking) return 0;
  return hello.third_party_generator ? third_party_masking : masking;
}

void write(ByteWriter& writer, const Standing& standing) {
  writer.octet(standing.stateful ? 1 : 0);
  writer.octet(static_cast<std::uint8_t>(standing.checkpoints.size()));
  writer.octet(standing.ahead ? 1 : 0);
  writer.zeros(1);
  writer.number(standing.epoch);
  writer.number(standing.begun);
  writer.number(standing.taken);
  for (const CheckpointName& name : standing.checkpoints) {
    writer.number(name.step);
    writer.bytes(name.id);
  }
  writer.zeros((most_checkpoints - standing.checkpoints.size()) * checkpoint_size);
}

std::optional<Standing> read_standing(ByteReader& reader) {
  Standing standing;
  standing.stateful = reader.flag();
  const std::size_t checkpoints = reader.octet();
  if (checkpoints > most_checkpoints) return std::nullopt;
  standing.ahead = reader.flag();
  reader.zeros(1);
  standing.epoch = reader.number<std::uint32_t>();
  standing.begun = reader.number<std::uint64_t>();
  standing.taken = reader.number<std::uint64_t>();
  for (std::size_t i = 0; i < checkpoints; ++i) {
    const auto step = reader.number<std::uint64_t>();
    standing.checkpoints.push_back({step, reader.array<sizeof(CheckpointId)>()});
  }
  reader.zeros((most_checkpoints - checkpoints) * checkpoint_size);
  if (!reader.ok() || !is_valid(standing)) return std::nullopt;
  return standing;
}

}  // namespace

std::vector<std::byte> encode(const Hello& hello) {
  if (hello.parameters.size() > longest_text || hello.announcement.size() > longest_text) {
    throw InputError(fmt::format("the parameters of a run are longer than {} bytes", longest_text));
  }
  if (!is_valid(hello.standing)) throw std::invalid_argument("a standing that no role can have");
  ByteWriter writer;
  writer.text(magic);
  writer.number(hello.version);
  writer.octet(hello.sender);
  writer.octet(hello.parties);
  writer.octet(hello.separate_rewarder ? 1 : 0);
  writer.octet(cast_octet(hello));
  writer.bytes(hello.session);
  writer.bytes(hello.nonce);
  write(writer, hello.standing);
  writer.bytes(sha256(hello.parameters));
  writer.long_text(hello.parameters);
  writer.long_text(hello.announcement);
  std::vector<std::byte> bytes = writer.take();
  if (bytes.size() > longest_hello) {
    throw InputError(
        fmt::format("the parameters and the announcement of a run take more than {} "
                    "bytes",
                    longest_hello));
  }
  return bytes;
}

std::optional<Hello> decode_hello(std::span<const std::byte> payload) {
  ByteReader reader(payload);
  reader.expect(magic);
  Hello hello;
  hello.version = reader.number<std::uint32_t>();
  if (!reader.ok()) return std::nullopt;
  if (hello.version != wire_version) return hello;
  hello.sender = reader.octet();
  hello.parties = reader.octet();
  hello.separate_rewarder = reader.flag();
  const std::uint8_t cast = reader.octet();
  if (cast > third_party_masking) return std::nullopt;
  hello.masking = cast != 0;
  hello.third_party_generator = cast == third_party_masking;
  hello.session = reader.array<16>();
  hello.nonce = reader.array<16>();
  const std::optional<Standing> standing = read_standing(reader);
  if (!standing) return std::nullopt;
  hello.standing = *standing;
  const Digest digest = reader.array<32>();
  hello.parameters = reader.long_text();
  hello.announcement = reader.long_text();
  if (!reader.at_end() || sha256(hello.parameters) != digest) return std::nullopt;
  return hello;
}

std::optional<std::string> difference(const Hello& mine, const Hello& theirs,
                                      const std::string& their_name) {
  if (mine.version != theirs.version) {
    return fmt::format("wire version {} here, {} at {}: install the same sotto everywhere",
                       mine.version, theirs.version, their_name);
  }
  if (mine.session != theirs.session) {
    return fmt::format("{} has another session id: one of the two is left over from another run",
                       their_name);
  }
  if (mine.masking != theirs.masking) {
    const auto program = [](const Hello& hello) { return hello.masking ? "O3M" : "shares"; };
    return fmt::format("a run of {} here, of {} at {}", program(mine), program(theirs), their_name);
  }
  if (mine.third_party_generator != theirs.third_party_generator) {
    const auto who = [](const Hello& hello) {
      return hello.third_party_generator ? "a third party" : "a passive participant";
    };
    return fmt::format("mask_generator is {} here, {} at {}", who(mine), who(theirs), their_name);
  }
  if (mine.parties != theirs.parties) {
    return fmt::format("{} = {} here, {} at {}", mine.masking ? "participants" : "parties",
                       mine.parties, theirs.parties, their_name);
  }
  if (mine.separate_rewarder != theirs.separate_rewarder) {
    return fmt::format("separate_rewarder = {} here, {} at {}", mine.separate_rewarder,
                       theirs.separate_rewarder, their_name);
  }
  return first_difference(mine.parameters, theirs.parameters, their_name);
}

}  // namespace sotto::net
