#include "apps/live/engine/messages.h"

#include <fmt/format.h>

#include <algorithm>

#include "sotto/protocol/error/errors.h"
#include "sotto/protocol/mesh/peers.h"

namespace sotto::apps::live {
namespace {

[[noreturn]] void refuse_program(const std::string& what) {
  throw ProtocolError(ProtocolError::Kind::unexpected, "actor", 0, "the actor " + what);
}

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
  if (frame.first != next_) {
    refuse_program(fmt::format("plans program {} where {} is next", frame.first, next_));
  }
  if (planned_.size() + frame.shapes.size() > 2 * most_planned) refuse_program("plans without end");
  for (const ProgramShape& shape : frame.shapes) planned_.push_back({next_++, shape});
}

std::deque<PlannedPrograms::Planned>::iterator PlannedPrograms::find(std::uint64_t program) {
  const auto found = std::find_if(planned_.begin(), planned_.end(),
                                  [&](const Planned& planned) { return planned.program == program; });
  if (found == planned_.end()) return found;
  const bool is_next = std::none_of(planned_.begin(), found, [&](const Planned& before) {
    return has_dealer_ || before.shape.kind == found->shape.kind;
  });
  return is_next ? found : planned_.end();
}

ProgramShape PlannedPrograms::skip(const SkipFrame& frame) {
  const auto found = find(frame.program);
  if (found == planned_.end()) {
    refuse_program(fmt::format("skips program {}, which is not the next one that was planned", frame.program));
  }
  const ProgramShape shape = found->shape;
  planned_.erase(found);
  return shape;
}

void PlannedPrograms::take(std::uint64_t program, const ProgramShape& shape) {
  const auto found = find(program);
  if (found == planned_.end() || found->shape != shape) {
    refuse_program(fmt::format("proposes program {}, which is not the next one that was planned", program));
  }
  planned_.erase(found);
}

}  // namespace sotto::apps::live
