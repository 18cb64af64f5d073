// PieceProtocols: the operations on pieces that a mode without a dealer offers. Recordings (tape.h) and circuits use
// only the operations of PieceProtocols. PairKeys (replicated/pair_keys.h) implements PieceProtocols for three parties.
//
// Functionality   Draws are local. Each draw is one request, and all roles make their requests in the same order. All
//                 operations except draws are protocols. `turn` numbers tasks of one kind: parties take the leading
//                 part in turn, if the mode has such a part.
// Rounds, bytes, who sees what   as the headers of the mode without a dealer say. Nobody knows a number or a bit that
//                 is drawn, except the owner of an input.
// Throws          std::invalid_argument if sizes do not fit, or the mode has no input of the given owner. The object
//                 must outlive its tasks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>

#include "sotto/protocol/async/pool.h"
#include "sotto/protocol/async/task.h"
#include "sotto/protocol/party/party.h"
#include "sotto/protocol/party/preprocessing.h"
#include "sotto/protocol/party/slot.h"
#include "sotto/protocol/sharing/bilinear_map.h"
#include "sotto/protocol/sharing/masked.h"
#include "sotto/protocol/wire/label.h"

namespace sotto::protocols {

// Additive shares of the entries of tables. Most entries that are made ahead have only a few bits. Entries of up to 8
// bits are stored in bytes, eight to a word, and wider entries in words.

// Entry j of lane i is entry i s + j of tables of s entries, in Z/2^bits. A role whose table has no words has zeros, or
// has no shares.
struct TableShares {
  unsigned bits = 64;
  Words words;
};

[[nodiscard]] constexpr bool lie_in_bytes(unsigned bits) { return bits <= 8; }
[[nodiscard]] constexpr std::size_t entry_words(std::size_t entries, unsigned bits) {
  return lie_in_bytes(bits) ? (entries + 7) / 8 : entries;
}

// Calls f with a pointer to the entries, of type std::uint8_t or std::uint64_t.
template <class SharesOrConst, class F>
auto with_entries(SharesOrConst& shares, F&& f) {
  using Byte = std::conditional_t<std::is_const_v<SharesOrConst>, const std::uint8_t, std::uint8_t>;
  if (lie_in_bytes(shares.bits)) return f(reinterpret_cast<Byte*>(shares.words.data()));
  return f(shares.words.data());
}

// The `count` entries of the table from entry `first` on; empty if the table is empty.
[[nodiscard]] TableShares part_of(const TableShares& table, std::size_t first, std::size_t count);

// The table whose entry j of lane i is word i of by_entry[j]. At least the low `bits` bits of each word are kept.
[[nodiscard]] TableShares by_lane(const PoolVector<Additive>& by_entry, unsigned bits);

// The entries, with one word for each entry.
[[nodiscard]] Additive as_words(const TableShares& table, std::size_t count);

// packed() joins entries without gaps, as they are sent; unpacked() reverses packed(). The functions packed() and
// unpacked() keep an empty vector empty.
[[nodiscard]] Words packed(const TableShares& table, std::size_t count);
[[nodiscard]] TableShares unpacked(const Words& packed, std::size_t count, unsigned bits);

// Pieces: summands of values that parties hold together without a dealer. Each party has some of the summands of a
// value.
//
// A party has its own piece of each value. With three parties, a party also has its next piece, which is the own piece
// of the party after it (replicated/replicated.h). With two parties, a party has only its own piece, and `next` is
// empty. Sums and multiples by public numbers are local. A role without pieces has only the sizes of values.

// Numbers in Z/2^bits, each of which is the sum of its pieces.
struct WordPieces {
  std::size_t lanes;
  unsigned bits;
  Words own, next;
};

// One bit for each lane, which is the XOR of its pieces. Lane i is bit i mod 64 of word i / 64. The bits after the last
// lane may be anything.
struct BitPieces {
  std::size_t lanes = 0;
  Words own, next;
};

// The bits of numbers, the lowest first.
using NumberPieces = PoolVector<BitPieces>;

// The words of a plane, with one bit for each lane.
[[nodiscard]] constexpr std::size_t plane_words(std::size_t lanes) { return (lanes + 63) / 64; }

// The `count` words from word `first` on; empty if `words` is empty.
[[nodiscard]] Words slice(const Words& words, std::size_t first, std::size_t count);

// These operators throw std::invalid_argument if sizes differ.
[[nodiscard]] WordPieces operator+(WordPieces x, const WordPieces& y);
[[nodiscard]] BitPieces operator^(BitPieces x, const BitPieces& y);

// Widths of rings, 1 to 64 bits each, with one width for each bit or value.
using RingWidths = PoolVector<unsigned>;

// The pads of truncations by f bits: r uniform, mu = r >> f as a signed shift, h = the top bit of r.
struct TruncationMasks {
  WordPieces r;   // r in Z/2^width, only own pieces, as no product uses r; no words means zeros
  WordPieces mu;  // mu in Z/2^64
  WordPieces h;   // h in Z/2^f
};

struct InputPieces {
  WordPieces mask;
  Words known;  // the mask itself, at the owner of the input
};

// Additive shares of all products and cuts that were noted, in their order.
struct ProductShares {
  PoolVector<Additive> products;
  PoolVector<Additive> cuts;
};

// For each lane of an operand, the parties whose piece may differ from zero. Bit i is set for party i.
using Holders = PoolVector<std::uint8_t>;

class PieceProtocols;
struct RecordedMaterial;  // material.h

// Makes the PieceProtocols of a label. Each label has its own streams, so the draws of one label are independent of the
// draws of all other labels.
using MakePieces = std::function<std::unique_ptr<PieceProtocols>(const std::string& label)>;

// Makes all recorded requests that need messages, by the given PieceProtocols of a role without pieces. Only the sizes
// of the results are made, and no message is sent.
using DryRun = std::function<void(PieceProtocols&)>;

class PieceProtocols {
 public:
  virtual ~PieceProtocols() = default;

