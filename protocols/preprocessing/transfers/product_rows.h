// ProductRows: products and cuts of masks of two parties, gathered into rows by transfers.
//
// Functionality   Of each product that was noted (PieceProtocols) a share of x[i] y[j] for each of its pairs; of each cut the
//                 same mod 2^f, h a bit times its public factor.
// How             Of each product the operand with fewer entries chooses: an entry of it, with the entries that it is
//                 multiplied by, is a row (transfer_products.h). Rows of one width go together, over all products. Of a cut
//                 the top bits choose: the XOR of the lowest bits of both pieces is the bit. Rows have at most 64 words.
// Rounds, bytes   2 rounds. Of a product 64 transfers a row and 260 bytes a pair, of a cut one and f / 8; of each party.
// Who sees what   As in transfer_products.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <tuple>

#include "sotto/core/async/task.h"
#include "sotto/core/party/party.h"
#include "sotto/core/sharing/bilinear_map.h"
#include "sotto/protocols/preprocessing/recorded/piece_protocols.h"
#include "sotto/protocols/preprocessing/transfers/transfer_pair.h"

namespace sotto::protocols {

class ProductRows {
 public:
  void note_product(const BilinearMap& map);
  void note_cut(const BilinearMap& map, Operand top, unsigned shift);
  // Lanes of products of single words mod 2^bits, for triples.
  void note_lanes(std::size_t lanes, unsigned bits);

  // The operands of what was noted, in its order: all of map_operands first, then all of lane_operands.
  void map_operands(const WordPieces& x, const WordPieces& y, const Words& factors);
  void lane_operands(const Words& x, const Words& y);

  struct Made {
    ProductShares of_maps;  // a word a pair
    PoolVector<Words> lanes;
  };
  // Forgets what was noted. This and `transfers` outlive the task.
  [[nodiscard]] Task<Made> make(Party& party, TransferPair& transfers);

 private:
  struct Noted {
    std::optional<unsigned> shift;  // of a cut
    bool left_chooses;
    // By pair, those of one chooser one after the other.
    PoolVector<std::uint32_t> pair, chooser, other;
    Words factors;
  };
  struct Kind {
    std::size_t width;
    unsigned bits, choice_bits;
    friend bool operator<(const Kind& a, const Kind& b) {
      return std::tie(a.width, a.bits, a.choice_bits) < std::tie(b.width, b.bits, b.choice_bits);
    }
  };
  // The rows of one kind; the operands at a party alone.
  struct Rows {
    std::size_t count = 0;
    Words words, choosers;
    Words shares;
    std::size_t taken = 0;
  };
  // `top`: which operand of a cut are the top bits; none of a product.
  void note(const BilinearMap& map, std::optional<Operand> top, unsigned shift);
  template <class Row>
  static void for_each_row(const Noted& noted, Row&& row);
  [[nodiscard]] static Kind kind_of(const Noted& noted, std::size_t width);

  PoolVector<Noted> noted_;
  PoolVector<Kind> lanes_;
  PoolVector<std::size_t> lane_counts_;
  std::map<Kind, Rows> rows_;
  std::size_t operands_ = 0, lane_operands_ = 0;
};

}  // namespace sotto::protocols
