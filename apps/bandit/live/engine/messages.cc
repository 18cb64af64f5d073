#include "sotto/apps/bandit/live/engine/messages.h"

#include <fmt/format.h>

#include "sotto/core/error/errors.h"
#include "sotto/net/mesh/peers.h"

namespace sotto::apps {
namespace {

[[noreturn]] void refuse_program(const std::string& what) {
  throw ProtocolError(ProtocolError::Kind::unexpected, "actor", 0, "the actor " + what);
}

// Party 0 relays what actor and rewarder say to each other.
bool speaks_for(const Topology& topology, NodeId from, NodeId origin) {
  return origin == from || (from == 0 && (origin == topology.outside_node() ||
                                          (topology.has_further_node() && origin == topology.further_node())));
}

}  // namespace

std::vector<std::byte> encode(const OrderMessage& message) {
  std::vector<std::byte> bytes = encode(message.frame);
  bytes.insert(bytes.begin(), std::byte{message.origin});
  return bytes;
}

OrderMessage decode_message(const Topology& topology, NodeId from, std::span<const std::byte> bytes) {
  if (!bytes.empty() && speaks_for(topology, from, std::to_integer<NodeId>(bytes[0]))) {
    if (auto frame = decode_order_frame(bytes.subspan(1))) {
      return OrderMessage{std::to_integer<NodeId>(bytes[0]), std::move(*frame)};
    }
  }
  const std::string name = net::peer_name(topology, from);
  throw ProtocolError(ProtocolError::Kind::malformed, name, 0, name + " says what is no frame of the order");
}

std::size_t longest_order_message(const LiveSettings& settings) {
  const std::size_t arms = settings.arms.size();
  const std::size_t of_event = sizeof(EventId) + longest_subject + 16 + arms * (1 + sizeof(BarredArm));
  return 4096 + settings.largest_batch() * of_event;
}

void refuse_message(const Topology& topology, NodeId from, const std::string& what) {
  const std::string name = net::peer_name(topology, from);
  throw ProtocolError(ProtocolError::Kind::unexpected, name, 0, fmt::format("{} {}", name, what));
}

void PlannedPrograms::plan(const PlanFrame& frame) {
  const std::uint64_t expected = next_ + shapes_.size();
  if (frame.first != expected) {
    refuse_program(fmt::format("plans program {} where {} is next", frame.first, expected));
  }
  if (shapes_.size() + frame.shapes.size() > 2 * most_planned) refuse_program("plans without end");
  shapes_.insert(shapes_.end(), frame.shapes.begin(), frame.shapes.end());
}

ProgramShape PlannedPrograms::skip(const SkipFrame& frame) {
  if (shapes_.empty() || frame.program != next_) {
    refuse_program(fmt::format("skips program {}, which is not the next one that was planned", frame.program));
  }
  const ProgramShape shape = shapes_.front();
  shapes_.pop_front();
  ++next_;
  return shape;
}

void PlannedPrograms::take(std::uint64_t program, const ProgramShape& shape) {
  if (shapes_.empty() || program != next_ || shape != shapes_.front()) {
    refuse_program(fmt::format("proposes program {}, which is not the next one that was planned", program));
  }
  shapes_.pop_front();
  ++next_;
}

}  // namespace sotto::apps
