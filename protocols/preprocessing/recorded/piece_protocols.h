// PieceProtocols: the operations on pieces of values, without a dealer. PairKeys (replicated/pair_keys.h) implements
// them for three parties, and TransferPieces (transfers/transfer_pieces.h) for two parties.
//
// Functionality   Draws are local. All roles make the same draws in the same order. Tasks of the same kind are
//                 numbered, and `turn` is the number of a task. From `turn` follows which party leads the task, so the
//                 parties lead in turn.
// Views           Nobody knows a drawn number or bit, except the owner of an input.
// Throws          std::invalid_argument if sizes do not fit, or the given owner cannot have inputs.
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

// Additive shares of tables in Z/2^bits, one table of s entries for each lane. Entry j of lane i is stored as entry i s
// + j. Entries of up to 8 bits are stored in bytes, eight to a word, and wider entries in words. If there are no words,
// all entries are zeros, or the role has no shares.
struct TableShares {
  unsigned bits = 64;
  Words words;
};

[[nodiscard]] constexpr bool lie_in_bytes(unsigned bits) { return bits <= 8; }
[[nodiscard]] constexpr std::size_t entry_words(std::size_t entries, unsigned bits) {
  return lie_in_bytes(bits) ? (entries + 7) / 8 : entries;
}

template <class SharesOrConst, class F>
auto with_entries(SharesOrConst& shares, F&& f) {
  using Byte = std::conditional_t<std::is_const_v<SharesOrConst>, const std::uint8_t, std::uint8_t>;
  if (lie_in_bytes(shares.bits)) return f(reinterpret_cast<Byte*>(shares.words.data()));
  return f(shares.words.data());
}

[[nodiscard]] TableShares part_of(const TableShares& table, std::size_t first, std::size_t count);

// Entry j of lane i is word i of by_entry[j]; bits above `bits` may remain.
[[nodiscard]] TableShares by_lane(const PoolVector<Additive>& by_entry, unsigned bits);

[[nodiscard]] Additive as_words(const TableShares& table, std::size_t count);

// packed() writes the entries without gaps, as a party sends them. unpacked() reads such words.
[[nodiscard]] Words packed(const TableShares& table, std::size_t count);
[[nodiscard]] TableShares unpacked(const Words& packed, std::size_t count, unsigned bits);

// Pieces: the summands of a value. A party has its own piece of each value. With three parties, a party also has its
// next piece, which is the own piece of the next party. A role without pieces has only sizes.

// Numbers in Z/2^bits, each the sum of its pieces.
struct WordPieces {
  std::size_t lanes;
  unsigned bits;
  Words own, next;
};

// One bit for each lane, the XOR of its pieces. Lane i is bit i mod 64 of word i / 64; bits after the last lane may be
// anything.
struct BitPieces {
  std::size_t lanes = 0;
  Words own, next;
};

// The bits of numbers, the lowest first.
using NumberPieces = PoolVector<BitPieces>;

[[nodiscard]] constexpr std::size_t plane_words(std::size_t lanes) { return (lanes + 63) / 64; }

[[nodiscard]] Words slice(const Words& words, std::size_t first, std::size_t count);

// Throw std::invalid_argument if sizes differ.
[[nodiscard]] WordPieces operator+(WordPieces x, const WordPieces& y);
[[nodiscard]] BitPieces operator^(BitPieces x, const BitPieces& y);

// The numbers of bits of rings, each 1 to 64.
using RingWidths = PoolVector<unsigned>;

// The pads of truncations by f bits: r uniform, mu = r >> f as a signed shift, h = the top bit of r.
struct TruncationMasks {
  WordPieces r;   // in Z/2^width, own pieces only; no words mean zeros
  WordPieces mu;  // in Z/2^64
  WordPieces h;   // in Z/2^f
};

struct InputPieces {
  WordPieces mask;
  Words known;
};

// The shares of all noted products and cuts, in order.
struct ProductShares {
  PoolVector<Additive> products;
  PoolVector<Additive> cuts;
};

// For each lane, bit i says whether party i may have a piece that is not zero.
using Holders = PoolVector<std::uint8_t>;

class PieceProtocols;
struct RecordedMaterial;

// Makes the PieceProtocols of a label; different labels have independent draws.
using MakePieces = std::function<std::unique_ptr<PieceProtocols>(const std::string& label)>;

// Makes all recorded requests again, at a role without pieces and without messages.
using DryRun = std::function<void(PieceProtocols&)>;

class PieceProtocols {
 public:
  virtual ~PieceProtocols() = default;

