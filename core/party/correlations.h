// Correlated randomness, as the code of a primitive sees it: the same calls in the same order at every role.
//
// Each node has a seed that it shares with the dealer. A uniform mask is the sum (or XOR) of
// the expansions of the parties' seeds and costs nothing; a sharing of a value that the dealer computes costs a
// correction of `bits` bits a lane, which only the last party receives, in the dealer's chunk of the round. The result
// of a call depends on the role:
//
//     a compute party    its share
//     the dealer         the value itself
//     everybody else     nothing (an empty vector)
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <utility>

#include "sotto/core/async/pool.h"
#include "sotto/core/party/topology.h"
#include "sotto/core/wire/slot.h"

namespace sotto {

class Prg;

// One-time tables, one a lane, and the entry that each lane takes.
struct Tables {
  std::size_t lanes;
  unsigned index_bits;  // a table has 2^index_bits entries
  unsigned bits;        // of the ring of the entries
  // At a compute party, a word a lane, public: the entry at (word >> low) mod 2^index_bits is taken.
  std::span<const std::uint64_t> positions;
  unsigned low = 0;

  [[nodiscard]] std::size_t size() const { return std::size_t{1} << index_bits; }
  [[nodiscard]] std::size_t entries() const { return lanes << index_bits; }
};

class Correlations {
 public:
  virtual ~Correlations() = default;

  // A uniform value in [0, 2^bits) a lane, shared among the compute parties, known to the dealer.
  [[nodiscard]] virtual Words uniform(std::size_t lanes, unsigned bits, Group group = Group::sum) = 0;

  // The same, added to `to` in Z/2^bits: a party's share to `lanes` words, at the dealer the value to as many, at
  // everybody else nothing.
  virtual void add_uniform(Words& to, std::size_t lanes, unsigned bits) = 0;

  // A uniform value in [0, 2^bits) a lane that `node` and the dealer know; empty at everybody else.
  [[nodiscard]] virtual Words uniform_known_to(NodeId node, std::size_t lanes, unsigned bits) = 0;

  // A fresh sharing of values that only the dealer computes: compute(std::span<std::uint64_t>) runs there and nowhere
  // else.
  template <class Compute>
  [[nodiscard]] Words deal(std::size_t lanes, unsigned bits, Compute&& compute, Group group = Group::sum) {
    Words values;
    if (at_dealer()) {
      values.resize(lanes);
      compute(std::span<std::uint64_t>(values));
    }
    return distribute(std::move(values), lanes, bits, group);
  }

  // The same in Z/2^64, added to `to`; at the dealer `to` becomes the values.
  template <class Compute>
  void deal_onto(Words& to, std::size_t lanes, Compute&& compute) {
    if (!at_dealer()) return add_dealt(to, lanes);
    Words values(lanes);
    compute(std::span<std::uint64_t>(values));
    to = distribute(std::move(values), lanes, 64, Group::sum);
  }

  // A fresh sharing of each table, of which only the entry taken is kept: at a party,
  // sum[lane] += (its share of the entry) << raise; nothing elsewhere. compute(first, count, out) writes the tables of
  // the lanes first .. first + count - 1, one after the other, to out, which points to std::uint8_t where bits <= 8 and
  // to std::uint64_t otherwise; it runs at the dealer and nowhere else. Costs as much as dealing all entries, and never
  // writes them to memory whole.
  template <class Compute>
  void deal_tables(const Tables& tables, std::span<std::uint64_t> sum, unsigned raise, Compute&& compute) {
    if (!at_dealer()) return take_entries(tables, sum, raise);
    // Multiples of 8 lanes fill whole bytes whatever the ring, so tiles leave no gaps.
    const std::size_t step = std::max<std::size_t>(8, tile_entries >> tables.index_bits);
    Words words(tables.bits <= 8 ? 0 : step << tables.index_bits);
    PoolVector<std::uint8_t> bytes(tables.bits <= 8 ? step << tables.index_bits : 0);
    for (std::size_t first = 0; first < tables.lanes; first += step) {
      const std::size_t count = std::min(step, tables.lanes - first);
      const std::size_t entries = count << tables.index_bits;
      if (tables.bits <= 8) {
        compute(first, count, bytes.data());
        distribute_bytes(std::span(bytes).first(entries), tables.bits);
      } else {
        words.resize(entries);
        compute(first, count, words.data());
        words = distribute(std::move(words), entries, tables.bits, Group::sum);
      }
    }
  }

  [[nodiscard]] virtual bool at_dealer() const noexcept = 0;

  // Runs draw(Prg&) at the dealer, with its private coins, and nowhere else.
  template <class Draw>
  void at_dealer_only(Draw&& draw) {
    if (at_dealer()) draw(coins());
  }

 protected:
  [[nodiscard]] virtual Prg& coins() = 0;
  [[nodiscard]] virtual Words distribute(Words values, std::size_t lanes, unsigned bits, Group group) = 0;

  // Of deal_onto, at everybody but the dealer.
  virtual void add_dealt(Words& /*to*/, std::size_t /*lanes*/) { throw std::logic_error("the dealer takes no shares"); }
  // Of deal_tables, at the dealer: deals the low `bits` bits of values, and overwrites them.
  virtual void distribute_bytes(std::span<std::uint8_t> /*values*/, unsigned /*bits*/) {
    throw std::logic_error("tables are computed at the dealer only");
  }
  // Of deal_tables, at everybody else.
  virtual void take_entries(const Tables& /*tables*/, std::span<std::uint64_t> /*sum*/, unsigned /*raise*/) {
    throw std::logic_error("the dealer takes no entries");
  }

 private:
  static constexpr std::size_t tile_entries = 4096;
};

}  // namespace sotto
