// A stream whose peer says exactly these bytes and takes whatever is written to it.
#pragma once

#include <algorithm>

#include "sotto/net/transport/stream.h"

namespace sotto::fuzz {

class FedStream final : public net::ByteStream {
 public:
  explicit FedStream(std::span<const std::byte> input) : input_(input) {}

  Transfer read_some(std::span<std::byte> into) override {
    if (closed_) return {0, State::lost};
    if (input_.empty()) return {0, State::closed};
    const std::size_t bytes = std::min(into.size(), input_.size());
    std::copy_n(input_.begin(), bytes, into.begin());
    input_ = input_.subspan(bytes);
    return {bytes, State::moved};
  }
  Transfer write_some(std::span<const std::byte> head, std::span<const std::byte> body) override {
    return {head.size() + body.size(), closed_ ? State::lost : State::moved};
  }
  [[nodiscard]] net::Waitable wait_for(bool /*reading*/, bool /*writing*/) const override {
    return {-1, false, false, net::Clock::now()};
  }
  void end_writing() noexcept override {}
  void close() noexcept override { closed_ = true; }
  [[nodiscard]] std::string failure() const override { return "it was closed"; }

 private:
  std::span<const std::byte> input_;
  bool closed_ = false;
};

}  // namespace sotto::fuzz
