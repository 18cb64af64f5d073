// Preprocessing: the correlated randomness that the code of a primitive requests. There is one request for each kind of
// randomness.
//
// Every role makes the same requests in the same order, with sizes that follow from the run's parameters. The result of
// a request depends on the role: include/sotto/protocol/sharing/masked.h says what each type contains at a compute
// party and at the dealer. All other roles get no words. No request depends on an opened value, with one exception: the
// position at which a party takes the entry of a table (Tables::positions).
//
// Two of the backends are Dealt (include/sotto/protocol/preprocessing/dealt.h), in which a trusted dealer runs the
// program on the masks, and NoPreprocessing (core/party/no_preprocessing.h). In the comments of this file, "Dealt" is
// the cost of a request with a dealer, in bits that the last party receives.
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
  Words known;  // the mask itself at the owner and at the dealer, empty elsewhere
  Mask mask;
};

// The parts of a truncation by f bits, in addition to its pad r: mu = ((r mod 2^63) >> f) - 2^(63-f) h, h = bit 63 of
// r.
struct TruncationPair {
  Mask mu;
  Additive h;   // h in Z/2^f, at a compute party
  CarryMask g;  // g = 2^(64-f) h, at the dealer
};

// c = a b, or a & b.
struct Triples {
  Additive a, b, c;
};

// One-time tables, one per lane, and the position of the entry that each lane takes.
struct Tables {
  std::size_t lanes;
  unsigned index_bits;  // a table has 2^index_bits entries
  unsigned bits;        // bits of the ring of the entries
  // At a compute party, a public word per lane: the entry at (word >> low) mod 2^index_bits is taken.
  std::span<const std::uint64_t> positions;
  unsigned low = 0;
  unsigned raise = 0;  // entries are multiplied by 2^raise
  // An index may be too large by up to this number, and the tables of the caller allow for that. An index that is made
  // of bits of a masked value can be too large.
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

// The dealer's private samples of choices among arms, event by event. Empty at all other roles.
struct Samples {
  // A uniform permutation of each event's arms: if values are equal, the value with the higher rank wins. Empty if
  // values never tie.
  PoolVector<std::size_t> ranks;
  PoolVector<std::uint8_t> explore;  // 1: the event explores, and its arm wins whatever the values are
  PoolVector<std::size_t> arms;      // a uniform arm of each event; empty: no arm wins in an event that explores

  // in_groups(): the samples for the choice within each group of `columns` arms, where each arm is a column. If the
  // samples have no arms, no group explores. among_groups(): the samples for the choice among these groups, whose
  // values never tie.
  [[nodiscard]] Samples in_groups(std::size_t columns) const;
  [[nodiscard]] Samples among_groups(std::size_t columns) const;
};

// The widths of a score whose low bits are replaced by a rank.
struct RankedWidths {
  unsigned shift;      // number of low bits that are dropped from a score
  unsigned rank_bits;  // l
};

// f(lane, value) for the value that an index hides.
using TableFunction = std::function<std::uint64_t(std::size_t lane, std::uint64_t value)>;

class Party;

class Preprocessing {
 public:
  virtual ~Preprocessing() = default;

  // Begins the next stretch of the program; no other task of the program may wait meanwhile. Backends that make
  // randomness ahead of use make the randomness of the next stretch
  // (include/sotto/protocol/preprocessing/run_with_randomness.h). Other backends do nothing in this call.
  [[nodiscard]] virtual Task<void> next_stretch(Party&) { co_return; }

  // Masks. -----------------------------------------------------------------------------------------------------------

  // A mask that is uniform in [0, 2^bits) in each lane; no party knows the mask. Dealt: nothing.
  [[nodiscard]] virtual Mask mask(std::size_t lanes, unsigned bits) = 0;
  // The mask of a public constant. Dealt: nothing.
  [[nodiscard]] virtual Mask mask_of_zeros(std::size_t lanes) const = 0;
  // A mask that is uniform in Z/2^64 in each lane, and known to the owner. Dealt: nothing if the owner is a compute
  // party (its share is the mask, and all other shares are zero), else 64 bits per lane.
  [[nodiscard]] virtual InputMask input_mask(NodeId owner, std::size_t lanes) = 0;
  // Adds a uniform mask of Z/2^bits to the shares in `to`. The result has only the parts of the mask that tables need.
  // At a compute party `to` has `lanes` words; at all other roles `to` does not change. Dealt: nothing.
  [[nodiscard]] virtual IndexMask add_index_mask(Words& to, std::size_t lanes, unsigned bits) = 0;
  // A fresh sharing of zero in Z/2^bits, added to shares before they are opened. Dealt: `bits` bits per lane.
  [[nodiscard]] virtual Additive zero(std::size_t lanes, unsigned bits, Group group) = 0;

  // Products and truncations. ----------------------------------------------------------------------------------------

