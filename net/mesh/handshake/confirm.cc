#include "net/mesh/handshake/confirm.h"

#include <fmt/format.h>

#include <algorithm>

#include "sotto/protocol/mesh/peers.h"
#include "sotto/protocol/wire/coding.h"

namespace sotto::net {
std::size_t longest_confirm(const Topology& topology, NodeId sender) {
  return sizeof(Digest) + sizeof(SessionId) + topology.parties() * sizeof(Digest) +
         (makes_the_session(topology, sender)
              ? sizeof(std::uint64_t) + longest_resume + topology.owners() * (sizeof(std::uint32_t) + longest_of_owner)
              : 0);
}

std::vector<std::byte> encode(const Confirm& confirm) {
  ByteWriter writer;
  writer.bytes(confirm.parameters);
  writer.bytes(confirm.session);
  for (const Digest& announcement : confirm.announcements) writer.bytes(announcement);
  if (confirm.resume_point) writer.numbers(std::span(*confirm.resume_point));
  for (const std::string& announcement : confirm.of_owners) writer.long_text(announcement);
  return writer.take();
}

std::optional<Confirm> decode_confirm(std::span<const std::byte> payload, const Topology& topology, NodeId sender) {
  ByteReader reader(payload);
  Confirm confirm;
  confirm.parameters = reader.array<32>();
  confirm.session = reader.array<16>();
  for (std::size_t party = 0; party < topology.parties(); ++party) confirm.announcements.push_back(reader.array<32>());
  if (makes_the_session(topology, sender)) {
    confirm.resume_point = reader.numbers<std::byte>();
    for (std::size_t owner = 0; owner < topology.owners(); ++owner) {
      confirm.of_owners.push_back(reader.long_text(longest_of_owner));
    }
  }
  if (!reader.at_end() || payload.size() > longest_confirm(topology, sender)) return std::nullopt;
  return confirm;
}

std::optional<std::string> difference(const Confirm& mine, const Confirm& theirs, const std::string& my_name,
                                      const std::string& their_name, const decltype(Resume::describe)& describe) {
  if (mine.parameters != theirs.parameters) {
    return fmt::format("{} has heard other parameters than {}", their_name, my_name);
  }
  for (std::size_t party = 0; party < mine.announcements.size(); ++party) {
    if (mine.announcements[party] != theirs.announcements.at(party)) {
      return fmt::format("party {} announced other data to {} than to {}", party, their_name, my_name);
    }
  }
  for (std::size_t owner = 0; owner < std::min(mine.of_owners.size(), theirs.of_owners.size()); ++owner) {
    if (mine.of_owners[owner] != theirs.of_owners[owner]) {
      return fmt::format("owner {} announced other data to {} than to {}", owner, their_name, my_name);
    }
  }
  if (mine.resume_point && theirs.resume_point && *mine.resume_point != *theirs.resume_point) {
    return fmt::format("{} would open {}, {} would open {}: a role told them different states to resume from", my_name,
                       describe(*mine.resume_point), their_name, describe(*theirs.resume_point));
  }
  return std::nullopt;
}

}  // namespace sotto::net
