#include "sotto/net/mesh/handshake/confirm.h"

#include <fmt/format.h>

#include "sotto/core/text/count.h"
#include "sotto/core/wire/coding.h"
#include "sotto/net/mesh/peers.h"

namespace sotto::net {
namespace {

constexpr std::size_t opening_size = 4 + 8 + 8 + 8 + sizeof(CheckpointId);

std::string text_of(const Opening& opening) {
  return fmt::format("epoch {} from step {}, {} repeated", opening.epoch, opening.from_step,
                     counted(opening.repeated, "step"));
}

}  // namespace

std::size_t confirm_size(const Topology& topology, NodeId sender) {
  return sizeof(Digest) + sizeof(SessionId) + topology.parties() * sizeof(Digest) +
         (makes_the_session(topology, sender) ? opening_size : 0);
}

std::vector<std::byte> encode(const Confirm& confirm) {
  ByteWriter writer;
  writer.bytes(confirm.parameters);
  writer.bytes(confirm.session);
  for (const Digest& announcement : confirm.announcements) writer.bytes(announcement);
  if (confirm.opening) {
    writer.number(confirm.opening->epoch);
    writer.number(confirm.opening->from_step);
    writer.number(confirm.opening->repeated);
    writer.number(confirm.opening->taken);
    writer.bytes(confirm.opening->from_id);
  }
  return writer.take();
}

std::optional<Confirm> decode_confirm(std::span<const std::byte> payload, const Topology& topology,
                                      NodeId sender) {
  if (payload.size() != confirm_size(topology, sender)) return std::nullopt;
  ByteReader reader(payload);
  Confirm confirm;
  confirm.parameters = reader.array<32>();
  confirm.session = reader.array<16>();
  for (std::size_t party = 0; party < topology.parties(); ++party) {
    confirm.announcements.push_back(reader.array<32>());
  }
  if (makes_the_session(topology, sender)) {
    Opening& opening = confirm.opening.emplace();
    opening.epoch = reader.number<std::uint32_t>();
    opening.from_step = reader.number<std::uint64_t>();
    opening.repeated = reader.number<std::uint64_t>();
    opening.taken = reader.number<std::uint64_t>();
    opening.from_id = reader.array<sizeof(CheckpointId)>();
  }
  return confirm;
}

std::optional<std::string> difference(const Confirm& mine, const Confirm& theirs,
                                      const std::string& my_name, const std::string& their_name) {
  if (mine.parameters != theirs.parameters) {
    return fmt::format("{} has heard other parameters than {}", their_name, my_name);
  }
  for (std::size_t party = 0; party < mine.announcements.size(); ++party) {
    if (mine.announcements[party] != theirs.announcements.at(party)) {
      return fmt::format("party {} announced other data to {} than to {}", party, their_name,
                         my_name);
    }
  }
  if (mine.session != theirs.session) {
    return fmt::format(
        "{} has heard other nonces than {}: a role told different peers different ones", their_name,
        my_name);
  }
  if (mine.opening && theirs.opening && *mine.opening != *theirs.opening) {
    return fmt::format("{} would open {}, {} would open {}: a role told them different standings",
                       my_name, text_of(*mine.opening), their_name, text_of(*theirs.opening));
  }
  return std::nullopt;
}

}  // namespace sotto::net
