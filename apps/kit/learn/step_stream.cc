#include "sotto/apps/kit/learn/step_stream.h"

#include <cstring>
#include <span>
#include <stdexcept>

namespace sotto::apps {
namespace {

std::array<std::byte, 16> key_of(std::uint64_t seed, std::uint64_t step) {
  std::array<std::byte, 16> key;
  for (std::size_t i = 0; i < 8; ++i) {
    key[i] = static_cast<std::byte>(seed >> (8 * i));
    key[8 + i] = static_cast<std::byte>(step >> (8 * i));
  }
  return key;
}

}  // namespace

StepStream::StepStream(std::uint64_t seed, std::uint64_t step)
    : stream_(key_of(seed, step), expansion()) {}

std::uint64_t StepStream::next() {
  if (taken_ == words_.size()) {
    std::array<unsigned char, Expansion::group_bytes> bytes;
    stream_.write(bytes);
    std::memcpy(words_.data(), bytes.data(), bytes.size());
    taken_ = 0;
  }
  return words_[taken_++];
}

std::uint64_t StepStream::below(std::uint64_t n) {
  if (n == 0) throw std::invalid_argument("there is no number below 0");
  const std::uint64_t uneven = (0 - n) % n;  // 2^64 mod n
  std::uint64_t word = next();
  while (word < uneven) word = next();
  return word % n;
}

}  // namespace sotto::apps
