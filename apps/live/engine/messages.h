// The messages of the roles in a session. A message is a frame of the order with the role that the frame is from. This
// role is not the sender where party 0 relays between actor and rewarder.
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
// Throws ProtocolError that names `from`, if the bytes are not a message, or are from a role that `from` does not speak
// for.
[[nodiscard]] OrderMessage decode_message(const Topology& topology, NodeId from, std::span<const std::byte> bytes);

// The most bytes of a message.
[[nodiscard]] std::size_t longest_order_message(const LiveSettings& settings);

// Throws ProtocolError: `from` says something that it may not say, or not now.
[[noreturn]] void refuse_message(const Topology& topology, NodeId from, const std::string& what);

// The programs that a node knows to be planned and has neither run nor skipped. With a dealer all of them go in one
// order; without a dealer decides go in order and learns go in order. Each function throws ProtocolError if the actor's
// frame does not continue these orders.
class PlannedPrograms {
 public:
  explicit PlannedPrograms(bool has_dealer = true) : has_dealer_(has_dealer) {}

  void plan(const PlanFrame& frame);
  // The shape of the program, which is then gone.
  [[nodiscard]] ProgramShape skip(const SkipFrame& frame);
  void take(const OrderEntry& entry) { take(entry.program, entry.shape); }
  void take(const BeginFrame& learn) { take(learn.program, learn.shape); }

 private:
  struct Planned {
    std::uint64_t program;
    ProgramShape shape;
  };
  void take(std::uint64_t program, const ProgramShape& shape);
  // The program, if it is the next one; else the end.
  [[nodiscard]] std::deque<Planned>::iterator find(std::uint64_t program);

  bool has_dealer_;
  std::uint64_t next_ = 1;       // the program that is planned next
  std::deque<Planned> planned_;  // ascending
};

}  // namespace sotto::apps::live
