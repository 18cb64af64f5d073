// What a role says of its stock before a run or a preparation begins, and what follows for all.
//
// Every role says its standing in its hello, before the resume state. The parties, who hear everybody, compute the same
// point; the others adopt it (include/sotto/protocol/mesh/handshake/hello.h). So nobody takes a stretch that another
// role lacks, has used or has made otherwise: a stock has a name, which follows from the sessions in which its
// stretches were made.
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

struct StockStanding {
  bool prepares = false;        // or runs
  bool is_there = false;        // the role keeps a stock
  bool begun = false;           // a run has begun with it: it is not used again
  std::uint64_t stretches = 0;  // that it holds
  std::uint64_t wanted = 0;     // steps that this role would prepare; at a run 0
  net::Digest name{};           // after all stretches; zeros: of none
  net::Digest before{};         // without the last

  friend bool operator==(const StockStanding&, const StockStanding&) = default;
};

struct StockPoint {
  bool anew = false;            // what is there is of no use any more and goes
  std::uint64_t stretches = 0;  // that all roles have
  std::uint64_t wanted = 0;     // steps, by the role that wants the fewest

  friend bool operator==(const StockPoint&, const StockPoint&) = default;
};

// From the standings of all nodes, by number. A role that was stopped may lack the last stretch that another has.
// `resumes`: the run goes on after a crash and makes its randomness itself, as a stock is for a run from its first
// step. Throws DisagreementError if some prepare and others run, if some have a stock and others none, if a run has
// begun with one of them, or if they were not made together: it names the role.
[[nodiscard]] StockPoint agree_on_stock(const Topology& topology, const std::map<NodeId, StockStanding>& standings,
                                        bool resumes);

[[nodiscard]] std::vector<std::byte> encode(const StockStanding& standing);
[[nodiscard]] std::vector<std::byte> encode(const StockPoint& point);
// Nothing if the bytes do not begin with what encode() makes; `bytes` then begins after it.
[[nodiscard]] std::optional<StockStanding> take_stock_standing(std::span<const std::byte>& bytes);
[[nodiscard]] std::optional<StockPoint> take_stock_point(std::span<const std::byte>& bytes);

// What the handshake carries: the standing and the point before those of `state`, which agrees on a ResumePoint.
[[nodiscard]] net::Resume with_stock(const Topology& topology, const StockStanding& mine, net::Resume state);

}  // namespace sotto::apps::bandit::run
