// Tweaks of the hash of transfers (transfer_hash.h): numbers that are handed out once.
//
// A range of tweaks can be moved, not copied, and a hash takes it away from its caller: whoever wants to hash again has
// to take fresh ones. What was moved away is empty.
#pragma once

#include <cstdint>
#include <limits>
#include <stdexcept>
#include <utility>

#include "core/transfer/bits128.h"
#include "sotto/protocol/error/errors.h"

namespace sotto {

class Tweaks;

// Tweaks that follow each other. Made by Tweaks alone.
class TweakRange {
 public:
  TweakRange(const TweakRange&) = delete;
  TweakRange& operator=(const TweakRange&) = delete;
  TweakRange(TweakRange&& other) noexcept : first_(other.first_), count_(std::exchange(other.count_, 0)) {}
  TweakRange& operator=(TweakRange&& other) noexcept {
    first_ = other.first_;
    count_ = std::exchange(other.count_, 0);
    return *this;
  }
  ~TweakRange() = default;

  [[nodiscard]] const Bits128& first() const noexcept { return first_; }
  [[nodiscard]] std::uint64_t count() const noexcept { return count_; }

 private:
  friend class Tweaks;
  TweakRange(const Bits128& first, std::uint64_t count) noexcept : first_(first), count_(count) {}

  Bits128 first_;
  std::uint64_t count_;
};

// Hands out the tweaks (domain, 0), (domain, 1), ... of 64 bits each: 2^64 - 1 in all. Where two of one domain exist,
// their users' hashes must have secrets of their own, as the two ends of one set-up do.
class Tweaks {
 public:
  explicit Tweaks(std::uint64_t domain) noexcept : domain_(domain) {}
  Tweaks(const Tweaks&) = delete;
  Tweaks& operator=(const Tweaks&) = delete;
  Tweaks(Tweaks&& other) noexcept
      : domain_(other.domain_), next_(std::exchange(other.next_, std::numeric_limits<std::uint64_t>::max())) {}
  Tweaks& operator=(Tweaks&& other) noexcept {
    domain_ = other.domain_;
    next_ = std::exchange(other.next_, std::numeric_limits<std::uint64_t>::max());
    return *this;
  }
  ~Tweaks() = default;

  // The next ones. Throws ResourceError when they are used up, as those that were moved away are.
  [[nodiscard]] TweakRange take(std::uint64_t count) {
    if (count > std::numeric_limits<std::uint64_t>::max() - next_) {
      throw ResourceError("the tweaks of this set-up of oblivious transfers are used up; set up anew");
    }
    const Bits128 first{{next_, domain_}};
    next_ += count;
    return {first, count};
  }

 private:
  std::uint64_t domain_;
  std::uint64_t next_ = 0;
};

}  // namespace sotto
