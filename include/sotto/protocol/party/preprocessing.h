// Preprocessing: the correlated randomness that primitives request.
//
// Every role makes the same requests in the same order. The sizes of requests follow from the run's parameters.
// Requests do not depend on opened values, with one exception: Tables::positions.
// include/sotto/protocol/sharing/masked.h says what each type contains at a compute party and at the dealer; all other
// roles get no words.
//
// "Dealt" is the cost of a request with a dealer (include/sotto/protocol/preprocessing/dealt.h), in bits that the last
// party receives. The dealer sends nothing for requests without "Dealt".
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "sotto/protocol/async/pool.h"
#include "sotto/protocol/async/task.h"
#include "sotto/protocol/party/slot.h"
#include "sotto/protocol/party/topology.h"
#include "sotto/protocol/sharing/bilinear_map.h"
#include "sotto/protocol/sharing/masked.h"
#include "sotto/protocol/sharing/shape.h"

namespace sotto {

// A mask that the owner of an input knows.
struct InputMask {
  Words known;  // the mask at the owner and at the dealer, empty elsewhere
  Mask mask;
};

// The parts of a truncation by f bits with pad r: h is bit 63 of r, and mu = ((r mod 2^63) >> f) - 2^(63-f) h.
struct TruncationPair {
  Mask mu;
  Additive h;   // h in Z/2^f, at a compute party
  CarryMask g;  // g = 2^(64-f) h, at the dealer
};

struct Triples {
  Additive a, b, c;
};

// One one-time table per lane.
struct Tables {
  std::size_t lanes;
  unsigned index_bits;  // log2 of the number of entries of a table
  unsigned bits;
  // At a compute party, one public word per lane. The party uses entry (word >> low) mod 2^index_bits of the lane's
  // table.
  std::span<const std::uint64_t> positions;
  unsigned low = 0;
  unsigned raise = 0;  // multiplies entries by 2^raise
  // An index made of bits of a masked value may be too large by up to this number. The entries allow for this error.
  unsigned exceeds = 1;

  [[nodiscard]] std::size_t size() const { return std::size_t{1} << index_bits; }
  [[nodiscard]] std::size_t entries() const { return lanes << index_bits; }
};

// An event explores with probability threshold / 2^64, or always.
struct Exploration {
  std::uint64_t threshold = 0;
  bool always = false;

  [[nodiscard]] bool explores(std::uint64_t uniform_word) const noexcept { return always || uniform_word < threshold; }
};

// The dealer's private samples for choices among arms; empty at all other roles.
struct Samples {
  // A uniform permutation of each event's arms: the highest rank wins among equal values. Empty if values never tie.
  PoolVector<std::size_t> ranks;
  PoolVector<std::uint8_t> explore;  // 1: the event explores, and its arm wins whatever the values are
  PoolVector<std::size_t> arms;      // a uniform arm for each event; if empty, no arm wins an event that explores

  // in_groups() returns the samples for the choice within each group of `columns` arms. among_groups() returns the
  // samples for the choice among the winners of the groups, whose values never tie.
  [[nodiscard]] Samples in_groups(std::size_t columns) const;
  [[nodiscard]] Samples among_groups(std::size_t columns) const;
};

// The widths of a score whose low bits are replaced by a rank.
struct RankedWidths {
  unsigned shift;  // dropped low bits of a score
  unsigned rank_bits;
};

// A function of the lane and the index.
using TableFunction = std::function<std::uint64_t(std::size_t lane, std::uint64_t value)>;

class Party;

class Preprocessing {
 public:
  virtual ~Preprocessing() = default;

  // Begins the next stretch of the program (run_with_randomness.h); no other task may wait meanwhile.
  [[nodiscard]] virtual Task<void> next_stretch(Party&) { co_return; }

  // A uniform mask in [0, 2^bits), which no party knows.
  [[nodiscard]] virtual Mask mask(std::size_t lanes, unsigned bits) = 0;
  // The mask of a public constant: zeros.
  [[nodiscard]] virtual Mask mask_of_zeros(std::size_t lanes) const = 0;
  // A uniform mask in Z/2^64, which the owner knows. Dealt: 64 bits per lane, or nothing if the owner is a compute
  // party. The owner's share is then the whole mask.
  [[nodiscard]] virtual InputMask input_mask(NodeId owner, std::size_t lanes) = 0;
  // At a compute party, adds the party's share of a uniform mask of Z/2^bits to the `lanes` words of `to`.
  [[nodiscard]] virtual IndexMask add_index_mask(Words& to, std::size_t lanes, unsigned bits) = 0;
  // A fresh sharing of zero in Z/2^bits, to refresh shares before an opening. Dealt: `bits` bits per lane.
  [[nodiscard]] virtual Additive zero(std::size_t lanes, unsigned bits, Group group) = 0;

