// Two ends of a byte stream in memory, and a clock. The stream moves as many bytes at a time as a test wants, and the
// clock does not run until a test advances it.
#pragma once

#include <deque>

#include "net/transport/emulate/emulated_link.h"
#include "tests/framework.h"

namespace sotto::net::testing {

struct FakeClock {
  Clock::time_point time{std::chrono::hours(1000)};
  [[nodiscard]] EmulatedLink::Now now() {
    return [this] { return time; };
  }
};

struct FakeWire {
  std::deque<std::byte> bytes;
  std::size_t capacity = 1 << 20;
  bool ended = false;
  std::size_t moved = 0;
};

class FakeStream final : public ByteStream {
 public:
  FakeStream(std::shared_ptr<FakeWire> in, std::shared_ptr<FakeWire> out, std::function<std::size_t()> most)
      : in_(std::move(in)), out_(std::move(out)), most_(std::move(most)) {}

  Transfer read_some(std::span<std::byte> into) override {
    const std::size_t bytes = std::min({into.size(), in_->bytes.size(), most_()});
    if (in_->bytes.empty()) return {0, in_->ended ? State::closed : State::would_block};
    if (bytes == 0) return {0, State::would_block};
    const auto end = in_->bytes.begin() + static_cast<std::ptrdiff_t>(bytes);
    std::copy(in_->bytes.begin(), end, into.begin());
    in_->bytes.erase(in_->bytes.begin(), end);
    return {bytes, State::moved};
  }
  Transfer write_some(std::span<const std::byte> head, std::span<const std::byte> body) override {
    std::size_t room = std::min(most_(), out_->capacity - out_->bytes.size());
    std::size_t bytes = 0;
    for (const auto part : {head, body}) {
      const std::size_t taken = std::min(room, part.size());
      out_->bytes.insert(out_->bytes.end(), part.begin(), part.begin() + static_cast<std::ptrdiff_t>(taken));
      room -= taken;
      bytes += taken;
    }
    out_->moved += bytes;
    return {bytes, bytes == 0 ? State::would_block : State::moved};
  }
  [[nodiscard]] Waitable wait_for(bool reading, bool writing) const override {
    return {7, reading, writing, Clock::time_point::max()};
  }
  void end_writing() noexcept override { out_->ended = true; }
  void close() noexcept override { out_->ended = true; }
  [[nodiscard]] std::string failure() const override { return "broken"; }

 private:
  std::shared_ptr<FakeWire> in_;
  std::shared_ptr<FakeWire> out_;
  std::function<std::size_t()> most_;
};

struct FakePair {
  explicit FakePair(
      const LinkConditions& conditions, std::function<std::size_t()> most = [] { return SIZE_MAX; }) {
    a = std::make_unique<EmulatedLink>(std::make_unique<FakeStream>(to_a, to_b, most), conditions, false, 1,
                                       clock.now());
    b = std::make_unique<EmulatedLink>(std::make_unique<FakeStream>(to_b, to_a, most), conditions, true, 2,
                                       clock.now());
  }
  FakeClock clock;
  std::shared_ptr<FakeWire> to_a = std::make_shared<FakeWire>();
  std::shared_ptr<FakeWire> to_b = std::make_shared<FakeWire>();
  std::unique_ptr<EmulatedLink> a;
  std::unique_ptr<EmulatedLink> b;
};

}  // namespace sotto::net::testing
