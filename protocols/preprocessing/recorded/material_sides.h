// Two preprocessings that find out which material a program needs. ShapeSide plays the program on shapes, and PieceSide
// plays it on pieces of values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "protocols/preprocessing/recorded/material.h"
#include "protocols/preprocessing/recorded/player.h"
#include "protocols/preprocessing/recorded/table_material.h"

namespace sotto::protocols {

// The requests for material that the roles make with messages.
struct MessageRequests {
  struct Truncation {
    std::size_t lanes;
    unsigned f;
  };
  struct Numbers {
    std::size_t lanes;
    unsigned ring_bits;
  };
  PoolVector<Truncation> truncations;
  PoolVector<Numbers> numbers;
  NumberPieces planes;
  TableRequests tables;
  TableMasks masks;
};

template <class T>
[[nodiscard]] T& recorded(PoolVector<T>& values, std::size_t& at) {
  if (at >= values.size()) throw std::logic_error("the program asks for more than it did when it was recorded");
  return values[at++];
}

// The side on shapes, without words: draws the masks and notes the other requests. HolderSide notes products and cuts
// if parties have one piece.
class ShapeSide final : public PlayedSide {
 public:
  ShapeSide(PieceProtocols& pieces, RecordedMaterial& material, MessageRequests& requests)
      : PlayedSide(pieces), pieces_(pieces), material_(material), requests_(requests) {}
  void begin_stretch(StretchState stretch);

  [[nodiscard]] Mask mask(std::size_t lanes, unsigned bits) override;
  [[nodiscard]] Mask mask_of_zeros(std::size_t) const override { return {}; }
  [[nodiscard]] InputMask input_mask(NodeId owner, std::size_t lanes) override;
  [[nodiscard]] Additive zero(std::size_t, unsigned, Group) override { return {}; }
  void product(const BilinearMap& map, const Mask& x, const Mask& y, unsigned bits, Words& sum) override;
  void materialize(Words&, std::size_t) override {}
  [[nodiscard]] Additive cut(const BilinearMap& map, Operand side, unsigned shift, const CarryMask& g,
                             const Mask& other) override;
  [[nodiscard]] Additive bit_product(const BilinearMap& map, const BitMask& b, const Mask& y) override;
  [[nodiscard]] TruncationPair truncation(Words& padded, std::size_t lanes, unsigned f) override;
  [[nodiscard]] Triples triples(std::size_t lanes, unsigned bits, Group group) override;
  [[nodiscard]] BitMask random_bits(std::size_t lanes, unsigned width) override;
  [[nodiscard]] Additive bits_as_numbers(const BitMask&, std::size_t, std::size_t count, unsigned,
                                         unsigned ring_bits) override;
  [[nodiscard]] IndexMask add_index_mask(Words& to, std::size_t lanes, unsigned bits) override;
  void digit_tables(const Tables& tables, bool lowest, const IndexMask& x, std::span<std::uint64_t> sum) override;
  void borrow_tables(const Tables& tables, const IndexMask& x, unsigned top, const IndexMask& m,
                     std::span<std::uint64_t> sum) override;
  void winner_tables(const Tables& tables, const IndexMask& wins, const ValueGroups& groups, const Samples& samples,
                     std::span<std::uint64_t> sum) override;
  void table(const Tables& tables, const IndexMask& m, const TableFunction& f, std::span<std::uint64_t> sum) override;
  [[nodiscard]] Samples samples(std::size_t events, std::size_t arms, Exploration exploration) override;
  [[nodiscard]] Additive explored_places(std::size_t events, std::size_t arms, const Samples& samples) override;
  [[nodiscard]] IndexMask pair_masks(const IndexMask& m, unsigned bits, const ValueGroups& groups,
                                     const Samples& samples) override;

 private:
  [[nodiscard]] bool leaves_empty(const Tables& tables);
  [[nodiscard]] std::size_t index_of(const IndexMask& mask, const Tables& tables) const;
  [[nodiscard]] std::size_t choice_of(const Samples& samples) const;

  PieceProtocols& pieces_;
  RecordedMaterial& material_;
  MessageRequests& requests_;
  StretchState stretch_ = StretchState::to_make;
  std::optional<std::size_t> ties_;
  std::size_t borrows_ = 0;
  std::size_t earlier_indices_ = 0;
  std::size_t earlier_choices_ = 0;
};

// The own pieces of a party's operands, stored until the party knows the next pieces.
using OwnOperands = PoolVector<Words>;

// The side on pieces. With Of::own, every mask is the party's own piece. If a party has two pieces, a second PieceSide
// with Of::next plays the program on the next pieces. The last PieceSide notes the operands.
class PieceSide final : public PlayedSide {
 public:
  enum class Of : std::uint8_t { own, next };
  // If `keeps` is true, the next pieces stay in the material, to play the stretch once more.
  PieceSide(Of of, bool keeps, PieceProtocols& pieces, RecordedMaterial& material, MessageRequests& requests,
            OwnOperands& operands)
      : PlayedSide(pieces),
        next_(of == Of::next),
        keeps_(keeps),
        pieces_(pieces),
        material_(material),
        requests_(requests),
        operands_(operands) {}
  void begin_stretch(StretchState stretch);

  [[nodiscard]] Mask mask(std::size_t lanes, unsigned bits) override;
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
  [[nodiscard]] BitMask random_bits(std::size_t lanes, unsigned width) override;
  [[nodiscard]] Additive bits_as_numbers(const BitMask& bits, std::size_t first, std::size_t count, unsigned bit,
                                         unsigned ring_bits) override;
  [[nodiscard]] IndexMask add_index_mask(Words&, std::size_t, unsigned) override { return {}; }
  void digit_tables(const Tables& tables, bool lowest, const IndexMask& x, std::span<std::uint64_t> sum) override;
  void borrow_tables(const Tables& tables, const IndexMask& x, unsigned top, const IndexMask& m,
                     std::span<std::uint64_t> sum) override;
  void winner_tables(const Tables&, const IndexMask&, const ValueGroups&, const Samples&,
                     std::span<std::uint64_t>) override {}
  void table(const Tables& tables, const IndexMask& m, const TableFunction& f, std::span<std::uint64_t> sum) override;
  [[nodiscard]] Samples samples(std::size_t, std::size_t, Exploration) override { return {}; }
  [[nodiscard]] Additive explored_places(std::size_t, std::size_t, const Samples&) override { return {}; }
  [[nodiscard]] IndexMask pair_masks(const IndexMask& m, unsigned bits, const ValueGroups& groups,
                                     const Samples& samples) override;

 private:
  [[nodiscard]] Words piece(WordPieces& value) const {
    if (!next_) return value.own;
    return keeps_ ? value.next : std::move(value.next);
  }
  [[nodiscard]] bool last() const { return next_ || pieces_.pieces() == 1; }
  [[nodiscard]] WordPieces all_pieces(Words words);

  bool next_;
  bool keeps_;
  StretchState stretch_ = StretchState::to_make;
  PieceProtocols& pieces_;
  RecordedMaterial& material_;
  MessageRequests& requests_;
  OwnOperands& operands_;
  PoolVector<Words> compared_;
  struct Places {
    std::size_t masks = 0, inputs = 0, bits = 0, truncations = 0, operands = 0, borrows = 0;
  } at_;
};

}  // namespace sotto::protocols
