#include "sotto/net/mesh/handshake/confirm.h"

#include <fmt/format.h>

#include "sotto/core/text/count.h"
#include "sotto/core/wire/coding.h"
#include "sotto/net/mesh/peers.h"

namespace sotto::net {
namespace {

constexpr std::size_t resume_point_size = 4 + 8 + 8 + 8 + sizeof(CheckpointId);

std::string text_of(const ResumePoint& resume_point) {
  return fmt::format("epoch {} from step {}, {} repeated", resume_point.epoch, resume_point.from_step,
                     counted(resume_point.repeated, "step"));
}

}  // namespace

std::size_t confirm_size(const Topology& topology, NodeId sender) {
  return sizeof(Digest) + sizeof(SessionId) + topology.parties() * sizeof(Digest) +
         (makes_the_session(topology, sender) ? resume_point_size : 0);
}

std::vector<std::byte> encode(const Confirm& confirm) {
  ByteWriter writer;
  writer.bytes(confirm.parameters);
  writer.bytes(confirm.session);
  for (const Digest& announcement : confirm.announcements) writer.bytes(announcement);
  if (confirm.resume_point) {
    writer.number(confirm.resume_point->epoch);
    writer.number(confirm.resume_point->from_step);
    writer.number(confirm.resume_point->repeated);
    writer.number(confirm.resume_point->taken);
    writer.bytes(confirm.resume_point->from_id);
  }
  return writer.take();
}

std::optional<Confirm> decode_confirm(std::span<const std::byte> payload, const Topology& topology, NodeId sender) {
  if (payload.size() != confirm_size(topology, sender)) return std::nullopt;
  ByteReader reader(payload);
  Confirm confirm;
  confirm.parameters = reader.array<32>();
  confirm.session = reader.array<16>();
  for (std::size_t party = 0; party < topology.parties(); ++party) {
    confirm.announcements.push_back(reader.array<32>());
  }
  if (makes_the_session(topology, sender)) {
    ResumePoint& resume_point = confirm.resume_point.emplace();
    resume_point.epoch = reader.number<std::uint32_t>();
    resume_point.from_step = reader.number<std::uint64_t>();
    resume_point.repeated = reader.number<std::uint64_t>();
    resume_point.taken = reader.number<std::uint64_t>();
    resume_point.from_id = reader.array<sizeof(CheckpointId)>();
  }
  return confirm;
}

std::optional<std::string> difference(const Confirm& mine, const Confirm& theirs, const std::string& my_name,
                                      const std::string& their_name) {
  if (mine.parameters != theirs.parameters) {
    return fmt::format("{} has heard other parameters than {}", their_name, my_name);
  }
  for (std::size_t party = 0; party < mine.announcements.size(); ++party) {
    if (mine.announcements[party] != theirs.announcements.at(party)) {
      return fmt::format("party {} announced other data to {} than to {}", party, their_name, my_name);
    }
  }
  if (mine.session != theirs.session) {
    return fmt::format("{} has heard other nonces than {}: a role told different peers different ones", their_name,
                       my_name);
  }
  if (mine.resume_point && theirs.resume_point && *mine.resume_point != *theirs.resume_point) {
    return fmt::format("{} would open {}, {} would open {}: a role told them different states to resume from", my_name,
                       text_of(*mine.resume_point), their_name, text_of(*theirs.resume_point));
  }
  return std::nullopt;
}

}  // namespace sotto::net
