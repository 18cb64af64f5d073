#include "sotto/core/sharing/pending_product.h"

#include <stdexcept>
#include <utility>

#include "sotto/core/sharing/share_access.h"

namespace sotto {

PendingProduct::PendingProduct(Shape shape, unsigned scale, Words words)
    : shape_(shape), scale_(scale), words_(std::move(words)) {
  if (!words_.empty() && words_.size() != shape.lanes()) {
    throw std::invalid_argument("the number of words differs from the number of lanes");
  }
}

PendingProduct::PendingProduct(Arith value)
    : shape_(value.shape()), scale_(value.scale()), words_(std::move(ShareAccess::words(value))) {
  if (value.bits() != 64) throw std::invalid_argument("only values in Z/2^64 are truncated");
}

PendingProduct& PendingProduct::operator+=(const Arith& other) {
  require_same_shape(shape_, other.shape(), "sum of shares");
  require_same_scale(scale_, other.scale(), "sum of shares");
  if (other.bits() != 64) throw std::invalid_argument("sum of shares: the rings differ");
  // The dealer holds c here and nothing of the other: its sum is c.
  const Words& words = ShareAccess::words(other);
  for (std::size_t i = 0; i < words.size(); ++i) words_[i] += words[i];
  return *this;
}

PendingProduct PendingProduct::times(std::uint64_t factor, unsigned added_scale) const {
  PendingProduct result(shape_, scale_ + added_scale, words_);
  for (std::uint64_t& word : result.words_) word *= factor;
  return result;
}

}  // namespace sotto
