// Extension: many oblivious transfers from the 128 base transfers of a set-up (extension_set_up.h).
//
// Functionality   Correlated transfers: the sender has 128 bits d, the same for all transfers. In each transfer, the
//                 receiver has a bit c. The sender gets a row q of 128 bits, and the receiver gets the row t = q ^ c d.
//                 The receiver does not know d.
//                 Random transfers: the sender gets H(q) and H(q ^ d), and the receiver gets H(t).
// How             Roy, "SoftSpokenOT" (CRYPTO 2022), the semi-honest protocol without a check of consistency. There are
//                 128 / k trees of 2^k keys. In each tree the sender lacks one leaf, whose number is the tree's k bits
//                 of d. For each tree, the receiver has sums u and v, and the sender has w = v ^ d u (leaf_sums.h). The
//                 receiver sends u ^ c. The receiver's rows are t = v, and the sender's rows are q = w ^ d (u ^ c) = v
//                 ^ c d. H is the hash of transfer_hash.h, with a fresh tweak for each row.
// Messages        One, from the receiver, with 16 / k bytes for each transfer (extension_bytes()).
// Views           The sender sees u ^ c, where u includes the stream of the leaf that the sender lacks. The receiver
//                 sees nothing. Neither side learns more than its results if AES is pseudorandom, H is correlation
//                 robust and both sides follow the protocol.
// Order           Both sides request the same numbers of transfers, in the same order. A message has one part for every
//                 8192 transfers, and one part for the transfers that are left over. A part is u ^ c for each tree, in
//                 ceil(transfers / 8) bytes; bit i belongs to transfer i, and the last byte is filled up with zeros.
// Errors          std::invalid_argument if sizes do not fit. The content of a message is not checked: a peer that
//                 deviates breaks the results and its own privacy, but cannot corrupt memory.
// Wiping          The difference, keys, rows and hashes are wiped.
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

// A larger k means more computation and fewer bytes.
[[nodiscard]] constexpr bool is_extension_parameter(unsigned k) { return k == 2 || k == 4 || k == 8; }

[[nodiscard]] constexpr std::size_t extension_bytes(unsigned k, std::size_t count) {
  return TransferKernels::columns / k * ((count + 7) / 8);
}

// The trees of keys of one side. Each tree makes k columns of the rows.
class ExtensionTrees {
 public:
  static constexpr std::size_t at_once = LeafSums::most_groups * 64 * LeafSums::group_words;

  ExtensionTrees(unsigned k, std::vector<LeafSums> trees);

  [[nodiscard]] unsigned k() const noexcept { return k_; }
  [[nodiscard]] std::size_t trees() const noexcept { return trees_.size(); }
  // Returns the sums u of a tree for the next `count` transfers, at most at_once. Writes the columns of the tree to
  // column(tree, bit): v at the receiver, w at the sender.
  [[nodiscard]] std::span<std::uint64_t> next(std::size_t tree, std::size_t count);
  [[nodiscard]] std::uint64_t* column(std::size_t tree, unsigned bit) {
    return columns_.data() + (tree * k_ + bit) * stride;
  }
  void rows(std::span<Bits128> rows);
  [[nodiscard]] std::span<Bits128> space(std::size_t count) { return std::span(space_).first(count); }

 private:
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
  // `trees` has 128 / k complete trees. Both sides need the same hash and the same tweaks.
  ExtensionReceiver(unsigned k, std::vector<LeafSums> trees, TransferHash hash, Tweaks tweaks);

  [[nodiscard]] unsigned k() const noexcept { return trees_.k(); }
  // Correlated transfers: bit i of `choices` (64 bits a word) is the choice for rows[i].
  [[nodiscard]] TweakRange correlated(std::span<const std::uint64_t> choices, std::span<Bits128> rows,
                                      std::span<std::byte> message);
  // Random transfers of `width` words each. H(t_i) are the `width` words of `chosen` from word i * width on.
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
  // Tree i lacks the leaf with the number in bits i k .. i k + k - 1 of `difference`.
  ExtensionSender(unsigned k, std::vector<LeafSums> trees, const Bits128& difference, TransferHash hash, Tweaks tweaks);

  [[nodiscard]] unsigned k() const noexcept { return trees_.k(); }
  [[nodiscard]] const Bits128& difference() const noexcept { return difference_.front(); }
  [[nodiscard]] TweakRange correlated(std::span<const std::byte> message, std::span<Bits128> rows);
  // Random transfers of `width` words each. From word i * width on, `zero` has the words of H(q_i), and `one` has the
  // words of H(q_i ^ d).
  void random(std::span<const std::byte> message, std::size_t width, std::span<std::uint64_t> zero,
              std::span<std::uint64_t> one);

 private:
  void next(std::span<const std::byte> message, std::span<Bits128> rows);

  ExtensionTrees trees_;
  SecretVector<Bits128> difference_;  // one value
  TransferHash hash_;
  Tweaks tweaks_;
};

// Random transfers of single bits, with 64 bits in a word. Each bit is the lowest bit of a hash of a random transfer.
//
// Two such transfers, one in each direction, make a triple of random bits with c = a b (Asharov, Lindell, Schneider and
// Zohner, CCS 2013). The bit a is the choice of this side, and b is the XOR of the two bits that this side sent.

[[nodiscard]] constexpr std::size_t bits_in_words(std::size_t words) { return 64 * words; }

// Bit i of `chosen` is the bit that bit i of `choices` selects.
void receive_bits(ExtensionReceiver& receiver, std::span<const std::uint64_t> choices, std::span<std::uint64_t> chosen,
                  std::span<std::byte> message);
void send_bits(ExtensionSender& sender, std::span<const std::byte> message, std::span<std::uint64_t> zero,
               std::span<std::uint64_t> one);

// This side's share of c. `chosen` is from receive_bits() with the choices a; `zero` and `one` are from send_bits().
[[nodiscard]] inline std::uint64_t triple_share(std::uint64_t a, std::uint64_t chosen, std::uint64_t zero,
                                                std::uint64_t one) {
  return (a & (zero ^ one)) ^ zero ^ chosen;
}

}  // namespace sotto
