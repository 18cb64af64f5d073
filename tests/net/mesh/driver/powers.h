#pragma once

#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "sotto/protocol/arithmetic/product.h"
#include "sotto/protocol/io/mask.h"
#include "sotto/protocol/io/open.h"
#include "sotto/protocol/mesh/driver/session.h"
#include "sotto/protocol/sharing/share_access.h"
#include "sotto/protocol/simulate/simulate.h"
#include "tests/net/roles.h"

namespace sotto::net::testing {

inline constexpr std::size_t longest_message = 1 << 16;
inline constexpr Clock::time_point never = Clock::time_point::max();

// The result of a program that opens x^power for party 0's x: the power, and the masked value of x that was opened on
// the way.
struct Seen {
  std::uint64_t result = 0;
  std::uint64_t masked = 0;
};

inline Task<Seen> power_of(Party& party, std::uint64_t x, unsigned power) {
  const auto fill = [x](std::span<std::uint64_t> words) { words[0] = x; };
  protocols::Input input = protocols::input_at(party, 0, Shape{1, 1}, 0, fill);
  const Masked shared = co_await protocols::share_input(party, 0, std::move(input), "x");
  Arith value = shared.shares(party);
  for (unsigned i = 1; i < power; ++i) {
    const Masked again = co_await protocols::mask(party, std::move(value), "again");
    value = protocols::row_scale(party, shared, again);
  }
  const Public opened = co_await protocols::open(party, std::move(value), "x^power");
  Seen seen;
  opened.if_known([&](const Words& words) { seen.result = words[0]; });
  if (!ShareAccess::words(shared).empty()) seen.masked = ShareAccess::words(shared)[0];
  co_return seen;
}

constexpr std::uint64_t rounds_of(unsigned power) { return power + 1; }

inline Ledger plan_of_power(const Topology& topology, unsigned power) {
  return protocols::plan(topology, [power](Party& party) { return power_of(party, 0, power); });
}

inline Digest entry_of(unsigned number) {
  Digest entry{};
  entry[0] = static_cast<std::byte>(number);
  return entry;
}

inline std::vector<std::byte> bytes_of(const std::string& text) {
  const auto* const begin = reinterpret_cast<const std::byte*>(text.data());
  return {begin, begin + text.size()};
}

inline std::string text_of(const std::vector<std::byte>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

struct Parts {
  std::function<void(NodeSession&, NodeId)> node;
  std::function<void(DealerSession&)> dealer;
};

inline std::map<NodeId, Outcome> play(const Topology& topology, const Parts& parts, DriverOptions options = {}) {
  return run_roles(tcp_configs(topology), [&](NodeId role, MeshConfig config) {
    Mesh mesh = set_up_mesh(std::move(config));
    if (role == dealer_id) {
      DealerSession session(mesh, options, longest_message);
      parts.dealer(session);
    } else {
      NodeSession session(mesh, options, longest_message);
      parts.node(session, role);
    }
  });
}

template <class Value>
class Kept {
 public:
  void add(Value value) {
    const std::lock_guard lock(mutex_);
    values_.push_back(std::move(value));
  }
  [[nodiscard]] const std::vector<Value>& values() const { return values_; }

 private:
  std::mutex mutex_;
  std::vector<Value> values_;
};

}  // namespace sotto::net::testing
