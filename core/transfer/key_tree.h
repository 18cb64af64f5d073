// Trees of keys: 2^k leaves grow from a root, each node doubled by AES in counter mode (Goldreich, Goldwasser and
// Micali). Whoever has, of each level, the XOR of the nodes that hang off one path has all leaves but that path's last
// one.
//
// All of it executes the same instructions for every path, and memory of nodes is wiped.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "core/random/secret_vector.h"
#include "core/transfer/bits128.h"
#include "sotto/protocol/random/seed.h"

namespace sotto {

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

}  // namespace sotto
