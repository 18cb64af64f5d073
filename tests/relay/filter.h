// What the relay does to the bytes of one direction of its first connection.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace sotto::testing {

using RelayBytes = std::vector<std::byte>;

class RelayFilter {
 public:
  virtual ~RelayFilter() = default;
  // Takes the next bytes, returns what is sent on in their place.
  virtual RelayBytes put(std::span<const std::byte> bytes) = 0;
  // This direction ends after what put() has returned.
  [[nodiscard]] virtual bool ended() const { return false; }
  // Nothing comes through any more in either direction, and no link says so.
  [[nodiscard]] virtual bool silent() const { return false; }
  // The connection is reset.
  [[nodiscard]] virtual bool cut() const { return false; }
};

enum class ByteFault : std::uint8_t {
  flip,    // one bit of one byte
  lose,    // `count` bytes never arrive, what follows does
  repeat,  // the `count` bytes before come again
  swap,    // `count` bytes and the `count` bytes after them change places
  close,   // the direction ends here
  hold,    // nothing arrives from here on
  cut,     // the connection is reset
};

// Does something once at byte number `at` of the direction, whatever the bytes mean.
class ByteFaultFilter final : public RelayFilter {
 public:
  ByteFaultFilter(ByteFault fault, std::size_t at, std::size_t count)
      : fault_(fault), at_(at), count_(std::max<std::size_t>(count, 1)) {}

  RelayBytes put(std::span<const std::byte> bytes) override {
    RelayBytes out;
    for (const std::byte byte : bytes) {
      if (!stopped_) put_one(byte, out);
      ++seen_;
    }
    return out;
  }
  [[nodiscard]] bool ended() const override { return stopped_ && fault_ == ByteFault::close; }
  [[nodiscard]] bool silent() const override { return stopped_ && fault_ == ByteFault::hold; }
  [[nodiscard]] bool cut() const override { return stopped_ && fault_ == ByteFault::cut; }

 private:
  void put_one(std::byte byte, RelayBytes& out) {
    const bool within = seen_ >= at_ && seen_ - at_ < count_;
    switch (fault_) {
      case ByteFault::flip:
        out.push_back(seen_ == at_ ? byte ^ std::byte{1} : byte);
        return;
      case ByteFault::lose:
        if (!within) out.push_back(byte);
        return;
      case ByteFault::repeat:
        if (seen_ == at_) out.insert(out.end(), last_.begin(), last_.end());
        last_.push_back(byte);
        if (last_.size() > count_) last_.erase(last_.begin());
        out.push_back(byte);
        return;
      case ByteFault::swap:
        if (within) {
          last_.push_back(byte);
          return;
        }
        out.push_back(byte);
        if (seen_ + 1 == at_ + 2 * count_) out.insert(out.end(), last_.begin(), last_.end());
        return;
      default:
        if (seen_ >= at_) {
          stopped_ = true;
        } else {
          out.push_back(byte);
        }
    }
  }

  ByteFault fault_;
  std::size_t at_;
  std::size_t count_;
  std::size_t seen_ = 0;
  RelayBytes last_;
  bool stopped_ = false;
};

}  // namespace sotto::testing
