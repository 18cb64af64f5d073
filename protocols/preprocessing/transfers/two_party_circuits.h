// TwoPartyCircuits: operations of two parties on pieces, by ANDs and by bits that become numbers.
//
// Functionality   bits_of, digit_table, truncation_masks as in piece_protocols.h. A value is the sum of one summand of
//                 each party. A party knows its own summand, so the bits of the summand need no masks: the party's XOR
//                 share is the bits, and the other party's share is zeros.
// How             bits_of             a ripple adder on the two summands (circuits.h)
//                 digit_table         one_hot of circuits.h, with the entries as numbers
//                 truncation_masks    with r = u + v and c_i the carry into bit i, low(.) the low 63 bits,
//                                       h  = u_63 ^ v_63 ^ c_63
//                                       mu = (low(u) >> f) + (low(v) >> f) + c_f - 2^(63-f) (c_63 + h)
//                                     One adder gives the carries, and three bits become numbers. [our own]
// Rounds, bytes   bits_of: one round less than the number has bits. digit_table: the rounds of one_hot, then of
//                 bits_as_shares. truncation_masks: 63 rounds, then the rounds of bits_as_shares. In bits_of and
//                 truncation_masks, each of these rounds has one AND for each lane.
// Views           As in the ANDs and bits_as_shares. Each party knows its own piece of r, mu and h.
// Throws          std::invalid_argument unless 1 <= f <= 62.
#pragma once

#include <cstddef>

#include "protocols/preprocessing/recorded/piece_protocols.h"

namespace sotto::protocols {

class TwoPartyCircuits : public PieceProtocols {
 public:
  [[nodiscard]] unsigned pieces() const final { return 1; }
  [[nodiscard]] BitPieces complement(BitPieces bits) const final;
  [[nodiscard]] Task<NumberPieces> bits_of(Party& party, std::size_t turn, WordPieces number, BitPieces carry,
                                           Label label) final;
  [[nodiscard]] Task<TableShares> digit_table(Party& party, std::size_t turn, NumberPieces digit, unsigned bits,
                                              Label label) final;
  [[nodiscard]] Task<TruncationMasks> truncation_masks(Party& party, std::size_t turn, std::size_t lanes, unsigned f,
                                                       Label label) final;

 protected:
  using PieceProtocols::PieceProtocols;

 private:
  // Party 0 knows the first summand, party 1 the second summand.
  struct Summands {
    NumberPieces u, v;
  };
  [[nodiscard]] Summands summands(const WordPieces& number) const;
};

// AndCounter: counts the ANDs of two parties in a recording, in words of 64, at a role without pieces.

class AndCounter final : public TwoPartyCircuits {
 public:
  AndCounter() : TwoPartyCircuits(std::nullopt) {}
  [[nodiscard]] std::size_t words() const noexcept { return words_; }

  [[nodiscard]] WordPieces uniform(std::size_t lanes, unsigned bits) override { return {lanes, bits, {}, {}}; }
  [[nodiscard]] InputPieces input(NodeId, std::size_t lanes) override { return {{lanes, 64, {}, {}}, {}}; }
  [[nodiscard]] Words zero(std::size_t, unsigned, Group) override { return {}; }
  [[nodiscard]] Task<BitPieces> and_bits(Party& party, BitPieces x, BitPieces y, Label label) override;
  [[nodiscard]] Task<Words> open_bits(Party& party, BitPieces bits, Label label) override;
  [[nodiscard]] Task<PoolVector<Additive>> bits_as_shares(Party& party, std::size_t turn, NumberPieces bits,
                                                          RingWidths widths, Label label) override;
  [[nodiscard]] Task<void> make_ready(Party& party, const DryRun& dry_run) override;
  void note_product(const BilinearMap&, unsigned, const Holders&, const Holders&) override {}
  void note_cut(const BilinearMap&, Operand, unsigned, const Holders&) override {}
  void note_triples(std::size_t, unsigned, Group) override {}
  void note_product_of(const BilinearMap&, const WordPieces&, const WordPieces&) override {}
  void note_cut_of(const BilinearMap&, Operand, unsigned, const Words&, const WordPieces&, const WordPieces&) override {
  }
  [[nodiscard]] Task<ProductShares> make_products(Party& party) override;
  [[nodiscard]] Additive finished_product(const BilinearMap&, Additive) const override { return {}; }
  [[nodiscard]] Triples triples(std::size_t, unsigned, Group) override { return {}; }
  [[nodiscard]] std::uint64_t digest() const noexcept override { return 0; }
  [[nodiscard]] Task<void> confirm_same_requests(Party& party) override;

 private:
  std::size_t words_ = 0;
};

}  // namespace sotto::protocols