  // The party of this role; none at a role without pieces.
  [[nodiscard]] std::optional<NodeId> self() const noexcept { return self_; }
  // The number of pieces of a value that each party has: 1 or 2.
  [[nodiscard]] virtual unsigned pieces() const = 0;

  // Draws. -----------------------------------------------------------------------------------------------------------

  [[nodiscard]] virtual WordPieces uniform(std::size_t lanes, unsigned bits) = 0;
  [[nodiscard]] BitPieces uniform_bits(std::size_t lanes);
  // An input of `owner`, in Z/2^64.
  [[nodiscard]] virtual InputPieces input(NodeId owner, std::size_t lanes) = 0;
  // A party's term of a fresh sharing of zero.
  [[nodiscard]] virtual Words zero(std::size_t lanes, unsigned bits, Group group) = 0;

  // Bits. ------------------------------------------------------------------------------------------------------------

  // Public zeros as pieces of bits.
  [[nodiscard]] BitPieces zero_bits(std::size_t lanes) const;
  [[nodiscard]] virtual BitPieces complement(BitPieces bits) const = 0;
  [[nodiscard]] virtual Task<BitPieces> and_bits(Party& party, BitPieces x, BitPieces y, Label label) = 0;
  // Every party learns the bits, 64 lanes in a word; the result is empty at all other roles.
  [[nodiscard]] virtual Task<Words> open_bits(Party& party, BitPieces bits, Label label) = 0;
  // Each bit as a number of its ring. All planes have the same number of lanes.
  [[nodiscard]] virtual Task<PoolVector<Additive>> bits_as_shares(Party& party, std::size_t turn, NumberPieces bits,
                                                                  RingWidths widths, Label label) = 0;
  // The bits of number + carry.
  [[nodiscard]] virtual Task<NumberPieces> bits_of(Party& party, std::size_t turn, WordPieces number, BitPieces carry,
                                                   Label label) = 0;
  // The one-hot of each digit as numbers in Z/2^bits: a table of 2^b entries for each lane.
  [[nodiscard]] virtual Task<TableShares> digit_table(Party& party, std::size_t turn, NumberPieces digit, unsigned bits,
                                                      Label label) = 0;

