#include "core/transfer/leaf_sums.h"

#include <algorithm>
#include <bit>

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

// The sum of the 2^level leaves from `first` on. Of each level the right halves join its column; the first of them is
// made in its place.
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

}  // namespace sotto
