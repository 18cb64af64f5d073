// Extension: many oblivious transfers from the 128 base transfers of a set-up (extension_set_up.h).
//
// Functionality   Correlated transfers: of each the sender gets a row q and the receiver, who chooses the bit c, the
//                 row t = q ^ c d of 128 bits; d is one difference for all, which the sender alone knows. Random
//                 transfers: the sender gets H(q) and H(q ^ d), the receiver H(t), each as many words of 64 bits as
//                 both ask for.
// How             Roy, "SoftSpokenOT" (CRYPTO 2022), the semi-honest protocol, which has no check of consistency: 128 /
//                 k trees of 2^k keys, of each of which the sender lacks the leaf that its k bits of d number. The
//                 receiver's sums u, v and the sender's w = v ^ d u make rows when it sends u ^ c. k = 1 is Ishai,
//                 Kilian, Nissim and Petrank (CRYPTO 2003). H: transfer_hash.h, with a fresh tweak for each row.
// Messages        One, from the receiver: 16 / k bytes a transfer, exactly extension_bytes().
// Who sees what   The sender: u ^ c with a stream u that it lacks the missing leaf of. The receiver: nothing. Under the
//                 pseudorandomness of AES and the correlation robustness of H, both following the protocol.
// Order           Both sides ask for the same numbers of transfers, in the same order. The message of `count` transfers
//                 is, for each 8192 of them and for the rest, u ^ c of each tree: ceil(transfers / 8) bytes, bit i of
//                 it transfer i, the last byte filled up with zeros.
// Errors          std::invalid_argument where sizes do not fit. A message has no wrong content: each gives rows, and
//                 what a peer that does not follow the protocol breaks are the results and its own privacy, not memory.
// Wiping          The difference, keys, rows and their hashes are wiped where they are dropped.
// Time            bench/results/transfers.md. A transfer takes 2^k / k blocks of AES at each side; a random one then
//                 two at the receiver and four at the sender, for every two words.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/random/secret_vector.h"
#include "core/transfer/bits128.h"
#include "core/transfer/leaf_sums.h"
#include "core/transfer/transfer_hash.h"

namespace sotto {

// Whether k is one of 2, 4, 8: more computation, fewer bytes.
[[nodiscard]] constexpr bool is_extension_parameter(unsigned k) { return k == 2 || k == 4 || k == 8; }

// Bytes of the receiver's message of `count` transfers.
[[nodiscard]] constexpr std::size_t extension_bytes(unsigned k, std::size_t count) {
  return TransferKernels::columns / k * ((count + 7) / 8);
}

// What both sides have: a tree for each k columns of the rows.
class ExtensionTrees {
 public:
  static constexpr std::size_t at_once = LeafSums::most_groups * 64 * LeafSums::group_words;  // transfers: 8192

  // `trees`: 128 / k of them.
  ExtensionTrees(unsigned k, std::vector<LeafSums> trees);

  [[nodiscard]] unsigned k() const noexcept { return k_; }
  [[nodiscard]] std::size_t trees() const noexcept { return trees_.size(); }
  // The sums of tree `tree` for the next `count` transfers, at most at_once; its columns take their place.
  [[nodiscard]] std::span<std::uint64_t> next(std::size_t tree, std::size_t count);
  // The columns of that tree, `words` words each.
  [[nodiscard]] std::uint64_t* column(std::size_t tree, unsigned bit) {
    return columns_.data() + (tree * k_ + bit) * stride;
  }
  // The columns as rows.
  void rows(std::span<Bits128> rows);
  // Room for `count` rows, at most at_once.
  [[nodiscard]] std::span<Bits128> space(std::size_t count) { return std::span(space_).first(count); }

 private:
  // Columns do not all begin in the same set of the cache.
  static constexpr std::size_t stride = LeafSums::most_groups * LeafSums::group_words + 8;

