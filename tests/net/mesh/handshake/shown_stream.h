// A stream that shows a certificate, without the cryptography: the first byte each way is who the other end is.
#pragma once

#include "sotto/protocol/transport/stream.h"
#include "tests/framework.h"

namespace sotto::net::testing {

// The fingerprint of the certificate with that letter.
inline std::string shown(char letter) { return "sha256:" + std::string(64, letter); }

class ShownStream final : public ByteStream {
 public:
  ShownStream(std::unique_ptr<ByteStream> under, char mine)
      : under_(std::move(under)), mine_(static_cast<std::byte>(mine)) {}

  Transfer read_some(std::span<std::byte> into) override {
    push();
    if (theirs_ != 0) return under_->read_some(into);
    std::byte letter{};
    const Transfer in = under_->read_some(std::span(&letter, 1));
    if (in.state != State::moved) return in;
    theirs_ = static_cast<char>(letter);
    return under_->read_some(into);
  }
  Transfer write_some(std::span<const std::byte> head, std::span<const std::byte> body) override {
    return push() ? under_->write_some(head, body) : Transfer{0, State::would_block};
  }
  bool push() override {
    if (said_) return true;
    said_ = under_->write_some(std::span(&mine_, 1), {}).state == State::moved;
    return said_;
  }
  [[nodiscard]] bool holds_output() const override { return !said_; }
  [[nodiscard]] Waitable wait_for(bool reading, bool writing) const override {
    return under_->wait_for(reading, writing);
  }
  void end_writing() noexcept override { under_->end_writing(); }
  void close() noexcept override { under_->close(); }
  [[nodiscard]] std::string failure() const override { return under_->failure(); }
  [[nodiscard]] std::string peer_fingerprint() const override { return theirs_ == 0 ? "" : shown(theirs_); }

 private:
  std::unique_ptr<ByteStream> under_;
  std::byte mine_;
  bool said_ = false;
  char theirs_ = 0;
};

}  // namespace sotto::net::testing
