#include "sotto/core/transfer/key_tree.h"

#include <openssl/crypto.h>

#include <cstring>

#include "sotto/core/error/errors.h"
#include "sotto/core/random/prg.h"

namespace sotto {
namespace {

using Children = std::array<Bits128, 2>;

Children children_of(const Bits128& node) {
  Children children;
  Prg(Seed::from_bytes(std::as_bytes(std::span(&node, 1)).first<Seed::size>()))
      .bytes(std::as_writable_bytes(std::span(children)));
  return children;
}

void check_levels(std::size_t levels) {
  require_argument(levels >= 1 && levels <= deepest_tree, "a tree of 1 to 8 levels");
}

}  // namespace

TreeKeys::~TreeKeys() { OPENSSL_cleanse(keys_.data(), keys_.size() * sizeof(Bits128)); }

KeyTree grow_tree(const Seed& root, unsigned levels) {
  check_levels(levels);
  KeyTree tree{TreeKeys(1), {}};
  std::memcpy(&tree.leaves[0], root.expose().data(), sizeof(Bits128));
  for (unsigned level = 0; level < levels; ++level) {
    TreeKeys next(2 * tree.leaves.size());
    Children sums{};
    for (std::size_t i = 0; i < tree.leaves.size(); ++i) {
      const Children children = children_of(tree.leaves[i]);
      for (std::size_t bit = 0; bit < 2; ++bit) {
        next[2 * i + bit] = children[bit];
        sums[bit] ^= children[bit];
      }
    }
    tree.sums.push_back(sums);
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
    Bits128 off_path = sums[level];
    for (std::size_t i = 1; i < nodes.size(); ++i) {
      const Children children = children_of(nodes[i]);
      const Bits128 change = masked_by(bit, children[0] ^ children[1]);
      next[2 * i] = children[0] ^ change;
      next[2 * i + 1] = children[1] ^ change;
      off_path ^= next[2 * i + 1];
    }
    next[1] = off_path;
    nodes = std::move(next);
  }
  return nodes;
}

}  // namespace sotto
