// Extension: many oblivious transfers from the 128 base transfers of a set-up (extension_set_up.h).
//
// Functionality   Correlated transfers: in each transfer the sender gets a row q. The receiver chooses the bit c and
//                 gets the row t = q ^ c d of 128 bits. The difference d is the same for all transfers, and only the
//                 sender knows d. Random transfers: the sender gets H(q) and H(q ^ d), and the receiver gets H(t). Each
//                 hash has as many words of 64 bits as both sides ask for.
// How             Roy, "SoftSpokenOT" (CRYPTO 2022), the semi-honest protocol, which has no check of consistency. There
//                 are 128 / k trees of 2^k keys. In each tree the sender lacks one leaf, whose number is the tree's k
//                 bits of d. The receiver sends u ^ c. The receiver makes its rows from its sums u and v; the sender
//                 makes its rows from w = v ^ d u. The case k = 1 is Ishai, Kilian, Nissim and Petrank (CRYPTO 2003). H
//                 is the hash of transfer_hash.h, with a fresh tweak for each row.
// Messages        One, from the receiver, with 16 / k bytes for each transfer. The exact size is extension_bytes().
// Views           The sender sees u ^ c. The sum u includes the stream of the leaf that the sender lacks. The receiver
//                 sees nothing. The views of both sides reveal nothing more if AES is pseudorandom, H is correlation
//                 robust and both sides follow the protocol.
// Order           Both sides ask for the same numbers of transfers, in the same order. The message of `count` transfers
//                 has a part for each 8192 transfers and a part for the rest. A part consists of u ^ c for each tree,
//                 with ceil(transfers / 8) bytes for each. Bit i of these bytes belongs to transfer i, and the last
//                 byte is filled up with zeros.
// Errors          std::invalid_argument if sizes do not fit. The content of a message is not checked: whatever the
//                 content, the sender computes rows from it. A peer that deviates from the protocol breaks the results
//                 and its own privacy, but cannot corrupt memory.
// Wiping          The difference, keys, rows and their hashes are wiped when they are dropped.
// Time            bench/results/transfers.md. A transfer takes 2^k / k blocks of AES at each side. A random transfer
//                 takes, for every two words, two more blocks at the receiver and four more at the sender.
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

// Whether k is 2, 4 or 8. A larger k takes more computation and fewer bytes.
[[nodiscard]] constexpr bool is_extension_parameter(unsigned k) { return k == 2 || k == 4 || k == 8; }

// Bytes of the receiver's message of `count` transfers.
[[nodiscard]] constexpr std::size_t extension_bytes(unsigned k, std::size_t count) {
  return TransferKernels::columns / k * ((count + 7) / 8);
}

// The trees of one side: a tree for every k columns of the rows.
class ExtensionTrees {
 public:
  static constexpr std::size_t at_once = LeafSums::most_groups * 64 * LeafSums::group_words;  // transfers: 8192

  // `trees`: 128 / k trees.
  ExtensionTrees(unsigned k, std::vector<LeafSums> trees);

  [[nodiscard]] unsigned k() const noexcept { return k_; }
  [[nodiscard]] std::size_t trees() const noexcept { return trees_.size(); }
  // Returns the sums of tree `tree` for the next `count` transfers, at most at_once. Writes the columns of the tree to
  // column(tree, ..).
  [[nodiscard]] std::span<std::uint64_t> next(std::size_t tree, std::size_t count);
  // The column of bit `bit` of tree `tree`.
  [[nodiscard]] std::uint64_t* column(std::size_t tree, unsigned bit) {
    return columns_.data() + (tree * k_ + bit) * stride;
  }
  // Writes the columns of all trees as rows.
  void rows(std::span<Bits128> rows);
  // Room for `count` rows, at most at_once.
  [[nodiscard]] std::span<Bits128> space(std::size_t count) { return std::span(space_).first(count); }

 private:
  // This stride keeps the columns from all beginning in the same set of the cache.
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
  // `trees`: 128 / k complete trees. The sender must be made with the same hash and the same tweaks.
  ExtensionReceiver(unsigned k, std::vector<LeafSums> trees, TransferHash hash, Tweaks tweaks);

  [[nodiscard]] unsigned k() const noexcept { return trees_.k(); }
  // Correlated transfers: bit i of `choices` (64 bits a word) is the choice for rows[i]. The message takes exactly
  // extension_bytes(k, rows.size()). Returns the tweaks of the rows.
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
  // Tree i of `trees` lacks the leaf whose number is bits i k .. i k + k - 1 of `difference`.
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
  SecretVector<Bits128> difference_;  // a single value
  TransferHash hash_;
  Tweaks tweaks_;
};

// Random transfers of single bits, packed 64 a word. Each bit is the lowest bit of the hash of a random transfer.
// Messages, order and errors are the same as for random transfers of words.
//
// Two transfers of single bits, one in each direction, make a triple of random bits with c = a b. The method is
// Gilboa's product of bits, in the form of Asharov, Lindell, Schneider and Zohner (CCS 2013). The bit a is the choice
// of this side, and b is the XOR of the two bits that this side sent.

// The number of transfers in `words` words of packed bits.
[[nodiscard]] constexpr std::size_t bits_in_words(std::size_t words) { return 64 * words; }

// Bit i of `chosen` is the bit that bit i of `choices` chooses; each word is 64 transfers. The message takes exactly
// extension_bytes(k, bits_in_words(choices.size())).
void receive_bits(ExtensionReceiver& receiver, std::span<const std::uint64_t> choices, std::span<std::uint64_t> chosen,
                  std::span<std::byte> message);
void send_bits(ExtensionSender& sender, std::span<const std::byte> message, std::span<std::uint64_t> zero,
               std::span<std::uint64_t> one);

// A side's share of triples. After receive_bits(a) -> chosen and send_bits -> zero, one, this side has b = zero ^ one.
// This side's share of c is the returned word. The XORs of both sides' shares of a, b and c satisfy c = a b.
[[nodiscard]] inline std::uint64_t triple_share(std::uint64_t a, std::uint64_t chosen, std::uint64_t zero,
                                                std::uint64_t one) {
  return (a & (zero ^ one)) ^ zero ^ chosen;
}

}  // namespace sotto