  // Correlations of the online phase. --------------------------------------------------------------------------------

  // Masks of truncations in a ring of 64 bits.
  [[nodiscard]] virtual Task<TruncationMasks> truncation_masks(Party& party, std::size_t turn, std::size_t lanes,
                                                               unsigned f, Label label) = 0;

  // Called before the parts of a recording are made by messages. The dry run shows how much material all parts need
  // together.
  [[nodiscard]] virtual Task<void> make_ready(Party& party, const DryRun& dry_run) = 0;

  // Triples, products and cuts are first noted on shapes, at all roles. After that, parties also note products and cuts
  // on operands. The function make_products makes all that was noted. Only the low `bits` bits of a product are made.
  // Holders are empty if parties have two pieces.
  virtual void note_product(const BilinearMap& map, unsigned bits, const Holders& x, const Holders& y) = 0;
  // The operand `top` consists of bits, of which both parties have pieces. `other` are the holders of the operand that
  // is not `top`.
  virtual void note_cut(const BilinearMap& map, Operand top, unsigned shift, const Holders& other) = 0;
  virtual void note_triples(std::size_t lanes, unsigned bits, Group group) = 0;
  virtual void note_product_of(const BilinearMap& map, const WordPieces& x, const WordPieces& y) = 0;
  // The operand `top` consists of bits h in Z/2^shift, each times a public factor. `factors` has these factors if a
  // party has one piece, and is empty otherwise.
  virtual void note_cut_of(const BilinearMap& map, Operand top, unsigned shift, const Words& factors,
                           const WordPieces& x, const WordPieces& y) = 0;
  [[nodiscard]] virtual Task<ProductShares> make_products(Party& party) = 0;
  // The map's result, with one word for each lane. `product` is what make_products returned for this product.
  [[nodiscard]] virtual Additive finished_product(const BilinearMap& map, Additive product) const = 0;
  // Returns the next triples that were noted.
  [[nodiscard]] virtual Triples triples(std::size_t lanes, unsigned bits, Group group) = 0;

  // While the program runs. -----------------------------------------------------------------------------------------
  //
  // In most modes, the parties that make the material also compute on the material.

  // Whether this role has shares of the program's values.
  [[nodiscard]] virtual bool computes() const { return self().has_value(); }
  // This role's term of a fresh sharing of zero among the roles that compute.
  [[nodiscard]] virtual Words zero_of_shares(std::size_t lanes, unsigned bits, Group group) {
    return zero(lanes, bits, group);
  }
  // Whether the roles that compute make their shares from all their pieces. If so, the material also keeps the next
  // pieces, until to_shares() replaces own pieces by shares.
  [[nodiscard]] virtual bool shares_take_all_pieces() const { return false; }
  virtual void to_shares(RecordedMaterial&) const {}

  // A digest of the number, kind and size of all draws so far. The digest is the same at all roles that have made the
  // same draws.
  [[nodiscard]] virtual std::uint64_t digest() const noexcept = 0;
  // Confirms that all parties made the same requests. Throws ProtocolError (wrong_digest) if parties made different
  // requests.
  [[nodiscard]] virtual Task<void> confirm_same_requests(Party& party) = 0;

 protected:
  explicit PieceProtocols(std::optional<NodeId> self) : self_(self) {}
  PieceProtocols(const PieceProtocols&) = default;
  PieceProtocols(PieceProtocols&&) = default;
  PieceProtocols& operator=(const PieceProtocols&) = default;
  PieceProtocols& operator=(PieceProtocols&&) = default;

 private:
  std::optional<NodeId> self_;
};

}  // namespace sotto::protocols
