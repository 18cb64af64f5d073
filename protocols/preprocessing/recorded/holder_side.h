// HolderSide: finds operands of products for which one party's piece is zero. HolderSide is for runs in which each
// party has one piece of each value. The transfers for such an operand are left out (product_rows.h).
//
// How             The program is played once for each party. If the party has a piece of a mask, public random odd
//                 words replace the mask. Zeros replace all other masks, which are those of the other party's inputs
//                 and of public constants. If an operand comes out as zeros, the party's piece of the operand is taken
//                 to be zero. A multiple of an odd word by a factor from 1 to 2^64 - 1 is not zero. A sum of several
//                 odd words, times a factor below 2^b, is zero with probability 2^(b-63) a lane. In this case the party
//                 later finds a piece that should be zero but is not, and the run ends (product_rows.h).
// Views           The seed of the random words is public, so the result is public.
#pragma once

#include "protocols/preprocessing/recorded/piece_protocols.h"
#include "protocols/preprocessing/recorded/player.h"
#include "sotto/protocol/random/prg.h"

namespace sotto::protocols {

// For each entry of the left and of the right operand: the parties whose piece may be other than zero. Only parties for
// which the program was already played are listed.
struct OperandHolders {
  Holders left, right;
};

class HolderSide final : public PlayedSide {
 public:
  // The HolderSide of party 1, which plays second, notes the products for both parties. `pieces` and `of_party_0` must
  // outlive this object.
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
  [[nodiscard]] std::optional<OperandHolders> of_both(const Words& left, const Words& right);

  NodeId party_;
  PieceProtocols& pieces_;
  PoolVector<OperandHolders>& of_party_0_;
  Prg words_;
  StretchState stretch_ = StretchState::to_make;
  std::size_t at_ = 0;
};

}  // namespace sotto::protocols
