// PieceProtocols: what a mode without a dealer does with pieces. Recordings (material.h) and circuits stand on it
// alone; PairKeys (replicated/pair_keys.h) is that of three parties.
//
// Functionality   Draws are local, one request each, the same in the same order at all roles; the others are protocols.
//                 `turn` numbers tasks of one kind: parties take the leading part in turn where the mode has one.
// Rounds, bytes, who sees what   as the mode's headers say. Nobody knows a number or a bit that is drawn, but for the
//                 owner of an input.
// Throws          std::invalid_argument where sizes do not fit, or the mode has no input of that owner. The object
//                 outlives the tasks.
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

// Additive shares of the entries of tables. Most of what is made ahead are entries of a few bits: those of up to 8 bits
// lie in bytes, eight to a word, and all others in words.

// Entry j of lane i is entry i s + j of tables of s entries, in Z/2^bits. A role without words has zeros, or holds
// nothing.
struct TableShares {
  unsigned bits = 64;
  Words words;
};

[[nodiscard]] constexpr bool lie_in_bytes(unsigned bits) { return bits <= 8; }
[[nodiscard]] constexpr std::size_t entry_words(std::size_t entries, unsigned bits) {
  return lie_in_bytes(bits) ? (entries + 7) / 8 : entries;
}

// Calls f with a pointer to the entries: of std::uint8_t or of std::uint64_t.
template <class SharesOrConst, class F>
auto with_entries(SharesOrConst& shares, F&& f) {
  using Byte = std::conditional_t<std::is_const_v<SharesOrConst>, const std::uint8_t, std::uint8_t>;
  if (lie_in_bytes(shares.bits)) return f(reinterpret_cast<Byte*>(shares.words.data()));
  return f(shares.words.data());
}

// `count` entries from `first` on; nothing of nothing.
[[nodiscard]] TableShares part_of(const TableShares& table, std::size_t first, std::size_t count);

// Entry j of lane i is word i of number j, mod 2^bits at least.
[[nodiscard]] TableShares by_lane(const PoolVector<Additive>& by_entry, unsigned bits);

// A word an entry.
[[nodiscard]] Additive as_words(const TableShares& table, std::size_t count);

// Entries packed without gaps, as they travel, and back. Both keep an empty vector empty.
[[nodiscard]] Words packed(const TableShares& table, std::size_t count);
[[nodiscard]] TableShares unpacked(const Words& packed, std::size_t count, unsigned bits);

// Pieces: values that parties hold together without a dealer, as summands of which each party has some.
//
// A party has its own piece of each value. Of three parties it also has its next one, the own piece of the party after
// it (replicated/replicated.h); of two parties it has no other, and `next` is empty. Sums and multiples by public
// numbers are local. A role that holds nothing has the sizes alone.

// Numbers in Z/2^bits, the pieces add up to them.
struct WordPieces {
  std::size_t lanes;
  unsigned bits;
  Words own, next;
};

// A bit a lane, the pieces XOR to them: lane i is bit i mod 64 of word i / 64. Bits behind the last lane are any.
struct BitPieces {
  std::size_t lanes = 0;
  Words own, next;
};

// The bits of numbers, the lowest first.
using NumberPieces = PoolVector<BitPieces>;

// Words of a bit a lane.
[[nodiscard]] constexpr std::size_t plane_words(std::size_t lanes) { return (lanes + 63) / 64; }

// `count` words from `first` on; nothing of nothing.
[[nodiscard]] Words slice(const Words& words, std::size_t first, std::size_t count);

// Sizes must agree (std::invalid_argument).
[[nodiscard]] WordPieces operator+(WordPieces x, const WordPieces& y);
[[nodiscard]] BitPieces operator^(BitPieces x, const BitPieces& y);

// Rings of 1 to 64 bits each, one a bit or a value.
using RingWidths = PoolVector<unsigned>;

// The pads of truncations by f bits: r uniform, mu = r >> f as a signed shift, h = the top bit of r.
struct TruncationMasks {
  WordPieces r;   // in Z/2^width, the own pieces alone: it enters no product; no words stand for zeros
  WordPieces mu;  // in Z/2^64
  WordPieces h;   // in Z/2^f
};

struct InputPieces {
  WordPieces mask;
  Words known;  // the mask itself, at its owner
};

// Of all products and cuts that were noted, in their order, in additive shares.
struct ProductShares {
  PoolVector<Additive> products;
  PoolVector<Additive> cuts;
};

// Of each lane of an operand, which parties have a piece that may be other than zero: bit i for party i.
using Holders = PoolVector<std::uint8_t>;

class PieceProtocols;
struct RecordedMaterial;  // material.h

// Pieces of a label: each label has streams of its own, so what draws from one keeps pace with nothing else.
using MakePieces = std::function<std::unique_ptr<PieceProtocols>(const std::string& label)>;

// Makes what was recorded of messages, on sizes alone and without messages, by the given protocols of a role that holds
// nothing.
using DryRun = std::function<void(PieceProtocols&)>;

