// The messages between the roles in a session. A message contains a frame and its origin, the role that made the frame.
// Party 0 relays frames between actor and rewarder, so the origin may differ from the sender of the message.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <utility>
#include <vector>

#include "apps/live/engine/live_programs.h"
#include "apps/live/order/frames.h"
#include "apps/live/settings/live_settings.h"
#include "sotto/protocol/mesh/driver/session.h"

namespace sotto::apps::live {

struct OrderMessage {
  NodeId origin = 0;
  OrderFrame frame;

  friend bool operator==(const OrderMessage&, const OrderMessage&) = default;
};

[[nodiscard]] std::vector<std::byte> encode(const OrderMessage& message);
// Throws ProtocolError that names `from` if the bytes are not a message, or if `from` may not send messages of this
// origin.
[[nodiscard]] OrderMessage decode_message(const Topology& topology, NodeId from, std::span<const std::byte> bytes);

[[nodiscard]] std::size_t longest_order_message(const LiveSettings& settings);

[[noreturn]] void refuse_message(const Topology& topology, NodeId from, const std::string& what);

// With a dealer, all programs run in the planned order. Without a dealer, the decides run in their planned order, and
// so do the learns, but a decide and a learn may run in either order. Each function throws ProtocolError if the actor's
// frame does not fit this order.
class PlannedPrograms {
 public:
  explicit PlannedPrograms(bool has_dealer = true) : has_dealer_(has_dealer) {}

  void plan(const PlanFrame& frame);
  [[nodiscard]] ProgramShape skip(const SkipFrame& frame);
  void take(const OrderEntry& entry) { take(entry.program, entry.shape); }
  void take(const BeginFrame& learn) { take(learn.program, learn.shape); }

 private:
  struct Planned {
    std::uint64_t program;
    ProgramShape shape;
  };
  void take(std::uint64_t program, const ProgramShape& shape);
  [[nodiscard]] std::deque<Planned>::iterator find(std::uint64_t program);

  bool has_dealer_;
  std::uint64_t next_ = 1;
  std::deque<Planned> planned_;
};

}  // namespace sotto::apps::live
