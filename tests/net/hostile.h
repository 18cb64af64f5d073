#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "sotto/protocol/mesh/handshake/hello.h"
#include "sotto/protocol/transport/stream.h"
#include "sotto/protocol/transport/tcp/listener.h"
#include "sotto/protocol/wire/frame.h"
#include "tests/framework.h"

namespace sotto::net::testing {

using Bytes = std::vector<std::byte>;

class Hostile {
 public:
  explicit Hostile(const Address& address, std::uint32_t source = 1) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in own{};
    own.sin_family = AF_INET;
    own.sin_addr.s_addr = htonl(INADDR_LOOPBACK - 1 + source);
    if (bind(socket_, reinterpret_cast<const sockaddr*>(&own), sizeof own) != 0) {
      throw std::runtime_error("the test's peer has no such address");
    }
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(address.port);
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (connect(socket_, reinterpret_cast<const sockaddr*>(&to), sizeof to) != 0) {
      throw std::runtime_error("the test's peer cannot connect");
    }
  }
  Hostile(const Hostile&) = delete;
  Hostile& operator=(const Hostile&) = delete;
  ~Hostile() { ::close(socket_); }

  void say(std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
      const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return;
      bytes = bytes.subspan(static_cast<std::size_t>(sent));
    }
  }
  void say(std::string_view text) { say(std::as_bytes(std::span(text))); }
  void say(const FrameHeader& header, std::span<const std::byte> payload = {}) {
    Bytes head(FrameHeader::size);
    write_header(header, std::span(head).first<FrameHeader::size>());
    say(head);
    say(payload);
  }
  void say_hello(const Hello& hello) {
    const Bytes payload = encode(hello);
    say({static_cast<std::uint32_t>(payload.size()), FrameType::hello, 0, 0}, payload);
  }
  // Reads the next frame. Returns the frame's payload, which is empty if the other side has closed the connection.
  Bytes receive(FrameHeader& header) {
    const Bytes head = exactly(FrameHeader::size);
    if (head.empty() || !read_header(std::span(head).first<FrameHeader::size>(), header)) return {};
    return exactly(header.length);
  }
  void hear_out() {
    std::byte dump[4096];
    while (::recv(socket_, dump, sizeof dump, 0) > 0) continue;
  }
  [[nodiscard]] bool closed() const {
    std::byte one;
    return ::recv(socket_, &one, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
  }
  void end_writing() { shutdown(socket_, SHUT_WR); }

 private:
  Bytes exactly(std::size_t count) {
    Bytes bytes(count);
    std::size_t got = 0;
    while (got < count) {
      const ssize_t more = ::recv(socket_, bytes.data() + got, count - got, 0);
      if (more <= 0) return {};
      got += static_cast<std::size_t>(more);
    }
    return bytes;
  }

  int socket_;
};

// A stream that shows a certificate without cryptography: the first byte in each direction names the sender's
// certificate.

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
