// Pair keys: randomness that two of three parties have in common and the third party lacks.
//
// Functionality   Party i and party i - 1 have key i, so party i has the keys i and i + 1. A request is one draw from
//                 both keys of a party. All roles make the same requests in the same order:
//                   uniform    a mask in three pieces, F(K_0) + F(K_1) + F(K_2); a party has two of them
//                   zero       a sharing of zero: party i has F(K_i) - F(K_(i+1)), or the XOR of both
//                   of_pair    F(K_i) itself, at the two holders of key i
//                   of_owner   a mask in three pieces, from three keys. A node outside the parties shares one key with
//                              each pair of parties, and so knows the mask
// How             F(K, request) is AES-128-CTR under a seed of that request. HKDF derives one seed for each block of
//                 256 requests, from K, the label of session and epoch, and the number of the block. AES-128-CTR
//                 expands the seed of a block to the seeds of its requests. No two requests use the same word. [Araki
//                 et al., CCS 2016, section 2.2; ABY3, CCS 2018, section 3]
// Rounds, bytes   Requests are local. confirm_same_requests: 1 round; each party sends 8 bytes, and nodes outside the
//                 parties send 8 bytes to party 0.
// Views           A party knows two of the three pieces of a mask, and its own term of a sharing of zero. To a party,
//                 the pieces and terms from the key that it lacks are pseudorandom. Two parties together know
//                 everything: pair keys are secure against one corrupt party, not against two. A node outside the
//                 parties knows only the masks of its own inputs.
// Errors          std::invalid_argument unless the run has three compute parties, or two and a helper, and no dealer.
//                 Also std::invalid_argument for a mask of an owner that is not a node outside the parties.
//                 ProtocolError (wrong_digest) if the next party made other requests, so that masks no longer match; at
//                 party 0 also if a node outside the parties made other requests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>

#include "protocols/preprocessing/recorded/piece_protocols.h"
#include "protocols/preprocessing/replicated/replicated.h"
#include "sotto/protocol/async/pool.h"
#include "sotto/protocol/async/task.h"
#include "sotto/protocol/party/party.h"
#include "sotto/protocol/random/seed.h"

namespace sotto::protocols {

// F(K, .): fills in the words of a request, uniform in [0, 2^bits).
using PairExpansion = std::function<void(std::uint64_t request, std::span<std::uint64_t> out, unsigned bits)>;

// The expansion of a key in the epoch of `label` (expansion_label, program_role.h).
[[nodiscard]] PairExpansion pair_expansion(const Seed& key, const std::string& label);

class PairKeys : public PieceProtocols {
 public:
  // Makes the object of a role without keys. Its requests return no words, but are counted.
  PairKeys() : PieceProtocols(std::nullopt) {}
  // Makes the object of party `self`, which has key `self` and the next key.
  PairKeys(NodeId self, PairExpansion own, PairExpansion next);
  // The keys that the owner, a node outside the parties, shares with the parties. The owner has all three keys. A party
  // has two: the key with the party's number, and the next key.
  void add_owner(NodeId owner, PoolVector<PairExpansion> keys);

  [[nodiscard]] WordPieces uniform(std::size_t lanes, unsigned bits) override;
  [[nodiscard]] Words zero(std::size_t lanes, unsigned bits, Group group) override;
  // One word for each lane, at `holder` and the party before it; nothing at the third party.
  [[nodiscard]] Words of_pair(NodeId holder, std::size_t lanes, unsigned bits);
  // A mask in Z/2^64.
  [[nodiscard]] InputPieces of_owner(NodeId owner, std::size_t lanes);

  [[nodiscard]] unsigned pieces() const override { return 2; }
  [[nodiscard]] InputPieces input(NodeId owner, std::size_t lanes) override;
  [[nodiscard]] BitPieces complement(BitPieces bits) const override;
  [[nodiscard]] Task<BitPieces> and_bits(Party& party, BitPieces x, BitPieces y, Label label) override;
  [[nodiscard]] Task<Words> open_bits(Party& party, BitPieces bits, Label label) override;
  [[nodiscard]] Task<PoolVector<Additive>> bits_as_shares(Party& party, std::size_t turn, NumberPieces bits,
                                                          RingWidths widths, Label label) override;
  [[nodiscard]] Task<NumberPieces> bits_of(Party& party, std::size_t turn, WordPieces number, BitPieces carry,
                                           Label label) override;
  [[nodiscard]] Task<TableShares> digit_table(Party& party, std::size_t turn, NumberPieces digit, unsigned bits,
                                              Label label) override;
  [[nodiscard]] Task<TruncationMasks> truncation_masks(Party& party, std::size_t turn, std::size_t lanes, unsigned f,
                                                       Label label) override;
  [[nodiscard]] Task<void> make_ready(Party& party, const DryRun& dry_run) override;
  void note_product(const BilinearMap&, unsigned, const Holders&, const Holders&) override {}
  void note_cut(const BilinearMap&, Operand, unsigned, const Holders&) override {}
  void note_triples(std::size_t, unsigned, Group) override {}
  void note_product_of(const BilinearMap& map, const WordPieces& x, const WordPieces& y) override;
  void note_cut_of(const BilinearMap& map, Operand top, unsigned shift, const Words& factors, const WordPieces& x,
                   const WordPieces& y) override;
  [[nodiscard]] Task<ProductShares> make_products(Party& party) override;
  [[nodiscard]] Additive finished_product(const BilinearMap&, Additive product) const override { return product; }
  [[nodiscard]] Triples triples(std::size_t lanes, unsigned bits, Group group) override;
  [[nodiscard]] Task<void> confirm_same_requests(Party& party) override;

  [[nodiscard]] std::uint64_t digest() const noexcept override { return digest_; }

 protected:
  // a and b in pieces, c in additive shares.
  struct TriplePieces {
    WordPieces a, b;
    Words c;
  };
  [[nodiscard]] TriplePieces triple_pieces(std::size_t lanes, unsigned bits, Group group);

 private:
  enum class Kind : std::uint8_t { uniform, zero, of_pair, of_owner };
  [[nodiscard]] std::uint64_t begin(Kind kind, std::size_t lanes, unsigned bits, unsigned detail);
  [[nodiscard]] Words expanded(const PairExpansion& key, std::uint64_t request, std::size_t lanes, unsigned bits) const;

  PairExpansion own_, next_;
  std::map<NodeId, PoolVector<PairExpansion>> of_owners_;
  ProductShares noted_;
  std::uint64_t requests_ = 0;
  std::uint64_t digest_ = 0;
};

[[nodiscard]] Task<void> confirm_same_requests(Party& party, const PairKeys& keys);

}  // namespace sotto::protocols
