// The messages of the roles in a session. A message is a frame of the order, with the role that made the frame. The
// sender of a message may be another role, because party 0 relays frames between actor and rewarder.
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
// Throws ProtocolError that names `from`, if the bytes are not a message, or `from` may not send messages of the role
// in it.
[[nodiscard]] OrderMessage decode_message(const Topology& topology, NodeId from, std::span<const std::byte> bytes);

// The most bytes that a message can have.
[[nodiscard]] std::size_t longest_order_message(const LiveSettings& settings);

// Throws ProtocolError: the message of `from` is not allowed, or not allowed now.
[[noreturn]] void refuse_message(const Topology& topology, NodeId from, const std::string& what);

// The programs that a node knows to be planned and has neither run nor skipped. With a dealer all programs run in one
// order. Without a dealer decides run in order, and learns run in order. Each function throws ProtocolError if the
// actor's frame does not continue these orders.
class PlannedPrograms {
 public:
  explicit PlannedPrograms(bool has_dealer = true) : has_dealer_(has_dealer) {}

  void plan(const PlanFrame& frame);
  // Removes the program, and returns its shape.
  [[nodiscard]] ProgramShape skip(const SkipFrame& frame);
  void take(const OrderEntry& entry) { take(entry.program, entry.shape); }
  void take(const BeginFrame& learn) { take(learn.program, learn.shape); }

 private:
  struct Planned {
    std::uint64_t program;
    ProgramShape shape;
  };
  void take(std::uint64_t program, const ProgramShape& shape);
  // The program, if the order allows it to be next; else the end.
  [[nodiscard]] std::deque<Planned>::iterator find(std::uint64_t program);

  bool has_dealer_;
  std::uint64_t next_ = 1;       // number of the program that is planned next
  std::deque<Planned> planned_;  // in ascending order
};

}  // namespace sotto::apps::live
