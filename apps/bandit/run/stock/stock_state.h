// The message that a role sends about its stock before a run or a preparation begins, and the point from which all
// roles then start.
//
// Every role sends the state of its stock in its hello; the resume state follows it. The parties receive all hellos and
// compute the same point; the other roles adopt that point (include/sotto/protocol/mesh/handshake/hello.h). So no role
// uses a stretch that another role does not have, has already used, or has made differently. A stock has a name, which
// follows from the sessions in which the stretches of the stock were made.
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
  bool prepares = false;        // true: the role prepares randomness; false: it takes part in a run
  bool is_there = false;        // whether the role keeps a stock
  bool begun = false;           // whether a run has begun with the stock; such a stock is not used again
  std::uint64_t stretches = 0;  // number of stretches in the stock
  std::uint64_t wanted = 0;     // number of steps for which this role would prepare randomness; 0 for a run
  net::Digest name{};           // name after all stretches; zeros if there is none
  net::Digest before{};         // name after all stretches except the last

  friend bool operator==(const StockState&, const StockState&) = default;
};

struct StockPoint {
  bool anew = false;            // whether the existing stretches are removed, because they cannot be used
  std::uint64_t stretches = 0;  // number of stretches that all roles have
  std::uint64_t wanted = 0;     // the smallest `wanted` of all roles

  friend bool operator==(const StockPoint&, const StockPoint&) = default;
};

// The point that follows from the states of all stocks, given by node number. A role that was stopped may lack the last
// stretch that another role has. `resumes` means that the run continues after a crash. A resumed run makes its own
// randomness, because a stock is only for a run from its first step.
//
// Throws DisagreementError, which names the role, if some roles prepare and others run, or if some have a stock and
// others do not. Throws the same error if the roles want to run with stocks and a run has already begun with one of
// them, or if the stocks were not made together.
[[nodiscard]] StockPoint agree_on_stock(const Topology& topology, const std::map<NodeId, StockState>& standings,
                                        bool resumes);

[[nodiscard]] std::vector<std::byte> encode(const StockState& standing);
[[nodiscard]] std::vector<std::byte> encode(const StockPoint& point);
// Return nothing if encode() cannot have made the first bytes. If successful, they remove the read bytes from the start
// of `bytes`.
[[nodiscard]] std::optional<StockState> take_stock_state(std::span<const std::byte>& bytes);
[[nodiscard]] std::optional<StockPoint> take_stock_point(std::span<const std::byte>& bytes);

// The resume bytes of the handshake: the bytes of the stock's state and point, and then the bytes of `state`, by which
// roles agree on a ResumePoint.
[[nodiscard]] net::Resume with_stock(const Topology& topology, const StockState& mine, net::Resume state);

}  // namespace sotto::apps::bandit::run