class PieceProtocols {
 public:
  virtual ~PieceProtocols() = default;

  // The party that this is; none at a role that holds nothing.
  [[nodiscard]] std::optional<NodeId> self() const noexcept { return self_; }
  // The pieces that each party has of a value, 1 or 2.
  [[nodiscard]] virtual unsigned pieces() const = 0;

  // Draws. -----------------------------------------------------------------------------------------------------------

  [[nodiscard]] virtual WordPieces uniform(std::size_t lanes, unsigned bits) = 0;
  [[nodiscard]] BitPieces uniform_bits(std::size_t lanes);
  // In Z/2^64.
  [[nodiscard]] virtual InputPieces input(NodeId owner, std::size_t lanes) = 0;
  // A party's term of a fresh sharing of zero.
  [[nodiscard]] virtual Words zero(std::size_t lanes, unsigned bits, Group group) = 0;

  // Bits. ------------------------------------------------------------------------------------------------------------

  // All bits alike, of no party's choice.
  [[nodiscard]] BitPieces zero_bits(std::size_t lanes) const;
  [[nodiscard]] virtual BitPieces complement(BitPieces bits) const = 0;
  [[nodiscard]] virtual Task<BitPieces> and_bits(Party& party, BitPieces x, BitPieces y, Label label) = 0;
  // Every party learns the bits: a word for 64 lanes, nothing elsewhere.
  [[nodiscard]] virtual Task<Words> open_bits(Party& party, BitPieces bits, Label label) = 0;
  // Each bit as a number of its ring. Planes have as many lanes.
  [[nodiscard]] virtual Task<PoolVector<Additive>> bits_as_shares(Party& party, std::size_t turn, NumberPieces bits,
                                                                  RingWidths widths, Label label) = 0;
  // The bits of number + carry.
  [[nodiscard]] virtual Task<NumberPieces> bits_of(Party& party, std::size_t turn, WordPieces number, BitPieces carry,
                                                   Label label) = 0;
  // The one-hot of each digit as numbers in Z/2^bits, a table of 2^b entries a lane.
  [[nodiscard]] virtual Task<TableShares> digit_table(Party& party, std::size_t turn, NumberPieces digit, unsigned bits,
                                                      Label label) = 0;

  // Correlations of the online phase. --------------------------------------------------------------------------------

  // In a ring of 64 bits.
  [[nodiscard]] virtual Task<TruncationMasks> truncation_masks(Party& party, std::size_t turn, std::size_t lanes,
                                                               unsigned f, Label label) = 0;

  // Before anything of a recording is made by messages: what all of it takes together, as the dry run shows.
  [[nodiscard]] virtual Task<void> make_ready(Party& party, const DryRun& dry_run) = 0;

  // Triples, products and cuts are noted on shapes first, at all roles, then products and cuts on operands, at parties;
  // make_products makes all of them. Of a product the low `bits` bits are made. Holders are empty where parties have
  // two pieces.
  virtual void note_product(const BilinearMap& map, unsigned bits, const Holders& x, const Holders& y) = 0;
  // The operand `top` are bits, which both parties have; `other`: of the other operand.
  virtual void note_cut(const BilinearMap& map, Operand top, unsigned shift, const Holders& other) = 0;
  virtual void note_triples(std::size_t lanes, unsigned bits, Group group) = 0;
  virtual void note_product_of(const BilinearMap& map, const WordPieces& x, const WordPieces& y) = 0;
  // The operand `top` are bits h in Z/2^shift, each times a public factor; `factors` has those where a party has one
  // piece, and is empty else.
  virtual void note_cut_of(const BilinearMap& map, Operand top, unsigned shift, const Words& factors,
                           const WordPieces& x, const WordPieces& y) = 0;
  [[nodiscard]] virtual Task<ProductShares> make_products(Party& party) = 0;
  // A word a lane of the map's result from what make_products gave of it.
  [[nodiscard]] virtual Additive finished_product(const BilinearMap& map, Additive product) const = 0;
  // The next ones that were noted.
  [[nodiscard]] virtual Triples triples(std::size_t lanes, unsigned bits, Group group) = 0;

  // While the program runs. -----------------------------------------------------------------------------------------
  //
  // In most modes those that make the material compute on it as well.

  // Whether this role has shares of what the program computes.
  [[nodiscard]] virtual bool computes() const { return self().has_value(); }
  // Its term of a fresh sharing of zero among those that compute.
  [[nodiscard]] virtual Words zero_of_shares(std::size_t lanes, unsigned bits, Group group) {
    return zero(lanes, bits, group);
  }
  // Whether their shares are made of all pieces, of which the material then keeps the next ones as well until to_shares
  // leaves shares in the place of own pieces.
  [[nodiscard]] virtual bool shares_take_all_pieces() const { return false; }
  virtual void to_shares(RecordedMaterial&) const {}

  // Of all draws so far: number, kind and size. The same at all roles that are in step.
  [[nodiscard]] virtual std::uint64_t digest() const noexcept = 0;
  // All parties made the same requests. Throws ProtocolError (wrong_digest) where they did not.
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
