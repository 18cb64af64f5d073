// What the roles say to each other in a session: a frame of the order with the role that it is from, which is another
// one than its sender where party 0 relays between actor and rewarder.
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
// Throws ProtocolError, naming `from`, where the bytes are no message, or one of a role that `from` does not speak for.
[[nodiscard]] OrderMessage decode_message(const Topology& topology, NodeId from, std::span<const std::byte> bytes);

// The most bytes of one.
[[nodiscard]] std::size_t longest_order_message(const LiveSettings& settings);

// ProtocolError: `from` says what it may not, or not now.
[[noreturn]] void refuse_message(const Topology& topology, NodeId from, const std::string& what);

// The programs that a node knows to be planned and has neither run nor skipped. They go in order: with a dealer all of
// them, without one decides and learns each by themselves. Each function throws ProtocolError where the actor says what
// does not go on from that.
class PlannedPrograms {
 public:
  explicit PlannedPrograms(bool has_dealer = true) : has_dealer_(has_dealer) {}

  void plan(const PlanFrame& frame);
  // Of the program, which is then gone.
  [[nodiscard]] ProgramShape skip(const SkipFrame& frame);
  void take(const OrderEntry& entry) { take(entry.program, entry.shape); }
  void take(const BeginFrame& learn) { take(learn.program, learn.shape); }

 private:
  struct Planned {
    std::uint64_t program;
    ProgramShape shape;
  };
  void take(std::uint64_t program, const ProgramShape& shape);
  // The program, where it is the next one; else the end.
  [[nodiscard]] std::deque<Planned>::iterator find(std::uint64_t program);

  bool has_dealer_;
  std::uint64_t next_ = 1;       // that is planned
  std::deque<Planned> planned_;  // ascending
};

}  // namespace sotto::apps::live