  // The term B(mu_x, mu_y) of a product. The implementation may defer a part of the term until the truncation. At a
  // party, `sum` already has the party's local terms, and product() adds the share of the part that is not deferred. At
  // the dealer, product() sets `sum` to the deferred part. Only the low `bits` bits of the sum are right.
  virtual void product(const BilinearMap& map, const Mask& x, const Mask& y, unsigned bits, Words& sum) = 0;
  // Adds shares of the part that product() deferred. At the dealer, `sum` is the deferred part, or empty if this part
  // is zero. Dealt: 64 bits per lane.
  virtual void materialize(Words& sum, std::size_t lanes) = 0;
  // Shares of h mu in Z/2^shift, for each pair of entries that the map multiplies. The operand `side` has a carry term
  // with g = 2^(64-shift) h. The other operand has the mask mu, which is `other`. Dealt: `shift` bits per pair.
  [[nodiscard]] virtual Additive cut(const BilinearMap& map, Operand side, unsigned shift, const CarryMask& g,
                                     const Mask& other) = 0;
  // Shares of b mu, for each pair of entries that the map multiplies. An entry b of the left operand is the lowest bit
  // of a word of `b`. An entry mu of the right operand is a word of `y`. Dealt: 64 bits per pair.
  [[nodiscard]] virtual Additive bit_product(const BilinearMap& map, const BitMask& b, const Mask& y) = 0;
  [[nodiscard]] virtual bool selects_by_bits() const { return false; }
  // The parts of the pad r = t - c of a truncation by f bits. t is a fresh uniform word, and c is the part that
  // product() deferred. At a party, truncation() adds the party's share of t to `padded`. At the dealer, `padded` is c,
  // and truncation() replaces c by r. Dealt: 64 + f bits per lane.
  [[nodiscard]] virtual TruncationPair truncation(Words& padded, std::size_t lanes, unsigned f) = 0;

  // Uniform a and b in Z/2^bits, and c = a b, or c = a & b with Group::exclusive_or. Dealt: `bits` bits per lane.
  [[nodiscard]] virtual Triples triples(std::size_t lanes, unsigned bits, Group group) = 0;
  [[nodiscard]] virtual BitMask random_bits(std::size_t lanes, unsigned width) = 0;
  // Bit number `bit` of the lanes first .. first + count - 1, as a number in Z/2^ring_bits. Each bit may be requested
  // at most once. Dealt: `ring_bits` bits per lane.
  [[nodiscard]] virtual Additive bits_as_numbers(const BitMask& bits, std::size_t first, std::size_t count,
                                                 unsigned bit, unsigned ring_bits) = 0;

  // Each of the following requests adds (the party's share of the lane's entry) << raise to sum[lane]. D is the lane's
  // position in its table, and m is the mask of this position. Dealt: all entries.

  // The table for a digit of a comparison: sign(D - m), or -[D < m] for the lowest digit. m is the digit of the mask
  // `x` that begins at bit tables.low.
  virtual void digit_tables(const Tables& tables, bool lowest, const IndexMask& x, std::span<std::uint64_t> sum) = 0;
  // The last table of a comparison. With m' = m mod 2^index_bits, the entry is (bit `top` of x) xor (bit `index_bits`
  // of m) xor [D < m'].
  virtual void borrow_tables(const Tables& tables, const IndexMask& x, unsigned top, const IndexMask& m,
                             std::span<std::uint64_t> sum) = 0;
  // A table for each value, indexed by the number of its wins. If the value's event explores, the entry is 1 for the
  // arm in samples.arms, and 0 for all other arms. If the event does not explore, the entry is 1 if the value wins all
  // pairs of its group, else 0.
  virtual void winner_tables(const Tables& tables, const IndexMask& wins, const ValueGroups& groups,
                             const Samples& samples, std::span<std::uint64_t> sum) = 0;
  // f(lane, (D - m) mod 2^index_bits). f may depend on secrets only if there is a dealer. Then only the dealer calls f.
  virtual void table(const Tables& tables, const IndexMask& m, const TableFunction& f,
                     std::span<std::uint64_t> sum) = 0;

  [[nodiscard]] virtual Samples samples(std::size_t events, std::size_t arms, Exploration exploration) = 0;
  // For each event and each m from 1 to `arms`, the one-hot of a uniform place among m places, in Z/2^8. If the event
  // does not explore, m zeros instead. Dealt: 8 bits per place.
  [[nodiscard]] virtual Additive explored_places(std::size_t events, std::size_t arms, const Samples& samples) = 0;
  // `m` contains the masks of values v. Returns the mask of v_i - v_j in Z/2^bits for each pair (i, j) of values in the
  // same group. If `samples` has ranks, returns the mask of v_i - v_j - [rank_i < rank_j] instead.
  [[nodiscard]] virtual IndexMask pair_masks(const IndexMask& m, unsigned bits, const ValueGroups& groups,
                                             const Samples& samples) = 0;
  // For each arm, the mask ((m >> shift) << rank_bits) - rank, in the arm's lane of `groups`; zero in lanes without an
  // arm. Dealt: 64 bits per lane.
  [[nodiscard]] virtual Mask ranked_mask(const Mask& m, const Samples& samples, RankedWidths widths,
                                         const ValueGroups& groups) = 0;
};

}  // namespace sotto
