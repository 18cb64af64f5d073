// Sums over the leaves of a tree of keys, each leaf a stream of bits: the core of SoftSpoken's vector correlations
// (Roy, "SoftSpokenOT", CRYPTO 2022: VOLE over small fields).
//
// With the streams F_x of 2^k leaves, the sum u is the XOR of all F_x, and the column v_b the XOR of those whose number
// x has bit b. Whoever lacks the leaf d numbers leaves from it on, y = x ^ d, counts leaf 0 as zeros, and so gets the
// columns v_b ^ d_b u. Every leaf is expanded once; sums of halves take 2^k XORs for u and as many for all columns.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>

#include "core/random/secret_vector.h"
#include "core/transfer/bits128.h"
#include "core/transfer/transfer_kernels.h"
#include "sotto/protocol/random/prg.h"
#include "sotto/protocol/random/seed.h"

namespace sotto {

// Trees of keys: 2^k leaves grow from a root, each node doubled by AES in counter mode (Goldreich, Goldwasser and
// Micali). Whoever has, of each level, the XOR of the nodes that hang off one path has all leaves but that path's last
// one.
//
// All of it executes the same instructions for every path, and memory of nodes is wiped.

// The most levels of a tree.
inline constexpr unsigned deepest_tree = 8;

using TreeKeys = SecretVector<Bits128>;

struct KeyTree {
  TreeKeys leaves;
  // Of each level, from the root's children on: the XOR of its nodes with an even number, and of those with an odd one.
  SecretVector<std::array<Bits128, 2>> sums;
};

// The tree of `levels` levels, 1 to deepest_tree (std::invalid_argument).
[[nodiscard]] KeyTree grow_tree(const Seed& root, unsigned levels);

// The leaves but one of such a tree: the leaf y of the result is the leaf y ^ missing of the tree, the leaf 0 is zeros.
// sums[i] is the tree's sum of level i over the nodes whose last bit differs from that of the missing leaf's ancestor.
[[nodiscard]] TreeKeys grow_punctured_tree(std::uint64_t missing, std::span<const Bits128> sums);

class LeafSums {
 public:
  using Word = std::uint64_t;
  static constexpr std::size_t group_words = Expansion::group_words;  // 2048 bits of each stream
  static constexpr std::size_t most_groups = 4;                       // at once

  // `leaves`: 2^k. Of a punctured tree leaf 0 counts as zeros.
  LeafSums(const TreeKeys& leaves, bool punctured);
  // By the kernels of these tables, which must outlive it; the sums are the same.
  LeafSums(const TreeKeys& leaves, bool punctured, const Expansion& streams, const TransferKernels& kernels);
  LeafSums(const LeafSums&) = delete;
  LeafSums& operator=(const LeafSums&) = delete;
  LeafSums(LeafSums&&) = default;
  ~LeafSums() = default;

  // The next `groups` groups, 1 to most_groups: the sum to all[0 ..], column b to columns[b * stride ..].
  void next(std::size_t groups, Word* all, Word* columns, std::size_t stride);

 private:
  void sum(unsigned level, std::size_t first, Word* all);

  const TransferKernels& kernels_;
  bool punctured_;
  unsigned levels_;
  std::deque<KeyStream> leaves_;
  SecretVector<Word> halves_;  // a sum a level, on its way
  // Of this call of next().
  std::size_t words_ = 0;
  Word* columns_ = nullptr;
  std::size_t stride_ = 0;
};

}  // namespace sotto
