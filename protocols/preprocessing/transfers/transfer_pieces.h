// TransferPieces: the operations of two parties on pieces, by oblivious transfers. Either party may be corrupt.
//
// Functionality   Each party has one of the two pieces of a value. Draws (each is one request, and all roles make the
//                 same requests in the same order):
//                   uniform    each party's piece from a key of its own
//                   input      for a party: its own piece; the other party's piece is zero. For an owner outside the
//                              parties: a piece from each of the two keys that the owner shares with the parties
//                   zero       from a key K of both parties: F(K) at party 0 and -F(K) at party 1, or, by XOR, F(K) at
//                              both parties
//                 and protocols:
//                   make_ready          triples for all recorded ANDs (bit_triples.h)
//                   and_bits            by triples of bits
//                   open_bits           both parties send their pieces
//                   bits_as_shares      b = b_0 + b_1 - 2 b_0 b_1, the product by a transfer (transfer_products.h)
//                   make_products       products, cuts, and triples of numbers, by rows (product_rows.h)
//                 two_party_circuits.h has the other protocols.
// How             F(K, request) is AES-128-CTR under a key derived by HKDF from K, the label of session and epoch, and
//                 the number of the request. No two requests use the same word.
// Rounds, bytes   agree_on_transfer_pieces: 2 rounds. Each party sends 16,384 bytes, and party 0 sends 16 more. An
//                 owner outside the parties sends 16 bytes to each party.
//                 make_ready: 1 round, 16 / k bytes an AND, in words of 64 ANDs.
//                 and_bits: 1 round, 16 bytes for 64 lanes. open_bits: 1 round, 8 bytes for 64 lanes.
//                 bits_as_shares: 2 rounds, or none if w = 1. For each bit in Z/2^w the receiver sends 16 / k bytes and
//                 the sender w - 1 bits. Each party is the receiver for half of the lanes.
//                 make_products: 2 rounds, more for many products (product_rows.h).
//                 confirm_same_requests: 1 round, 8 bytes. Owners outside the parties send 8 bytes to party 0.
// Views           A party sees its own piece of a mask, and messages that hide the other party's piece; the headers
//                 named above give the reasons. An owner outside the parties sees the masks of its own inputs. Nobody
//                 knows a mask, a coin or an order.
// Throws          std::invalid_argument unless the run has two compute parties and no dealer. std::logic_error for more
//                 ANDs than were recorded. ProtocolError (wrong_digest) if the other party made other requests, so that
//                 masks no longer match; at party 0 also if an owner outside the parties made other requests.
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

// The keys of a role, null if the role lacks them.
struct TransferKeys {
  std::shared_ptr<const Seed> own;                  // at a party: its own key
  std::shared_ptr<const Seed> pair;                 // the key of both parties
  std::vector<std::shared_ptr<const Seed>> owners;  // at a party: its key with each node outside the parties
  std::shared_ptr<const Seed> with_0, with_1;       // at an owner outside the parties
};

class TransferPieces final : public TwoPartyCircuits {
 public:
  // `self` is this role's number if the role is a compute party. `node` is this role's number if the role is a node.
  // Objects that share transfers must not use them at the same time.
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

// `secret` is this role's own seed, fresh for the run; `label` is the same at all roles. `k` is the parameter k of the
// extension (core/transfer/extension.h).
[[nodiscard]] Task<TransferPieces> agree_on_transfer_pieces(Party& party, Seed secret, std::string label,
                                                            unsigned k = 4);

// Agrees on pieces for many labels, with the transfers of one set-up. No other set-up may have the same `label`. Pieces
// of one label are always the same, so each label must be used only once. All material of one label must be made before
// any material of the next label. Both parties must use the labels in the same order.
[[nodiscard]] Task<MakePieces> agree_on_all_transfer_pieces(Party& party, Seed secret, std::string label,
                                                            unsigned k = 4);

}  // namespace sotto::protocols
