#include "apps/kit/learn/seeded.h"

#include <cstring>

#include "sotto/protocol/random/prg.h"

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

StepStream::StepStream(std::uint64_t seed, std::uint64_t step) : stream_(key_of(seed, step), expansion()) {}

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
  return uniform_below(n, [this] { return next(); });
}

}  // namespace sotto::apps
