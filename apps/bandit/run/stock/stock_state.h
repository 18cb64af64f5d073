// A role's message about its stock before a run or a preparation begins, and the point from which all roles then start.
//
// Every role sends the standing of its stock in its hello, before the resume state. The parties receive all hellos and
// compute the same point; the other roles adopt that point (include/sotto/protocol/mesh/handshake/hello.h). So no role
// takes a stretch that another role lacks, has used or has made differently. A stock has a name, which follows from the
// sessions in which the stretches of the stock were made.
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
  bool prepares = false;        // true: the role prepares randomness; false: it runs
  bool is_there = false;        // whether the role keeps a stock
  bool begun = false;           // whether a run has begun with the stock, which is then not used again
  std::uint64_t stretches = 0;  // number of stretches in the stock
  std::uint64_t wanted = 0;     // number of steps that this role would prepare; 0 for a run
  net::Digest name{};           // name after all stretches; zeros if there is none
  net::Digest before{};         // name after all stretches except the last

  friend bool operator==(const StockState&, const StockState&) = default;
};

struct StockPoint {
  bool anew = false;            // whether the existing stretches cannot be used and are removed
  std::uint64_t stretches = 0;  // number of stretches that all roles have
  std::uint64_t wanted = 0;     // the smallest number of steps that any role wants

  friend bool operator==(const StockPoint&, const StockPoint&) = default;
};

// The point that follows from the standings of all nodes, given by node number. A role that was stopped may lack the
// last stretch that another role has. `resumes` means that the run continues after a crash. A resumed run makes its own
// randomness, because a stock is only for a run from its first step.
//
// Throws DisagreementError, which names the role, if some roles prepare and others run, or if some have a stock and
// others do not. Throws the same error if a run has begun with one of the stocks, or if the stocks were not made
// together.
[[nodiscard]] StockPoint agree_on_stock(const Topology& topology, const std::map<NodeId, StockState>& standings,
                                        bool resumes);

[[nodiscard]] std::vector<std::byte> encode(const StockState& standing);
[[nodiscard]] std::vector<std::byte> encode(const StockPoint& point);
// Return nothing if encode() cannot have made the first bytes. If successful, they remove the read bytes from the start
// of `bytes`.
[[nodiscard]] std::optional<StockState> take_stock_state(std::span<const std::byte>& bytes);
[[nodiscard]] std::optional<StockPoint> take_stock_point(std::span<const std::byte>& bytes);

// The resume bytes of the handshake: the bytes of the standing and the point come before the bytes of `state`, by which
// roles agree on a ResumePoint.
[[nodiscard]] net::Resume with_stock(const Topology& topology, const StockState& mine, net::Resume state);

}  // namespace sotto::apps::bandit::run
