// RecordedSide: preprocessing without a dealer while a program runs, from material that was made before.
//
// A party's share of a mask is its own piece of the mask, or the share that the mode makes of its pieces (to_shares).
// If another party knows that piece, the share also gets the party's term of a fresh sharing of zero. Shares of index
// masks always get such a term. Products keep nothing back: the term B(mu_x, mu_y) is added to their shares at once.
//
// Every value of the material is given out once. Throws std::logic_error if the program asks for more than it did when
// it was recorded, or for other sizes. Also throws std::logic_error if the program begins a stretch before it has asked
// for all of the stretch before. Throws std::invalid_argument for what player.h refuses.
// Views           Parties see each other's openings. With three parties the message of party i is masked by F(K_(i+1)),
//                 which the party before lacks, and by F(K_i), which the party after lacks. The opened value is masked
//                 by the piece that a party lacks. With two parties each message is masked by the sender's own piece or
//                 by its term of a zero, and the opened value by the other party's piece.
#pragma once

#include <utility>

#include "protocols/preprocessing/recorded/player.h"
#include "protocols/preprocessing/recorded/tape.h"

namespace sotto::protocols {

class RecordedSide final : public RecordedBase {
 public:
  // The tape must outlive this object. There is no material before the first stretch begins.
  explicit RecordedSide(Tape& tape) : RecordedBase(tape.pieces()), tape_(&tape), pieces_(tape.pieces()) {}
  // `pieces` must outlive this object. For a program of one stretch (std::logic_error at a mark).
  RecordedSide(PieceProtocols& pieces, RecordedMaterial material)
      : RecordedBase(pieces), pieces_(pieces), material_(std::move(material)) {}

  // Runs in the phase "preprocessing" of the ledger. The ledger then continues in the phase where it was.
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
  // `own`, this party's own piece, plus its term of a fresh sharing of zero.
  [[nodiscard]] Words refreshed(Words own, std::size_t lanes, unsigned bits, Group group);
  // The material's next value of that kind, at a party.
  template <class T>
  [[nodiscard]] T taken(PoolVector<T>& values, std::size_t& at);

  // sum[lane] += weighted(lane, d, entries) << raise, where d is the lane's position and `entries` is its table.
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
