// Correlated randomness, as the code of a primitive sees it: the same calls in the same order at
// every role.
//
// Each node has a seed that it shares with the dealer. A uniform mask is the sum (or XOR) of what
// the parties' seeds expand to and costs nothing; a sharing of a value that the dealer computes
// costs a correction of `bits` bits a lane, which only the last party receives, in the dealer's
// chunk of the round. What a call returns depends on the role:
//
//     a compute party    its share
//     the dealer         the value itself
//     everybody else     nothing (an empty vector)
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "core/party/topology.h"
#include "core/ring/words.h"
#include "core/wire/slot.h"

namespace sotto {

class Prg;

class Correlations {
 public:
  virtual ~Correlations() = default;

  // A uniform value in [0, 2^bits) a lane, shared among the compute parties, known to the dealer.
  [[nodiscard]] virtual Words uniform(std::size_t lanes, unsigned bits,
                                      Group group = Group::sum) = 0;

  // A uniform value in [0, 2^bits) a lane that `node` and the dealer know; empty at everybody else.
  [[nodiscard]] virtual Words uniform_known_to(NodeId node, std::size_t lanes, unsigned bits) = 0;

  // A fresh sharing of values that only the dealer computes: compute(std::span<std::uint64_t>) runs
  // there and nowhere else.
  template <class Compute>
  [[nodiscard]] Words deal(std::size_t lanes, unsigned bits, Compute&& compute,
                           Group group = Group::sum) {
    Words values;
    if (at_dealer()) {
      values.resize(lanes);
      compute(std::span<std::uint64_t>(values));
    }
    return distribute(std::move(values), lanes, bits, group);
  }

  // Runs draw(Prg&) at the dealer, with its private coins, and nowhere else.
  template <class Draw>
  void at_dealer_only(Draw&& draw) {
    if (at_dealer()) draw(coins());
  }

 protected:
  [[nodiscard]] virtual bool at_dealer() const noexcept = 0;
  [[nodiscard]] virtual Prg& coins() = 0;
  [[nodiscard]] virtual Words distribute(Words values, std::size_t lanes, unsigned bits,
                                         Group group) = 0;
};

}  // namespace sotto
