// HelpedKeys: material that two parties make with a helper, which acts as party 2 of PairKeys and is not a party of the
// program. The helper knows no coin, no mask and no opening of the program.
//
// Functionality   As PairKeys, but the helper has no shares in the end. Party 0's share of a value in three pieces is
//                 piece 0, and party 1's share is piece 1 + piece 2, or their XOR (to_shares). The helper leads for
//                 bits that become numbers and for tables, and party 1 leads for the pads r of truncations. In both
//                 cases the helper's shares are zeros. Products, cuts and triples are sums of one term of each role.
// How             In make_products the helper sends party 1 its terms minus F(K_0), and party 0 adds F(K_0) to its own
//                 terms. While the program runs, the terms of a sharing of zero are F(K_1) at party 0 and -F(K_1) at
//                 party 1, or, by XOR, F(K_1) at both parties.
// Rounds, bytes   As in PairKeys. make_products: 1 round. For each lane of a product or triple, and for each pair of a
//                 cut, the helper sends one ring element. Ring elements are packed by bits into words of 8 bytes.
// Views           As in PairKeys, for one corrupt role; any two of the three roles can together read everything. The
//                 helper's terms are masked by F(K_0), which party 1 lacks. So party 1 sees uniform words, which reveal
//                 only the sum of both shares. Party 0's share is made of its own pieces and keys. The helper knows two
//                 of the three pieces of each mask, and learns nothing of the program except where its stretches begin.
//                 Values that are opened to nodes outside the parties are refreshed by F(K_1), and these nodes lack
//                 K_1.
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
  // The masks of the helper's words. Tests override this function.
  [[nodiscard]] virtual Words cover(std::size_t lanes, unsigned bits) { return of_pair(0, lanes, bits); }

 private:
  struct Noted {
    std::size_t lanes;
    unsigned bits;
    Group group = Group::sum;
  };
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
