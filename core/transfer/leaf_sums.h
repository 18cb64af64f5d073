// Sums over the leaves of a tree of keys, each leaf a stream of bits: SoftSpoken's vector correlations, VOLE over small
// fields (Roy, "SoftSpokenOT", CRYPTO 2022).
//
// Let F_x be the stream of leaf x, for 2^k leaves. Then u is the XOR of all F_x. The column v_b is the XOR of those F_x
// for which bit b of x is 1. A side that lacks the leaf d numbers the leaves by y = x ^ d, and uses zeros as leaf 0.
// That side gets the columns v_b ^ d_b u.
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

// Trees of keys: AES in counter mode doubles each node, from a root to 2^k leaves (Goldreich, Goldwasser and Micali).
// Take the path from the root to one leaf. On each level, let a side know the XOR of the nodes whose last bit differs
// from the last bit of the node on the path. Then this side can compute all leaves except the leaf of the path. All
// functions execute the same instructions for every path.

inline constexpr unsigned deepest_tree = 8;

using TreeKeys = SecretVector<Bits128>;

struct KeyTree {
  TreeKeys leaves;
  // For each level below the root: the XOR of the nodes with even numbers, and the XOR of the nodes with odd numbers.
  SecretVector<std::array<Bits128, 2>> sums;
};

// Throws std::invalid_argument unless `levels` is 1 to deepest_tree.
[[nodiscard]] KeyTree grow_tree(const Seed& root, unsigned levels);

// Leaf y of the result is leaf y ^ missing of the tree, and leaf 0 is zeros. On each level i, one node is the ancestor
// of the missing leaf. sums[i] is the XOR of the nodes of level i whose last bit differs from the last bit of this
// ancestor.
[[nodiscard]] TreeKeys grow_punctured_tree(std::uint64_t missing, std::span<const Bits128> sums);

class LeafSums {
 public:
  using Word = std::uint64_t;
  static constexpr std::size_t group_words = Expansion::group_words;
  static constexpr std::size_t most_groups = 4;

  LeafSums(const TreeKeys& leaves, bool punctured);
  // `streams` and `kernels` must outlive the object.
  LeafSums(const TreeKeys& leaves, bool punctured, const Expansion& streams, const TransferKernels& kernels);
  LeafSums(const LeafSums&) = delete;
  LeafSums& operator=(const LeafSums&) = delete;
  LeafSums(LeafSums&&) = default;
  ~LeafSums() = default;

  // Makes the next 1 to most_groups groups of words. Writes u to all[0 ..], and column b to columns[b * stride ..].
  void next(std::size_t groups, Word* all, Word* columns, std::size_t stride);

 private:
  void sum(unsigned level, std::size_t first, Word* all);

  const TransferKernels& kernels_;
  bool punctured_;
  unsigned levels_;
  std::deque<KeyStream> leaves_;
  SecretVector<Word> halves_;
  std::size_t words_ = 0;
  Word* columns_ = nullptr;
  std::size_t stride_ = 0;
};

}  // namespace sotto