  // The party of this role; nothing at a role without pieces.
  [[nodiscard]] std::optional<NodeId> self() const noexcept { return self_; }
  // The number of pieces of a value that each party has: 1 or 2.
  [[nodiscard]] virtual unsigned pieces() const = 0;

  [[nodiscard]] virtual WordPieces uniform(std::size_t lanes, unsigned bits) = 0;
  [[nodiscard]] BitPieces uniform_bits(std::size_t lanes);
  // A mask in Z/2^64 that `owner` knows.
  [[nodiscard]] virtual InputPieces input(NodeId owner, std::size_t lanes) = 0;
  // A party's term of a fresh sharing of zero.
  [[nodiscard]] virtual Words zero(std::size_t lanes, unsigned bits, Group group) = 0;

  [[nodiscard]] BitPieces zero_bits(std::size_t lanes) const;
  [[nodiscard]] virtual BitPieces complement(BitPieces bits) const = 0;
  [[nodiscard]] virtual Task<BitPieces> and_bits(Party& party, BitPieces x, BitPieces y, Label label) = 0;
  // Every party learns the bits, 64 lanes in a word. The result is empty at all other roles.
  [[nodiscard]] virtual Task<Words> open_bits(Party& party, BitPieces bits, Label label) = 0;
  [[nodiscard]] virtual Task<PoolVector<Additive>> bits_as_shares(Party& party, std::size_t turn, NumberPieces bits,
                                                                  RingWidths widths, Label label) = 0;
  [[nodiscard]] virtual Task<NumberPieces> bits_of(Party& party, std::size_t turn, WordPieces number, BitPieces carry,
                                                   Label label) = 0;
  // The one-hot of each digit in Z/2^bits: a table of 2^b entries for each lane.
  [[nodiscard]] virtual Task<TableShares> digit_table(Party& party, std::size_t turn, NumberPieces digit, unsigned bits,
                                                      Label label) = 0;

  // The masks are in a ring of 64 bits.
  [[nodiscard]] virtual Task<TruncationMasks> truncation_masks(Party& party, std::size_t turn, std::size_t lanes,
                                                               unsigned f, Label label) = 0;

  // Prepares the operations that `dry_run` requests. The roles call make_ready() before they make any material with
  // messages.
  [[nodiscard]] virtual Task<void> make_ready(Party& party, const DryRun& dry_run) = 0;

  // All roles first note the shapes of triples, products and cuts. Then the parties note the operands of products and
  // cuts, and make_products makes all of them. Only the low `bits` bits of a product are right. Holders are empty if
  // parties have two pieces.
  virtual void note_product(const BilinearMap& map, unsigned bits, const Holders& x, const Holders& y) = 0;
  // The operand `top` consists of bits, and both parties have pieces of the bits. `other` says which parties have
  // pieces of the other operand.
  virtual void note_cut(const BilinearMap& map, Operand top, unsigned shift, const Holders& other) = 0;
  virtual void note_triples(std::size_t lanes, unsigned bits, Group group) = 0;
  virtual void note_product_of(const BilinearMap& map, const WordPieces& x, const WordPieces& y) = 0;
  // Each entry of the operand `top` is a bit h times a public factor, in Z/2^shift. If a party has one piece, `factors`
  // lists the public factors. Otherwise `factors` is empty.
  virtual void note_cut_of(const BilinearMap& map, Operand top, unsigned shift, const Words& factors,
                           const WordPieces& x, const WordPieces& y) = 0;
  [[nodiscard]] virtual Task<ProductShares> make_products(Party& party) = 0;
  // Turns a product of make_products into the map's result.
  [[nodiscard]] virtual Additive finished_product(const BilinearMap& map, Additive product) const = 0;
  [[nodiscard]] virtual Triples triples(std::size_t lanes, unsigned bits, Group group) = 0;

  [[nodiscard]] virtual bool computes() const { return self().has_value(); }
  // A term of a fresh sharing of zero among the roles that compute.
  [[nodiscard]] virtual Words zero_of_shares(std::size_t lanes, unsigned bits, Group group) {
    return zero(lanes, bits, group);
  }
  // True if a party's shares are made from all of its pieces. The material then stores next pieces until to_shares()
  // makes the shares.
  [[nodiscard]] virtual bool shares_take_all_pieces() const { return false; }
  virtual void to_shares(RecordedMaterial&) const {}

  // A digest of the number, kind and size of all draws.
  [[nodiscard]] virtual std::uint64_t digest() const noexcept = 0;
  // Throws ProtocolError (wrong_digest) if parties made different requests.
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
