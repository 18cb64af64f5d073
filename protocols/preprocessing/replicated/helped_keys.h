// HelpedKeys: material for two parties, which they make with a helper in the way of the three parties of PairKeys. The
// helper has the place of party 2 in PairKeys, and is not a party of the program that runs on the material. The helper
// knows no coin, no mask and no opening of that program.
//
// Functionality   Draws and protocols are those of PairKeys, but the parts are dealt out so that the helper holds
//                 nothing in the end. Party 0's share of a value in three pieces is piece 0. The share of party 1,
//                 which has the other two pieces, is piece 1 + piece 2, or their XOR (to_shares). The helper leads for
//                 bits that become numbers and for tables (replicated_bits.h, digit_table.h), and so has zeros. Party 1
//                 leads for pads r of truncations, so the helper has none. Products, cuts and triples are sums of one
//                 term of each role: the helper hands its own term over.
// How             In make_products the helper sends party 1 its terms minus F(K_0), and party 0 adds F(K_0) to its own
//                 terms. While the program runs, sharings of zero are F(K_1) and -F(K_1), or F(K_1) twice by XOR.
// Rounds, bytes   Those of PairKeys. make_products: 1 round together with others of its kind. The helper sends the
//                 ring's bits of each lane of a product, pair of a cut and lane of a triple, packed into words of 8
//                 bytes. The parties send nothing.
// Views           As in PairKeys, whichever of the three is corrupt. The terms that the helper hands over are masked by
//                 F(K_0), which party 1 lacks. Party 1 sees uniform words, which reveal only the sum of both shares.
//                 Party 0's share is made of its own pieces and keys. The helper knows pieces 2 and 0 of three of each
//                 mask, and hears nothing of the program except where its stretches begin. Nodes outside lack K_1,
//                 which refreshes the values opened to them. Any two of the three read everything together.
#pragma once

#include <cstddef>
#include <cstdint>

#include "protocols/preprocessing/recorded/material.h"
#include "protocols/preprocessing/replicated/pair_keys.h"

namespace sotto::protocols {

class HelpedKeys : public PairKeys {
 public:
  explicit HelpedKeys(PairKeys keys) : PairKeys(std::move(keys)) {}

  [[nodiscard]] Task<PoolVector<Additive>> bits_as_shares(Party& party, std::size_t turn, NumberPieces bits,
                                                          RingWidths widths, Label label) override;
  [[nodiscard]] Task<TableShares> digit_table(Party& party, std::size_t turn, NumberPieces digit, unsigned bits,
                                              Label label) override;
  [[nodiscard]] Task<TruncationMasks> truncation_masks(Party& party, std::size_t turn, std::size_t lanes, unsigned f,
                                                       Label label) override;
  void note_product(const BilinearMap& map, unsigned bits, const Holders& x, const Holders& y) override;
  void note_cut(const BilinearMap& map, Operand top, unsigned shift, const Holders& other) override;
  void note_triples(std::size_t lanes, unsigned bits, Group group) override;
  [[nodiscard]] Task<ProductShares> make_products(Party& party) override;
  [[nodiscard]] Triples triples(std::size_t lanes, unsigned bits, Group group) override;

  [[nodiscard]] bool computes() const override;
  [[nodiscard]] Words zero_of_shares(std::size_t lanes, unsigned bits, Group group) override;
  [[nodiscard]] bool shares_take_all_pieces() const override { return true; }
  void to_shares(RecordedMaterial& material) const override;

 protected:
  // The words that hide the words that the helper hands over; tests leave them out.
  [[nodiscard]] virtual Words cover(std::size_t lanes, unsigned bits) { return of_pair(0, lanes, bits); }

 private:
  struct Noted {
    std::size_t lanes;
    unsigned bits;
    Group group = Group::sum;
  };
  // One term of each of the three roles, in place. Afterwards the helper's terms are empty.
  struct Term {
    Noted shape;
    Words* words;
  };
  [[nodiscard]] Task<void> give_terms(Party& party, PoolVector<Term> terms);
  void share(WordPieces& value, Group group) const;

  PoolVector<Noted> products_, cuts_, triple_requests_;
  PoolVector<Triples> triples_;
  std::size_t triples_at_ = 0;
};

}  // namespace sotto::protocols
