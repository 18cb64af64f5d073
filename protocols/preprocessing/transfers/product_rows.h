// ProductRows: products and cuts of masks of two parties, made in rows by transfers.
//
// Functionality   For each noted product (PieceProtocols), a share of x[i] y[j] for each pair. For each noted cut, a
//                 share of h[i] y[j] mod 2^f for each pair, where h[i] is a bit times its public factor.
// How             x y = x_0 y_0 + x_0 y_1 + x_1 y_0 + x_1 y_1. Party i computes x_i y_i by itself. Each direction of
//                 transfers ("way") makes one of the two mixed terms (transfer_products.h): its sender sends one
//                 factor, and its receiver chooses by the other factor. A way is left out if the sender's piece of the
//                 sent factor is zero, or if the receiver's piece of the choosing factor is zero. So a product with an
//                 input of a party needs one way, and a product of two inputs of one party none. In a product, the
//                 operand with fewer entries chooses. If this choice leaves only one of the two ways, each operand
//                 chooses for half of the pairs. A row is an entry of the choosing operand, with up to 64 entries of
//                 the other operand. Rows of the same width are transferred together, over all products. In a cut the
//                 bits choose. For b = b_0 ^ b_1, a sender s and a receiver r, b y_s = b_s y_s + b_r (1 - 2 b_s) y_s.
// Rounds, bytes   2 rounds for every 16 MB of replies, and 2 rounds for the rest. For each way of a product, the
//                 receiver sends 16 / k bytes (k of agree_on_transfers) for each of 64 transfers per row, and the
//                 sender sends 260 bytes per pair. A product mod 2^w takes w transfers per row and w (w + 1) / 16 bytes
//                 per pair. A cut takes one transfer per row and f / 8 bytes per pair.
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
  // The limit in bytes for a message of one way. A message may exceed the limit by 8 rows. To copy larger messages
  // would take as long as the transfers.
  static constexpr std::size_t reply_bytes_at_once = std::size_t{1} << 24;

  void note_product(const BilinearMap& map, unsigned bits, const Holders& x, const Holders& y);
  void note_cut(const BilinearMap& map, Operand top, unsigned shift, const Holders& other);
  // Notes products of single words mod 2^bits, for triples.
  void note_lanes(std::size_t lanes, unsigned bits);

  // At party `self`, the operands of everything that was noted, in the order of the notes. All calls of map_operands
  // come before all calls of lane_operands.
  void map_operands(NodeId self, const BilinearMap& map, const WordPieces& x, const WordPieces& y,
                    const Words& factors);
  void lane_operands(NodeId self, const Words& x, const Words& y);

  struct Made {
    ProductShares of_maps;
    PoolVector<Words> lanes;
  };
  // Makes everything that was noted.
  [[nodiscard]] Task<Made> make(Party& party, TransferPair& transfers);

 private:
  // The pairs of one way. The pairs in which the right operand chooses come first.
  struct Way {
    PoolVector<std::uint32_t> pairs;
    std::size_t by_right = 0;
  };
  struct Noted {
    std::optional<Operand> top;  // in a cut: the operand that consists of bits
    unsigned bits;
    PoolVector<std::uint32_t> left, right;
    std::array<Way, 2> ways;
    Holders left_holders, right_holders;
    Words shares;
    Words factors;
  };
  struct Kind {
    std::size_t width;
    unsigned bits, choice_bits;
    friend bool operator<(const Kind& a, const Kind& b) {
      return std::tie(a.width, a.bits, a.choice_bits) < std::tie(b.width, b.bits, b.choice_bits);
    }
  };
  struct Rows {
    std::size_t count = 0;
    Words factors;  // the words x at the sender; the words y, which choose, at the receiver
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
  // Calls row(first, width, by_left) for each row. `first` is the first pair of the row, `width` is the row's number of
  // words, and `by_left` is true if the left operand chooses.
  template <class Row>
  static void for_each_row(const Noted& noted, const Way& way, Row&& row);
  [[nodiscard]] static Kind kind_of(const Noted& noted, std::size_t width);
  struct Portion {
    Kind kind;
    std::size_t first, count;
  };
  [[nodiscard]] static PoolVector<PoolVector<Portion>> portions_of(const std::map<Kind, Rows>& kinds);
  [[nodiscard]] Task<Unit> exchange(Party& party, TransferPair& transfers, NodeId sender, PoolVector<Portion> portions);
  void add_factors(const Noted& noted, NodeId sender, bool sends, const Words& left, const Words& right);
  void add_shares(Noted& noted);

  PoolVector<Noted> noted_;
  PoolVector<Lanes> lanes_;
  std::array<std::map<Kind, Rows>, 2> rows_;
  std::size_t operands_ = 0, lane_operands_ = 0;
};

}  // namespace sotto::protocols
