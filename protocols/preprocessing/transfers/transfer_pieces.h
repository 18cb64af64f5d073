// TransferPieces: the operations of two parties on pieces without a dealer, by oblivious transfers. Either party may be
// corrupt.
//
// Functionality   A value has two pieces, and each party has one of them. Draws (each draw is one request, and all
//                 roles make the same requests in the same order):
//                   uniform    each party's piece from a key of its own
//                   input      for a party: its own piece; the other party's piece is zero. For an owner outside the
//                              parties: a piece from each of the two keys that the owner shares with the parties
//                   zero       F(K) and -F(K), or, by XOR, F(K) at both parties, where both parties have the key K
//                 and protocols:
//                   make_ready          triples for all recorded ANDs and triples of bits (bit_triples.h)
//                   and_bits            by triples of bits
//                   open_bits           both parties send their pieces
//                   bits_as_shares      b = b_0 + b_1 - 2 b_0 b_1, the product by a transfer (transfer_products.h)
//                   make_products       products, cuts, and triples of numbers, by rows (product_rows.h)
//                 two_party_circuits.h has the other protocols.
// How             F(K, request) is AES-128-CTR under a key derived by HKDF from K, the label of session and epoch, and
//                 the number of the request. The number of a lane is the position of the lane in the stream. No word is
//                 used by two requests.
// Rounds, bytes   agree_on_transfer_pieces: 2 rounds; each party sends 16,384 bytes, party 0 sends 16 more, and an
//                 owner outside the parties sends 16 to each party. make_ready: 1 round, 16 / k bytes an AND, in words
//                 of 64. and_bits, open_bits: 1 round, 16 and 8 bytes for 64 lanes. bits_as_shares: 2 rounds. For each
//                 bit in Z/2^w the receiver sends 16 / k bytes and the sender sends w - 1 bits. Each party is the
//                 receiver for half of the lanes. Nothing is sent if w = 1. make_products: 2 rounds, more for many
//                 products (product_rows.h). confirm_same_requests: 1 round, 8 bytes; owners outside the parties send 8
//                 bytes to party 0.
// Views           A party sees its own piece of a mask, and messages that hide the other party's piece as the named
//                 headers say. An owner outside the parties sees the masks of its own inputs. Nobody knows a mask, a
//                 coin or an order.
// Throws          std::invalid_argument unless the run has two compute parties and no dealer. std::logic_error if more
//                 ANDs are asked for than were recorded. ProtocolError (wrong_digest) if the other party made other
//                 requests, which would shift masks silently. Party 0 also throws it if an owner outside the parties
//                 made other requests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "protocols/preprocessing/transfers/bit_triples.h"
#include "protocols/preprocessing/transfers/product_rows.h"
#include "protocols/preprocessing/transfers/transfer_pair.h"
#include "protocols/preprocessing/transfers/two_party_circuits.h"
#include "sotto/protocol/async/task.h"
#include "sotto/protocol/party/party.h"
#include "sotto/protocol/random/seed.h"

namespace sotto::protocols {

// The keys of a role; keys that the role lacks are null.
struct TransferKeys {
  std::shared_ptr<const Seed> own;                  // at a party: the key that only this party has
  std::shared_ptr<const Seed> pair;                 // the key that both parties have
  std::vector<std::shared_ptr<const Seed>> owners;  // for each node outside the parties: its key with this party
  std::shared_ptr<const Seed> with_0, with_1;       // at an owner outside the parties: its keys with them
};

class TransferPieces final : public TwoPartyCircuits {
 public:
  // `self` is the party of this role, none at a role without pieces; `node` is this role. Several objects may share the
  // transfers if only one object at a time makes anything.
  TransferPieces(std::optional<NodeId> self, std::optional<NodeId> node, TransferKeys keys,
                 std::shared_ptr<TransferPair> transfers);

  [[nodiscard]] WordPieces uniform(std::size_t lanes, unsigned bits) override;
  [[nodiscard]] InputPieces input(NodeId owner, std::size_t lanes) override;
  [[nodiscard]] Words zero(std::size_t lanes, unsigned bits, Group group) override;

  [[nodiscard]] Task<BitPieces> and_bits(Party& party, BitPieces x, BitPieces y, Label label) override;
  [[nodiscard]] Task<Words> open_bits(Party& party, BitPieces bits, Label label) override;
  [[nodiscard]] Task<PoolVector<Additive>> bits_as_shares(Party& party, std::size_t turn, NumberPieces bits,
                                                          RingWidths widths, Label label) override;

  [[nodiscard]] Task<void> make_ready(Party& party, const DryRun& dry_run) override;
  void note_product(const BilinearMap& map, unsigned bits, const Holders& x, const Holders& y) override {
    rows_.note_product(map, bits, x, y);
  }
  void note_cut(const BilinearMap& map, Operand top, unsigned shift, const Holders& other) override {
    rows_.note_cut(map, top, shift, other);
  }
  void note_triples(std::size_t lanes, unsigned bits, Group group) override;
  void note_product_of(const BilinearMap& map, const WordPieces& x, const WordPieces& y) override;
  void note_cut_of(const BilinearMap& map, Operand top, unsigned shift, const Words& factors, const WordPieces& x,
                   const WordPieces& y) override;
  [[nodiscard]] Task<ProductShares> make_products(Party& party) override;
  [[nodiscard]] Additive finished_product(const BilinearMap& map, Additive product) const override;
  [[nodiscard]] Triples triples(std::size_t lanes, unsigned bits, Group group) override;
  [[nodiscard]] Task<void> confirm_same_requests(Party& party) override;

  [[nodiscard]] std::uint64_t digest() const noexcept override { return digest_; }

 private:
  enum class Kind : std::uint8_t { uniform, input, zero };
  [[nodiscard]] std::uint64_t begin(Kind kind, std::size_t lanes, unsigned bits, unsigned detail);
  // Returns the next triples of the stock.
  [[nodiscard]] BitTriples taken(std::size_t words);

  std::optional<NodeId> node_;
  TransferKeys keys_;
  std::shared_ptr<TransferPair> transfers_;
  ProductRows rows_;
  BitTriples stock_;
  std::size_t stock_words_ = 0, stock_at_ = 0;
  struct TripleRequest {
    std::size_t lanes;
    unsigned bits;
    Group group;
  };
  PoolVector<TripleRequest> triple_requests_;
  PoolVector<Triples> triples_;
  std::size_t triples_at_ = 0;
  std::uint64_t requests_ = 0;
  std::uint64_t digest_ = 0;
};

// `secret` is this role's own seed, fresh for the run; `label` is the same at all roles. `k` is the parameter of
// core/transfer/extension.h.
[[nodiscard]] Task<TransferPieces> agree_on_transfer_pieces(Party& party, Seed secret, std::string label,
                                                            unsigned k = 4);

// Agrees on pieces for many labels, by the transfers of one set-up. The set-up has the label `label`, which no other
// set-up may have. Pieces of two labels have no word in common. Pieces of one label are always the same, so each label
// must be used only once. The count of transfers continues from one label to the next. All material of one label must
// be made before material of another label begins, in the same order at both parties.
[[nodiscard]] Task<MakePieces> agree_on_all_transfer_pieces(Party& party, Seed secret, std::string label,
                                                            unsigned k = 4);

}  // namespace sotto::protocols
