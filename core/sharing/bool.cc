#include "sotto/protocol/sharing/bool.h"

#include <stdexcept>
#include <utility>

#include "sotto/protocol/party/party.h"
#include "sotto/protocol/ring/fixed_point.h"

namespace sotto {
namespace {

std::uint64_t gather_even(std::uint64_t word) {
  word &= 0x5555555555555555u;
  word = (word | word >> 1) & 0x3333333333333333u;
  word = (word | word >> 2) & 0x0f0f0f0f0f0f0f0fu;
  word = (word | word >> 4) & 0x00ff00ff00ff00ffu;
  word = (word | word >> 8) & 0x0000ffff0000ffffu;
  return (word | word >> 16) & 0x00000000ffffffffu;
}

template <class F>
Words each(const Words& words, F f) {
  Words result(words.size());
  for (std::size_t i = 0; i < words.size(); ++i) result[i] = f(words[i]);
  return result;
}

void require_even(unsigned width) {
  if (width % 2 != 0) throw std::invalid_argument("every other bit of an odd number of bits");
}

}  // namespace

Bool::Bool(Shape shape, unsigned width) : Bool(shape, width, Words{}) {}

Bool::Bool(Shape shape, unsigned width, Words words) : shape_(shape), width_(width), words_(std::move(words)) {
  if (width < 1 || width > 64) throw std::invalid_argument("a Boolean lane has 1 to 64 bits");
  if (!words_.empty() && words_.size() != shape.lanes()) {
    throw std::invalid_argument("the number of shares differs from the number of lanes");
  }
  for (std::uint64_t& word : words_) word &= ring_mask(width);
}

Bool& Bool::operator^=(const Bool& other) {
  require_same_shape(shape_, other.shape_, "exclusive or of shares");
  if (width_ != other.width_) {
    throw std::invalid_argument("exclusive or of shares: the widths differ");
  }
  for (std::size_t i = 0; i < words_.size(); ++i) words_[i] ^= other.words_[i];
  return *this;
}

Bool Bool::masked_by(std::uint64_t word) const {
  return Bool(shape_, width_, each(words_, [&](std::uint64_t share) { return share & word; }));
}

Bool Bool::complement(const Party& party) const {
  const std::uint64_t flip = party.adds_constants() ? ring_mask(width_) : 0;
  return Bool(shape_, width_, each(words_, [&](std::uint64_t share) { return share ^ flip; }));
}

Bool Bool::low(unsigned bits) const {
  if (bits < 1 || bits > width_) throw std::invalid_argument("no such low bits in this value");
  return Bool(shape_, bits, words_);
}

Bool Bool::high(unsigned from) const {
  if (from >= width_) throw std::invalid_argument("no such high bits in this value");
  return Bool(shape_, width_ - from, each(words_, [&](std::uint64_t share) { return share >> from; }));
}

Bool Bool::raised(unsigned by) const {
  if (by > 64 - width_) throw std::invalid_argument("bits cannot be raised beyond 64");
  return Bool(shape_, width_ + by, each(words_, [&](std::uint64_t share) { return share << by; }));
}

Bool Bool::even_bits() const {
  require_even(width_);
  return Bool(shape_, width_ / 2, each(words_, gather_even));
}

Bool Bool::odd_bits() const {
  require_even(width_);
  return Bool(shape_, width_ / 2, each(words_, [](std::uint64_t share) { return gather_even(share >> 1); }));
}

Bool Bool::reshaped(Shape shape) const {
  if (shape.lanes() != lanes()) throw std::invalid_argument("another shape must have as many lanes");
  Bool result = *this;
  result.shape_ = shape;
  return result;
}

}  // namespace sotto
