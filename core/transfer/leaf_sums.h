// Sums over the leaves of a tree of keys, where each leaf is a stream of bits. The sums are the core of SoftSpoken's
// vector correlations, VOLE over small fields (Roy, "SoftSpokenOT", CRYPTO 2022).
//
// With the streams F_x of 2^k leaves, the sum u is the XOR of all F_x. The column v_b is the XOR of each F_x whose
// number x has bit b. A side that lacks the leaf d numbers the leaves by y = x ^ d, and treats leaf 0 as zeros. A side
// that lacks the leaf d gets the columns v_b ^ d_b u. Every leaf is expanded once. If sums of halves are added at each
// level, u takes 2^k XORs, and all columns together take another 2^k XORs.
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

// Trees of keys: 2^k leaves grow from a root, and AES in counter mode doubles each node (Goldreich, Goldwasser and
// Micali). A side that knows, for each level, the XOR of the nodes that branch off one path can compute all leaves
// except the last node of that path.
//
// All functions execute the same instructions for every path, and the memory of nodes is wiped.

// The highest number of levels of a tree.
inline constexpr unsigned deepest_tree = 8;

using TreeKeys = SecretVector<Bits128>;

struct KeyTree {
  TreeKeys leaves;
  // For each level, from the root's children on: the XOR of its nodes with even numbers, and the XOR of its nodes with
  // odd numbers.
  SecretVector<std::array<Bits128, 2>> sums;
};

// Makes a tree of `levels` levels. Throws std::invalid_argument unless `levels` is 1 to deepest_tree.
[[nodiscard]] KeyTree grow_tree(const Seed& root, unsigned levels);

// Computes all leaves of a tree except leaf `missing`. Leaf y of the result is leaf y ^ missing of the tree, and leaf 0
// is zeros. The block sums[i] is the tree's sum over the nodes of level i whose last bit differs from the last bit of
// the missing leaf's ancestor.
[[nodiscard]] TreeKeys grow_punctured_tree(std::uint64_t missing, std::span<const Bits128> sums);

class LeafSums {
 public:
  using Word = std::uint64_t;
  static constexpr std::size_t group_words = Expansion::group_words;  // 2048 bits of each stream
  static constexpr std::size_t most_groups = 4;                       // groups in one call

  // `leaves`: 2^k leaves. In a punctured tree, leaf 0 is treated as zeros.
  LeafSums(const TreeKeys& leaves, bool punctured);
  // Uses the kernels of the given tables, which must outlive the object. The sums do not depend on the choice of
  // tables.
  LeafSums(const TreeKeys& leaves, bool punctured, const Expansion& streams, const TransferKernels& kernels);
  LeafSums(const LeafSums&) = delete;
  LeafSums& operator=(const LeafSums&) = delete;
  LeafSums(LeafSums&&) = default;
  ~LeafSums() = default;

  // Makes the next `groups` groups, 1 to most_groups. The sum goes to all[0 ..], column b to columns[b * stride ..].
  void next(std::size_t groups, Word* all, Word* columns, std::size_t stride);

 private:
  void sum(unsigned level, std::size_t first, Word* all);

  const TransferKernels& kernels_;
  bool punctured_;
  unsigned levels_;
  std::deque<KeyStream> leaves_;
  SecretVector<Word> halves_;  // an unfinished sum for each level
  // The arguments of the current call of next().
  std::size_t words_ = 0;
  Word* columns_ = nullptr;
  std::size_t stride_ = 0;
};

}  // namespace sotto
