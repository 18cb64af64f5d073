// ProductRows: products and cuts of masks of two parties, made in rows by transfers.
//
// Functionality   For each noted product (PieceProtocols), a share of x[i] y[j] for each pair of the product. For each
//                 noted cut, a share of h[i] y[j] mod 2^f for each pair, where h[i] is a bit times its public factor.
// How             x y = x_0 y_0 + x_0 y_1 + x_1 y_0 + x_1 y_1. Each party computes one of these terms by itself, and
//                 each direction of transfers makes one of the other two terms (transfer_products.h). A direction
//                 ("way") is left out if its sender has no piece of the factor that is sent, or its receiver has no
//                 piece of the factor that chooses. If one factor is an input of a party, the product needs only one
//                 way. A product of two inputs of the same party needs no transfers. In a product, the operand with
//                 fewer entries chooses. If all pairs would go one way, each operand chooses for half of the pairs. A
//                 row is an entry of the choosing operand, with all entries by which this entry is multiplied. Rows of
//                 the same width are transferred together, over all products. In a cut the bits choose: with b = b_0 ^
//                 b_1, b y_s = b_s y_s + b_r (1 - 2 b_s) y_s. A row has at most 64 words.
// Rounds, bytes   2 rounds for every 16 MB of replies, and 2 rounds for the rest. Larger messages would need new memory
//                 each time they are copied, which would take as long as all transfers. Each way of a product takes 64
//                 transfers a row (16 / k bytes each, sent by the receiver) and 260 bytes a pair (sent by the sender).
//                 A product mod 2^w takes w transfers and w (w + 1) / 16 bytes; a cut takes one transfer and f / 8
//                 bytes.
// Views           As in transfer_products.h. All roles know which ways are left out.
// Throws          std::logic_error if a party has a piece that should not exist (holder_side.h).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <tuple>

#include "protocols/preprocessing/recorded/piece_protocols.h"
#include "protocols/preprocessing/transfers/transfer_pair.h"
#include "sotto/protocol/async/task.h"
#include "sotto/protocol/async/when_all.h"
#include "sotto/protocol/party/party.h"
#include "sotto/protocol/sharing/bilinear_map.h"

namespace sotto::protocols {

class ProductRows {
 public:
  // The limit for the messages of one way; a message may have up to 8 rows more.
  static constexpr std::size_t reply_bytes_at_once = std::size_t{1} << 24;

  // Notes the low `bits` bits of products.
  void note_product(const BilinearMap& map, unsigned bits, const Holders& x, const Holders& y);
  void note_cut(const BilinearMap& map, Operand top, unsigned shift, const Holders& other);
  // Notes lanes of products of single words mod 2^bits, for triples.
  void note_lanes(std::size_t lanes, unsigned bits);

  // These functions pass the operands of everything that was noted, in the order of the notes, at party `self`. All
  // calls of map_operands come first, then all calls of lane_operands.
  void map_operands(NodeId self, const BilinearMap& map, const WordPieces& x, const WordPieces& y,
                    const Words& factors);
  void lane_operands(NodeId self, const Words& x, const Words& y);

  struct Made {
    ProductShares of_maps;  // one word for each pair
    PoolVector<Words> lanes;
  };
  // Makes everything that was noted, and clears the notes. This object and `transfers` must outlive the task.
  [[nodiscard]] Task<Made> make(Party& party, TransferPair& transfers);

 private:
  // Pairs whose products go one way. First come the pairs in which the right operand chooses, then those in which the
  // left operand chooses. Pairs with the same choosing entry are next to each other.
  struct Way {
    PoolVector<std::uint32_t> pairs;
    std::size_t by_right = 0;
  };
  struct Noted {
    std::optional<Operand> top;  // in a cut: the operand that consists of bits
    unsigned bits;
    PoolVector<std::uint32_t> left, right;  // the entries of each pair
    std::array<Way, 2> ways;                // by sender
    Holders left_holders, right_holders;
    Words shares;   // shares by pair
    Words factors;  // factors of the bits of a cut
  };
  struct Kind {
    std::size_t width;
    unsigned bits, choice_bits;
    friend bool operator<(const Kind& a, const Kind& b) {
      return std::tie(a.width, a.bits, a.choice_bits) < std::tie(b.width, b.bits, b.choice_bits);
    }
  };
  // The rows of one kind that go one way.
  struct Rows {
    std::size_t count = 0;
    Words factors;  // this party's factors: words x at the sender, choosing words y at the receiver
    Words shares;
    std::size_t taken = 0;
  };
  struct Lanes {
    std::size_t count;
    Kind kind;
    Words shares;
  };

  void note(const BilinearMap& map, std::optional<Operand> top, unsigned bits, const Holders& x, const Holders& y);
  [[nodiscard]] static Way way_of(const Noted& noted, NodeId sender, std::size_t first_by_left);
  // Calls row(first, width, by_left) for each row: the position of the row's first pair in the way, the number of the
  // row's words, and whether the left operand chooses.
  template <class Row>
  static void for_each_row(const Noted& noted, const Way& way, Row&& row);
  [[nodiscard]] static Kind kind_of(const Noted& noted, std::size_t width);
  // Rows of one kind that are sent in one message.
  struct Portion {
    Kind kind;
    std::size_t first, count;
  };
  // The messages of one way, in the order of sending.
  [[nodiscard]] static PoolVector<PoolVector<Portion>> portions_of(const std::map<Kind, Rows>& kinds);
  [[nodiscard]] Task<Unit> exchange(Party& party, TransferPair& transfers, NodeId sender, PoolVector<Portion> portions);
  // Adds this party's factors to the rows of the way with the given sender.
  void add_factors(const Noted& noted, NodeId sender, bool sends, const Words& left, const Words& right);
  // Adds this party's shares from both ways to the shares of the noted product.
  void add_shares(Noted& noted);

  PoolVector<Noted> noted_;
  PoolVector<Lanes> lanes_;
  std::array<std::map<Kind, Rows>, 2> rows_;  // by sender
  std::size_t operands_ = 0, lane_operands_ = 0;
};

}  // namespace sotto::protocols