  // The term B(mu_x, mu_y) of a product that will be truncated: the backend may keep this term back until the
  // truncation. At a compute party `sum` holds the party's local terms, one word for each lane of the map's result. The
  // party's share of the part that is not kept back is added to `sum`. At the dealer `sum` becomes the part that is
  // kept back. The low `bits` bits of the sum are those of the product; the higher bits may be anything. Dealt:
  // nothing, as the whole term is kept back.
  virtual void product(const BilinearMap& map, const Mask& x, const Mask& y, unsigned bits, Words& sum) = 0;
  // Adds to `sum` shares of the terms that were kept back by products. At the dealer `sum` holds the terms that were
  // kept back, or is empty if these terms are zero. Dealt: 64 bits per lane.
  virtual void materialize(Words& sum, std::size_t lanes) = 0;
  // [h mu] in Z/2^shift for each pair of the map. The operand that `side` names has a carry term with g = 2^(64-shift)
  // h, and the other operand has the mask `other`. Dealt: `shift` bits per pair.
  [[nodiscard]] virtual Additive cut(const BilinearMap& map, Operand side, unsigned shift, const CarryMask& g,
                                     const Mask& other) = 0;
  // [b mu] for each pair of the map. The bits b are the lowest bits of the words of `b`, and belong to the left
  // operand. The mask mu is `y`, and belongs to the right operand. Dealt: 64 bits per pair.
  [[nodiscard]] virtual Additive bit_product(const BilinearMap& map, const BitMask& b, const Mask& y) = 0;
  // True if, with this backend, products by bits (include/sotto/protocol/arithmetic/selection.h) cost less than
  // products by masked words.
  [[nodiscard]] virtual bool selects_by_bits() const { return false; }
  // The pad r of a truncation by f bits, and its parts. At a compute party, the party's share of r is added to
  // `padded`, which has one word per lane. At the dealer `padded` holds the terms that products kept back, or is empty.
  // The pad r includes the terms in `padded`, and the call leaves meaningless words in `padded` at the dealer. Dealt:
  // 64 + f bits per lane.
  [[nodiscard]] virtual TruncationPair truncation(Words& padded, std::size_t lanes, unsigned f) = 0;

  // Triples and bits. ------------------------------------------------------------------------------------------------

  // Uniform a and b in Z/2^bits, and c = a b. With Group::exclusive_or, a, b and c have `bits` bits per lane each, and
  // c = a & b. Dealt: `bits` bits per lane.
  [[nodiscard]] virtual Triples triples(std::size_t lanes, unsigned bits, Group group) = 0;
  // `width` uniform bits per lane. Dealt: nothing.
  [[nodiscard]] virtual BitMask random_bits(std::size_t lanes, unsigned width) = 0;
  // Bit number `bit` of the lanes first .. first + count - 1, as a number in Z/2^ring_bits. To be called at most once
  // for each bit. Dealt: `ring_bits` bits per lane.
  [[nodiscard]] virtual Additive bits_as_numbers(const BitMask& bits, std::size_t first, std::size_t count,
                                                 unsigned bit, unsigned ring_bits) = 0;

  // Tables. ----------------------------------------------------------------------------------------------------------
  //
  // At a compute party sum[lane] += (its share of the entry at the lane's position) << raise. At all other roles `sum`
  // does not change. Dealt: all entries. An entry depends on D - m, where D is the position.

  // The table for a digit of a comparison, with m the bits of `x` from tables.low on: sign(D - m), or -[D < m] for the
  // lowest digit.
  virtual void digit_tables(const Tables& tables, bool lowest, const IndexMask& x, std::span<std::uint64_t> sum) = 0;
  // The last table of a comparison: (bit `top` of x) xor (bit index_bits of m) xor [D < low index_bits bits of m], with
  // m the mask of the sum of digits.
  virtual void borrow_tables(const Tables& tables, const IndexMask& x, unsigned top, const IndexMask& m,
                             std::span<std::uint64_t> sum) = 0;
  // A table for each value of the groups, indexed by the number of the value's wins: 1 if the value wins all pairs of
  // its group, else 0. In an event that explores: 1 for the arm in `samples`, else 0.
  virtual void winner_tables(const Tables& tables, const IndexMask& wins, const ValueGroups& groups,
                             const Samples& samples, std::span<std::uint64_t> sum) = 0;
  // f(lane, (D - m) mod 2^index_bits). With every backend, f may be public. Only with a dealer, f may be secret; then
  // only the dealer calls f.
  virtual void table(const Tables& tables, const IndexMask& m, const TableFunction& f,
                     std::span<std::uint64_t> sum) = 0;

  // Choices. ---------------------------------------------------------------------------------------------------------

  // Ranks, the Bernoulli bit and the uniform arm of each event, from the dealer's coins. Dealt: nothing.
  [[nodiscard]] virtual Samples samples(std::size_t events, std::size_t arms, Exploration exploration) = 0;
  // For each event that explores, and for each m from 1 to `arms`, the one-hot of a uniform place among m places, in
  // Z/2^8. The one-hots of an event follow one another. Events that do not explore have only zeros. Dealt: 8 bits per
  // place, and arms (arms + 1) / 2 places per event.
  [[nodiscard]] virtual Additive explored_places(std::size_t events, std::size_t arms, const Samples& samples) = 0;
  // The masks of v_i - v_j in Z/2^bits for each pair of the groups, for masks m of the values. If the samples have
  // ranks, the mask of a pair is greater by [rank_i < rank_j], so that the difference is smaller by [rank_i < rank_j].
  // Dealt: nothing.
  [[nodiscard]] virtual IndexMask pair_masks(const IndexMask& m, unsigned bits, const ValueGroups& groups,
                                             const Samples& samples) = 0;
  // For each arm, the mask ((m >> shift) << rank_bits) - rank, in the lane that the arm has in `groups`. In lanes
  // without an arm, the mask is zero. Dealt: 64 bits per lane.
  [[nodiscard]] virtual Mask ranked_mask(const Mask& m, const Samples& samples, RankedWidths widths,
                                         const ValueGroups& groups) = 0;
};

}  // namespace sotto