  unsigned k_;
  std::vector<LeafSums> trees_;
  SecretVector<std::uint64_t> all_;
  SecretVector<std::uint64_t> columns_;
  SecretVector<Bits128> last_rows_;
  SecretVector<Bits128> space_;
  const TransferKernels& kernels_;
};

class ExtensionReceiver {
 public:
  // `trees` are whole, 128 / k of them; the hash and the tweaks are the sender's.
  ExtensionReceiver(unsigned k, std::vector<LeafSums> trees, TransferHash hash, Tweaks tweaks);

  [[nodiscard]] unsigned k() const noexcept { return trees_.k(); }
  // Correlated transfers: bit i of `choices` (64 a word) chooses for rows[i]; the message takes exactly
  // extension_bytes(k, rows.size()). The tweaks are those of the rows.
  [[nodiscard]] TweakRange correlated(std::span<const std::uint64_t> choices, std::span<Bits128> rows,
                                      std::span<std::byte> message);
  // Random transfers of `width` words each: chosen[i width ..] = H(t_i).
  void random(std::span<const std::uint64_t> choices, std::size_t width, std::span<std::uint64_t> chosen,
              std::span<std::byte> message);

 private:
  void next(std::span<const std::uint64_t> choices, std::span<Bits128> rows, std::span<std::byte> message);

  ExtensionTrees trees_;
  TransferHash hash_;
  Tweaks tweaks_;
};

class ExtensionSender {
 public:
  // `trees` lack the leaves that `difference` numbers: tree i that of its bits i k .. i k + k - 1.
  ExtensionSender(unsigned k, std::vector<LeafSums> trees, const Bits128& difference, TransferHash hash, Tweaks tweaks);

  [[nodiscard]] unsigned k() const noexcept { return trees_.k(); }
  [[nodiscard]] const Bits128& difference() const noexcept { return difference_.front(); }
  [[nodiscard]] TweakRange correlated(std::span<const std::byte> message, std::span<Bits128> rows);
  // Random transfers of `width` words each: zero[i width ..] = H(q_i), one[i width ..] = H(q_i ^ d).
  void random(std::span<const std::byte> message, std::size_t width, std::span<std::uint64_t> zero,
              std::span<std::uint64_t> one);

 private:
  void next(std::span<const std::byte> message, std::span<Bits128> rows);

  ExtensionTrees trees_;
  SecretVector<Bits128> difference_;  // one
  TransferHash hash_;
  Tweaks tweaks_;
};

// Random transfers of single bits, packed 64 a word: the lowest bits of the hashes above, with their messages,
// order and errors.
//
// Two of them, one each way, make a triple of random bits with c = a b (Gilboa's product of bits, as Asharov, Lindell,
// Schneider and Zohner have it, CCS 2013): a is what this side chose, b the XOR of the two bits that it sent.

// Transfers that `words` words of packed bits are.
[[nodiscard]] constexpr std::size_t bits_in_words(std::size_t words) { return 64 * words; }

// Bit i of `chosen` is the one that bit i of `choices` chooses, of 64 transfers a word. The message takes exactly
// extension_bytes(k, bits_in_words(choices.size())).
void receive_bits(ExtensionReceiver& receiver, std::span<const std::uint64_t> choices, std::span<std::uint64_t> chosen,
                  std::span<std::byte> message);
void send_bits(ExtensionSender& sender, std::span<const std::byte> message, std::span<std::uint64_t> zero,
               std::span<std::uint64_t> one);

// A side's share of triples: after receive_bits(a) -> chosen and send_bits -> zero, one, this side has b = zero ^ one,
// and as its share of c the word here; a, b, c of both sides add up by XOR to c = a b.
[[nodiscard]] inline std::uint64_t triple_share(std::uint64_t a, std::uint64_t chosen, std::uint64_t zero,
                                                std::uint64_t one) {
  return (a & (zero ^ one)) ^ zero ^ chosen;
}

}  // namespace sotto
