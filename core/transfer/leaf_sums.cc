#include "core/transfer/leaf_sums.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "sotto/protocol/error/errors.h"
#include "sotto/protocol/random/prg.h"

namespace sotto {

LeafSums::LeafSums(const TreeKeys& leaves, bool punctured)
    : LeafSums(leaves, punctured, expansion(), transfer_kernels()) {}

LeafSums::LeafSums(const TreeKeys& leaves, bool punctured, const Expansion& streams, const TransferKernels& kernels)
    : kernels_(kernels),
      punctured_(punctured),
      levels_(static_cast<unsigned>(std::countr_zero(leaves.size()))),
      halves_(levels_ * most_groups * group_words) {
  for (std::size_t leaf = 0; leaf < leaves.size(); ++leaf) {
    leaves_.emplace_back(std::as_bytes(std::span(&leaves[leaf], 1)).first<16>(), streams);
  }
}

void LeafSums::next(std::size_t groups, Word* all, Word* columns, std::size_t stride) {
  words_ = groups * group_words;
  columns_ = columns;
  stride_ = stride;
  sum(levels_, 0, all);
}

void LeafSums::sum(unsigned level, std::size_t first, Word* all) {
  if (level == 0) {
    if (first == 0 && punctured_) {
      std::fill_n(all, words_, 0);
    } else {
      leaves_[first].write({reinterpret_cast<unsigned char*>(all), words_ * sizeof(Word)});
    }
    return;
  }
  --level;
  const std::size_t middle = first + (std::size_t{1} << level);
  Word* column = columns_ + stride_ * level;
  sum(level, first, all);
  if (first == 0) {
    sum(level, middle, column);
    kernels_.add(all, column, words_);
    return;
  }
  Word* right = halves_.data() + level * most_groups * group_words;
  sum(level, middle, right);
  kernels_.join(all, column, right, words_);
}

namespace {

void grow(const Bits128& node, Bits128* children) {
  Prg(Seed::from_bytes(std::as_bytes(std::span(&node, 1)).first<Seed::size>()))
      .bytes(std::as_writable_bytes(std::span(children, 2)));
}

void check_levels(std::size_t levels) {
  require_argument(levels >= 1 && levels <= deepest_tree, "a tree of 1 to 8 levels");
}

}  // namespace

KeyTree grow_tree(const Seed& root, unsigned levels) {
  check_levels(levels);
  KeyTree tree{TreeKeys(1), {}};
  std::memcpy(&tree.leaves[0], root.expose().data(), sizeof(Bits128));
  for (unsigned level = 0; level < levels; ++level) {
    TreeKeys next(2 * tree.leaves.size());
    auto& sums = tree.sums.emplace_back();
    for (std::size_t i = 0; i < tree.leaves.size(); ++i) {
      grow(tree.leaves[i], &next[2 * i]);
      for (std::size_t bit = 0; bit < 2; ++bit) sums[bit] ^= next[2 * i + bit];
    }
    tree.leaves = std::move(next);
  }
  return tree;
}

TreeKeys grow_punctured_tree(std::uint64_t missing, std::span<const Bits128> sums) {
  check_levels(sums.size());
  TreeKeys nodes(1);
  for (std::size_t level = 0; level < sums.size(); ++level) {
    const std::uint64_t bit = missing >> (sums.size() - 1 - level) & 1;
    TreeKeys next(2 * nodes.size());
    next[1] = sums[level];
    for (std::size_t i = 1; i < nodes.size(); ++i) {
      grow(nodes[i], &next[2 * i]);
      const Bits128 change = masked_by(bit, next[2 * i] ^ next[2 * i + 1]);
      next[2 * i] ^= change;
      next[2 * i + 1] ^= change;
      next[1] ^= next[2 * i + 1];
    }
    nodes = std::move(next);
  }
  return nodes;
}

}  // namespace sotto
