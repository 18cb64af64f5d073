// The state of a stock, which a role sends in its hello, and the point from which all roles then start.
//
// The parties compute the same point from all states, and the other roles adopt this point. So no role uses a stretch
// that another role lacks or has already used, or that the roles did not make together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "sotto/protocol/mesh/handshake/hello.h"
#include "sotto/protocol/party/topology.h"

namespace sotto::apps::bandit::run {

struct StockState {
  bool prepares = false;  // true if the role prepares randomness, false in a run
  bool is_there = false;
  bool begun = false;  // whether a run has begun with the stock
  std::uint64_t stretches = 0;
  std::uint64_t wanted = 0;  // number of steps to prepare
  net::Digest name{};        // digest of the stretches so far; zeros: no stretch
  net::Digest before{};      // `name` before the last stretch was added

  friend bool operator==(const StockState&, const StockState&) = default;
};

struct StockPoint {
  bool anew = false;            // whether the roles remove the old stretches
  std::uint64_t stretches = 0;  // number of stretches that all roles have
  std::uint64_t wanted = 0;     // smallest `wanted` of all roles

  friend bool operator==(const StockPoint&, const StockPoint&) = default;
};

// A resumed run makes its own randomness, because a stock is only for a run from its first step.
//
// Throws DisagreementError, which names the role, if some roles prepare and others run, or if only some have a stock.
// Throws the same error if a run has already begun with a stock, or if the stocks were not made together.
[[nodiscard]] StockPoint agree_on_stock(const Topology& topology, const std::map<NodeId, StockState>& standings,
                                        bool resumes);

[[nodiscard]] std::vector<std::byte> encode(const StockState& state);
[[nodiscard]] std::vector<std::byte> encode(const StockPoint& point);
// Both functions remove the read bytes from the start of `bytes`. They return nothing if encode() cannot have made
// these bytes.
[[nodiscard]] std::optional<StockState> take_stock_state(std::span<const std::byte>& bytes);
[[nodiscard]] std::optional<StockPoint> take_stock_point(std::span<const std::byte>& bytes);

[[nodiscard]] net::Resume with_stock(const Topology& topology, const StockState& mine, net::Resume state);

}  // namespace sotto::apps::bandit::run
