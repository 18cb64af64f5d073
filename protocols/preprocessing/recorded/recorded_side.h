// RecordedSide: preprocessing from material that was made before, without a dealer.
//
// A party's share of a mask is its own piece, or the share that to_shares() made. For masks, index masks, random bits
// and the pads of truncations, the party adds its term of a fresh sharing of zero, because another party may know the
// piece. The shares of input masks have no such term.
//
// Every value of the material is used only once. Throws std::logic_error if the program makes other requests than were
// recorded, or leaves some of a stretch's material unused.
//
// Views           Parties see each other's openings. With three parties (pair_keys.h), the message of party i is masked
//                 by F(K_(i+1)), which party i - 1 lacks, and by F(K_i), which party i + 1 lacks. To each party, the
//                 opened value is masked by the piece that the party lacks. With two parties, each message is masked by
//                 the sender's own piece or by the sender's term of a sharing of zero. The opened value is masked by
//                 the other party's piece.
#pragma once

#include <utility>

#include "protocols/preprocessing/recorded/player.h"
#include "protocols/preprocessing/recorded/tape.h"

namespace sotto::protocols {

class RecordedSide final : public RecordedBase {
 public:
  // The tape must outlive this object.
  explicit RecordedSide(Tape& tape) : RecordedBase(tape.pieces()), tape_(&tape), pieces_(tape.pieces()) {}
  // For programs without marks: next_stretch() throws std::logic_error. `pieces` must outlive this object.
  RecordedSide(PieceProtocols& pieces, RecordedMaterial material)
      : RecordedBase(pieces), pieces_(pieces), material_(std::move(material)) {}

  [[nodiscard]] Task<void> next_stretch(Party& party) override;
  [[nodiscard]] Mask mask(std::size_t lanes, unsigned bits) override;
  [[nodiscard]] Mask mask_of_zeros(std::size_t lanes) const override;
  [[nodiscard]] InputMask input_mask(NodeId owner, std::size_t lanes) override;
  [[nodiscard]] Additive zero(std::size_t lanes, unsigned bits, Group group) override;
  void product(const BilinearMap& map, const Mask& x, const Mask& y, unsigned bits, Words& sum) override;
  void materialize(Words&, std::size_t) override {}
  [[nodiscard]] Additive cut(const BilinearMap& map, Operand side, unsigned shift, const CarryMask& g,
                             const Mask& other) override;
  [[nodiscard]] Additive bit_product(const BilinearMap& map, const BitMask& b, const Mask& y) override;
  [[nodiscard]] TruncationPair truncation(Words& padded, std::size_t lanes, unsigned f) override;
  [[nodiscard]] Triples triples(std::size_t lanes, unsigned bits, Group group) override;
  [[nodiscard]] BitMask random_bits(std::size_t lanes, unsigned width) override;
  [[nodiscard]] Additive bits_as_numbers(const BitMask& bits, std::size_t first, std::size_t count, unsigned bit,
                                         unsigned ring_bits) override;
  [[nodiscard]] IndexMask add_index_mask(Words& to, std::size_t lanes, unsigned bits) override;
  void digit_tables(const Tables& tables, bool lowest, const IndexMask& x, std::span<std::uint64_t> sum) override;
  void borrow_tables(const Tables& tables, const IndexMask& x, unsigned top, const IndexMask& m,
                     std::span<std::uint64_t> sum) override;
  void winner_tables(const Tables& tables, const IndexMask& wins, const ValueGroups& groups, const Samples& samples,
                     std::span<std::uint64_t> sum) override;
  void table(const Tables& tables, const IndexMask& m, const TableFunction& f, std::span<std::uint64_t> sum) override;
  [[nodiscard]] Samples samples(std::size_t, std::size_t, Exploration) override { return {}; }
  [[nodiscard]] IndexMask pair_masks(const IndexMask&, unsigned, const ValueGroups&, const Samples&) override {
    return {};
  }
  [[nodiscard]] Additive explored_places(std::size_t events, std::size_t arms, const Samples& samples) override;

 private:
  [[nodiscard]] Words refreshed(Words own, std::size_t lanes, unsigned bits, Group group);
  template <class T>
  [[nodiscard]] T taken(PoolVector<T>& values, std::size_t& at);

  // sum[lane] += weighted(lane, position, entries of the lane's table) << raise.
  template <class Weighted>
  void add_entries(const Tables& tables, std::span<std::uint64_t> sum, Weighted&& weighted);
  void take_entries(const Tables& tables, std::span<std::uint64_t> sum);

  [[nodiscard]] bool all_given_out() const;

  Tape* tape_ = nullptr;
  PieceProtocols& pieces_;
  RecordedMaterial material_;
  struct Places {
    std::size_t masks = 0, inputs = 0, bits = 0, truncations = 0, products = 0, cuts = 0, numbers = 0, indices = 0,
                tables = 0, places = 0;
  } at_;
};

}  // namespace sotto::protocols
