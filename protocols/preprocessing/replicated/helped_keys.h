// HelpedKeys: material that two parties make with a helper, in the same way as the three parties of PairKeys. The
// helper acts as party 2 of PairKeys, and is not a party of the program that runs on the material. The helper knows no
// coin, no mask and no opening of the program.
//
// Functionality   Draws and protocols are those of PairKeys, but the parts are assigned so that the helper has no
//                 shares in the end. Party 0's share of a value in three pieces is piece 0. The share of party 1, which
//                 has the other two pieces, is piece 1 + piece 2, or their XOR (to_shares). The helper is the lead
//                 party for bits that become numbers and for tables (replicated_bits.h, digit_table.h), and so has
//                 zeros. Party 1 is the lead party for pads r of truncations, so the helper has no share of r.
//                 Products, cuts and triples are sums of one term of each role, and the helper sends its own term to
//                 party 1.
// How             In make_products the helper sends party 1 its terms minus F(K_0), and party 0 adds F(K_0) to its own
//                 terms. While the program runs, a sharing of zero consists of F(K_1) and -F(K_1), or, by XOR, of
//                 F(K_1) at both parties.
// Rounds, bytes   Those of PairKeys. make_products: 1 round, together with all other products, cuts and triples that
//                 were noted. For each lane of a product or triple, and each pair of a cut, the helper sends as many
//                 bits as the ring has, packed into words of 8 bytes. The parties send nothing.
// Views           As in PairKeys, whichever one of the two parties and the helper is corrupt. The terms that the helper
//                 sends are masked by F(K_0), which party 1 lacks. Party 1 sees uniform words, which reveal only the
//                 sum of both shares. Party 0's share is made of its own pieces and keys. The helper knows two of the
//                 three pieces of each mask (pieces 2 and 0), and learns nothing of the program except where its
//                 stretches begin. Nodes outside the parties lack K_1, which refreshes the values that are opened to
//                 such nodes. The two parties and the helper are three roles, any two of which can together read
//                 everything.
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
  // The masks of the words that the helper sends; tests replace this function to send the words without masks.
  [[nodiscard]] virtual Words cover(std::size_t lanes, unsigned bits) { return of_pair(0, lanes, bits); }

 private:
  struct Noted {
    std::size_t lanes;
    unsigned bits;
    Group group = Group::sum;
  };
  // A term of a product, of a cut or of triples, at any of the three roles. The function give_terms() changes terms in
  // place and leaves the helper's terms empty.
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
