// HolderSide: finds out at which party an operand of a product is zero. HolderSide is used if a party has only one
// piece of each value. For an operand that is zero at one party, the other party sends nothing.
//
// How             The program is played once for each party. In the play for a party, a mask consists of public random
//                 odd words if the party has a piece of the mask, and of zeros if it has none. A party has no piece of
//                 the other party's inputs and of public constants. An operand that comes out as zeros is zero at that
//                 party. A multiple of an odd word by less than 2^64 is not zero. A sum of several odd words, times a
//                 factor of less than 2^b, is zero with probability 2^(b-63) a lane. If that happens, a party finds a
//                 piece that should not exist, and the run ends (product_rows.h).
// Views           The words come from a generator that everybody knows, so the result is public, and the same at all
//                 roles.
#pragma once

#include "protocols/preprocessing/recorded/piece_protocols.h"
#include "protocols/preprocessing/recorded/player.h"
#include "sotto/protocol/random/prg.h"

namespace sotto::protocols {

// For both operands of one request: the holders among the parties for which the program has already been played.
struct OperandHolders {
  Holders left, right;
};

class HolderSide final : public PlayedSide {
 public:
  // The first HolderSide is for party 0, and the second is for party 1. The side for party 1 notes the products of both
  // parties. `pieces` and `of_party_0` must outlive this object.
  HolderSide(NodeId party, PieceProtocols& pieces, PoolVector<OperandHolders>& of_party_0);
  void begin_stretch(StretchState stretch) {
    stretch_ = stretch;
    at_ = 0;
  }

  [[nodiscard]] Mask mask(std::size_t lanes, unsigned) override { return Mask{held(lanes)}; }
  [[nodiscard]] Mask mask_of_zeros(std::size_t lanes) const override { return Mask{Words(lanes, 0)}; }
  [[nodiscard]] InputMask input_mask(NodeId owner, std::size_t lanes) override;
  [[nodiscard]] Additive zero(std::size_t, unsigned, Group) override { return {}; }
  void product(const BilinearMap& map, const Mask& x, const Mask& y, unsigned bits, Words& sum) override;
  void materialize(Words&, std::size_t) override {}
  [[nodiscard]] Additive cut(const BilinearMap& map, Operand side, unsigned shift, const CarryMask& g,
                             const Mask& other) override;
  [[nodiscard]] Additive bit_product(const BilinearMap& map, const BitMask& b, const Mask& y) override;
  [[nodiscard]] TruncationPair truncation(Words& padded, std::size_t lanes, unsigned f) override;
  [[nodiscard]] Triples triples(std::size_t, unsigned, Group) override { return {}; }
  [[nodiscard]] BitMask random_bits(std::size_t, unsigned) override { return {}; }
  [[nodiscard]] Additive bits_as_numbers(const BitMask&, std::size_t, std::size_t, unsigned, unsigned) override {
    return {};
  }
  [[nodiscard]] IndexMask add_index_mask(Words&, std::size_t, unsigned) override { return {}; }
  void digit_tables(const Tables&, bool, const IndexMask&, std::span<std::uint64_t>) override {}
  void borrow_tables(const Tables&, const IndexMask&, unsigned, const IndexMask&, std::span<std::uint64_t>) override {}
  void winner_tables(const Tables&, const IndexMask&, const ValueGroups&, const Samples&,
                     std::span<std::uint64_t>) override {}
  void table(const Tables&, const IndexMask&, const TableFunction&, std::span<std::uint64_t>) override {}
  [[nodiscard]] Samples samples(std::size_t, std::size_t, Exploration) override { return {}; }
  [[nodiscard]] Additive explored_places(std::size_t, std::size_t, const Samples&) override { return {}; }
  [[nodiscard]] IndexMask pair_masks(const IndexMask&, unsigned, const ValueGroups&, const Samples&) override {
    return {};
  }

 private:
  [[nodiscard]] Words held(std::size_t lanes);
  // The side for party 1 returns the holders of both operands. The side for party 0 keeps the part of party 0 and
  // returns nothing. Returns nothing for a stretch whose material was made before.
  [[nodiscard]] std::optional<OperandHolders> of_both(const Words& left, const Words& right);

  NodeId party_;
  PieceProtocols& pieces_;
  PoolVector<OperandHolders>& of_party_0_;
  Prg words_;
  StretchState stretch_ = StretchState::to_make;
  std::size_t at_ = 0;
};

}  // namespace sotto::protocols
