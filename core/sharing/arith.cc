#include "sotto/protocol/sharing/arith.h"

#include <fmt/format.h>

#include <stdexcept>
#include <utility>

#include "core/ring/kernels.h"
#include "sotto/protocol/ring/fixed_point.h"
#include "sotto/protocol/sharing/shape.h"
#include "sotto/protocol/sharing/share_access.h"

namespace sotto {
namespace {

void keep_in_ring(Words& words, unsigned bits) {
  if (bits == 64) return;
  for (std::uint64_t& word : words) word &= ring_mask(bits);
}

}  // namespace

Arith::Arith(Shape shape, unsigned scale, unsigned bits) : Arith(shape, scale, Words{}, bits) {}

Arith::Arith(Shape shape, unsigned scale, Words words, unsigned bits)
    : shape_(shape), scale_(scale), bits_(bits), words_(std::move(words)) {
  if (bits < 1 || bits > 64) throw std::invalid_argument("a ring has 1 to 64 bits");
  if (!words_.empty() && words_.size() != shape.lanes()) {
    throw std::invalid_argument("the number of shares differs from the number of lanes");
  }
}

Arith& Arith::operator+=(const Arith& other) {
  require_same_shape(shape_, other.shape_, "sum of shares");
  require_same_scale(scale_, other.scale_, "sum of shares");
  if (bits_ != other.bits_) throw std::invalid_argument("sum of shares: the rings differ");
  kernels().add(words_.data(), other.words_.data(), words_.size());
  keep_in_ring(words_, bits_);
  return *this;
}

Arith& Arith::operator-=(const Arith& other) {
  require_same_shape(shape_, other.shape_, "difference of shares");
  require_same_scale(scale_, other.scale_, "difference of shares");
  if (bits_ != other.bits_) throw std::invalid_argument("difference of shares: the rings differ");
  kernels().subtract(words_.data(), other.words_.data(), words_.size());
  keep_in_ring(words_, bits_);
  return *this;
}

Arith Arith::times(std::uint64_t factor, unsigned added_scale) const {
  Arith result = *this;
  result.scale_ += added_scale;
  const std::uint64_t ring = ring_mask(bits_);
  for (std::uint64_t& word : result.words_) word = (word * factor) & ring;
  return result;
}

Arith Arith::in_ring(unsigned bits) const {
  if (bits > bits_) throw std::invalid_argument("shares cannot be read in a larger ring");
  Arith result = *this;
  result.bits_ = bits;
  const std::uint64_t ring = ring_mask(bits);
  for (std::uint64_t& word : result.words_) word &= ring;
  return result;
}

Arith Arith::scaled_up(unsigned by) const {
  if (by > 64 - bits_) throw std::invalid_argument("shares cannot be scaled up beyond 64 bits");
  Arith result = *this;
  result.bits_ = bits_ + by;
  for (std::uint64_t& word : result.words_) word <<= by;
  return result;
}

Arith Arith::reshaped(Shape shape) const {
  if (shape.lanes() != lanes()) throw std::invalid_argument("another shape must have as many lanes");
  Arith result = *this;
  result.shape_ = shape;
  return result;
}

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
  // At the dealer `other` has no words, so the dealer's term c does not change.
  const Words& words = ShareAccess::words(other);
  for (std::size_t i = 0; i < words.size(); ++i) words_[i] += words[i];
  return *this;
}

PendingProduct& PendingProduct::operator+=(const PendingProduct& other) {
  require_same_shape(shape_, other.shape_, "sum of products");
  require_same_scale(scale_, other.scale_, "sum of products");
  // At the dealer, an empty vector means that the term c is 0.
  if (words_.empty()) {
    words_ = other.words_;
  } else if (!other.words_.empty()) {
    kernels().add(words_.data(), other.words_.data(), words_.size());
  }
  return *this;
}

PendingProduct PendingProduct::times(std::uint64_t factor, unsigned added_scale) const& {
  return PendingProduct(*this).times(factor, added_scale);
}

PendingProduct PendingProduct::times(std::uint64_t factor, unsigned added_scale) && {
  scale_ += added_scale;
  if (factor == 1) return std::move(*this);
  for (std::uint64_t& word : words_) word *= factor;
  return std::move(*this);
}

std::string to_string(Shape shape) { return fmt::format("{}x{}", shape.rows, shape.columns); }

void require_same_shape(Shape a, Shape b, const char* what) {
  if (a == b) return;
  throw std::invalid_argument(fmt::format("{}: shapes {} and {} differ", what, to_string(a), to_string(b)));
}

void require_same_scale(unsigned a, unsigned b, const char* what) {
  if (a == b) return;
  throw std::invalid_argument(
      fmt::format("{}: values with {} and {} fraction bits do not add up, scale one of them", what, a, b));
}

}  // namespace sotto
