// A relay between two roles, for the tests. The relay accepts TCP connections at one address and sends their bytes to
// another address. If nothing listens at the target address yet, the relay waits.
//
// Lines of text control the relay:
//     delay MS      bytes arrive that much later from now on, in order
//     hold          no bytes come through, and no link reports this
//     pass          everything comes through again
// A line that the relay does not understand ends the relay with an error.
#pragma once

#include <arpa/inet.h>
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <list>
#include <memory>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "core/system/descriptor.h"

namespace sotto::testing {

// A filter changes the bytes of one direction of the relay's first connection.

using RelayBytes = std::vector<std::byte>;

class RelayFilter {
 public:
  virtual ~RelayFilter() = default;
  // Takes the next bytes, and returns the bytes that are sent in their place.
  virtual RelayBytes put(std::span<const std::byte> bytes) = 0;
  // True if this direction ends after the bytes that put() has returned.
  [[nodiscard]] virtual bool ended() const { return false; }
  // True if no more bytes come through in either direction, without any sign of this on the links.
  [[nodiscard]] virtual bool silent() const { return false; }
  [[nodiscard]] virtual bool cut() const { return false; }
};

enum class ByteFault : std::uint8_t {
  flip,    // one bit of one byte is flipped
  lose,    // `count` bytes never arrive, but the bytes after them do
  repeat,  // the `count` bytes before this position arrive again
  swap,    // `count` bytes and the `count` bytes after them change places
  close,   // the direction ends here
  hold,    // nothing arrives from here on
  cut,
};

// Causes one fault at byte number `at` of the direction.
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

// Converts text such as "127.0.0.1:4000" or "[::1]:4000" to a socket address.
class SystemAddress {
 public:
  explicit SystemAddress(const std::string& text) {
    const std::size_t colon = text.rfind(':');
    if (colon == std::string::npos) throw std::runtime_error("no port in " + text);
    std::string host = text.substr(0, colon);
    if (host.size() > 2 && host.front() == '[') host = host.substr(1, host.size() - 2);
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV;
    addrinfo* found = nullptr;
    if (::getaddrinfo(host.c_str(), text.c_str() + colon + 1, &hints, &found) != 0) {
      throw std::runtime_error("no address: " + text);
    }
    std::memcpy(&storage_, found->ai_addr, found->ai_addrlen);
    size_ = found->ai_addrlen;
    ::freeaddrinfo(found);
  }
  [[nodiscard]] const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&storage_); }
  [[nodiscard]] socklen_t size() const { return size_; }
  [[nodiscard]] Descriptor socket() const {
    return Descriptor(::socket(storage_.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  }

 private:
  sockaddr_storage storage_{};
  socklen_t size_ = 0;
};

class RelayLoop {
 public:
  using Clock = std::chrono::steady_clock;

  RelayLoop(const std::string& listen, std::string to) : to_(std::move(to)) {
    const SystemAddress address(listen);
    listener_ = address.socket();
    const int yes = 1;
    ::setsockopt(listener_.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (::bind(listener_.get(), address.get(), address.size()) != 0 || ::listen(listener_.get(), 16) != 0) {
      throw std::runtime_error("the relay cannot listen on " + listen + ": " + std::strerror(errno));
    }
  }

  [[nodiscard]] std::string address() const {
    sockaddr_in own{};
    socklen_t size = sizeof own;
    ::getsockname(listener_.get(), reinterpret_cast<sockaddr*>(&own), &size);
    return "127.0.0.1:" + std::to_string(ntohs(own.sin_port));
  }

  // Call this before the relay runs. "Up" is the direction of the bytes from the connecting side.
  void set_filters(std::unique_ptr<RelayFilter> up, std::unique_ptr<RelayFilter> down) {
    filters_[0] = std::move(up);
    filters_[1] = std::move(down);
  }

  // Relays bytes until the end of `commands`, a descriptor from which the relay reads lines.
  void run(int commands) {
    for (;;) {
      std::vector<pollfd> waits{{commands, POLLIN, 0}, {listener_.get(), POLLIN, 0}};
      for (const Connection& connection : connections_) add_waits(connection, waits);
      ::poll(waits.data(), waits.size(), milliseconds_to_wait());
      if (waits[0].revents != 0 && !take_commands(commands)) return;
      accept();
      for (Connection& connection : connections_) carry(connection);
      connections_.remove_if([](const Connection& c) { return c.over; });
    }
  }

 private:
  static constexpr std::size_t most_held = 1 << 20;

  struct Piece {
    Clock::time_point due;
    RelayBytes bytes;
    std::size_t sent = 0;
  };
  struct Direction {
    std::deque<Piece> pieces;
    std::size_t held = 0;
    bool read_end = false;
    bool wrote_end = false;  // the end of this direction was passed on
    std::unique_ptr<RelayFilter> filter{};
  };
  struct Connection {
    Descriptor near;
    Descriptor far;
    bool connected = false;
    bool over = false;
    Clock::time_point next_attempt{};
    std::array<Direction, 2> ways{};
    [[nodiscard]] int from(int way) const { return way == 0 ? near.get() : far.get(); }
    [[nodiscard]] int to(int way) const { return way == 0 ? far.get() : near.get(); }
  };

  [[nodiscard]] int milliseconds_to_wait() const {
    Clock::time_point next = Clock::now() + std::chrono::milliseconds(100);
    for (const Connection& c : connections_) {
      if (!c.connected) next = std::min(next, c.next_attempt);
      for (const Direction& way : c.ways) {
        if (!way.pieces.empty() && !held_back_) next = std::min(next, way.pieces.front().due);
      }
    }
    const auto wait = std::chrono::ceil<std::chrono::milliseconds>(next - Clock::now());
    return static_cast<int>(std::max<std::int64_t>(0, wait.count()));
  }

  void add_waits(const Connection& c, std::vector<pollfd>& waits) const {
    if (!c.connected) return;
    for (int way = 0; way < 2; ++way) {
      const Direction& d = c.ways[static_cast<std::size_t>(way)];
      if (!d.read_end && d.held < most_held) waits.push_back({c.from(way), POLLIN, 0});
      const bool due = !d.pieces.empty() && d.pieces.front().due <= Clock::now();
      if (due && !held_back_) waits.push_back({c.to(way), POLLOUT, 0});
    }
  }

  bool take_commands(int commands) {
    std::array<char, 1024> buffer{};
    const ssize_t got = ::read(commands, buffer.data(), buffer.size());
    if (got <= 0) return false;
    said_.append(buffer.data(), static_cast<std::size_t>(got));
    for (std::size_t end = said_.find('\n'); end != std::string::npos; end = said_.find('\n')) {
      obey(said_.substr(0, end));
      said_.erase(0, end + 1);
    }
    return true;
  }

  void obey(const std::string& line) {
    std::istringstream in(line);
    std::string word;
    in >> word;
    if (word == "delay") {
      int milliseconds = 0;
      in >> milliseconds;
      delay_ = std::chrono::milliseconds(milliseconds);
    } else if (word == "hold" || word == "pass") {
      held_back_ = word == "hold";
    } else {
      throw std::runtime_error("the relay does not understand: " + line);
    }
  }

  void accept() {
    for (;;) {
      const int near = ::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
      if (near < 0) return;
      Connection& c = connections_.emplace_back();
      c.near = Descriptor(near);
      for (std::size_t way = 0; way < 2; ++way) c.ways[way].filter = std::move(filters_[way]);
    }
  }

  void connect(Connection& c) {
    if (Clock::now() < c.next_attempt) return;
    c.next_attempt = Clock::now() + std::chrono::milliseconds(20);
    const SystemAddress target(to_);
    c.far = target.socket();
    ::fcntl(c.far.get(), F_SETFL, 0);  // connect() blocks, but only briefly, because the target is on this machine
    if (::connect(c.far.get(), target.get(), target.size()) != 0) return;
    ::fcntl(c.far.get(), F_SETFL, O_NONBLOCK);
    c.connected = true;
  }

  void carry(Connection& c) {
    if (!c.connected) connect(c);
    if (!c.connected || c.over) return;
    for (int way = 0; way < 2; ++way) {
      Direction& d = c.ways[static_cast<std::size_t>(way)];
      take_in(c, way, d);
      if (c.over) return;
      if (!held_back_) pass_on(c, way, d);
      if (c.over) return;
    }
    c.over = c.ways[0].wrote_end && c.ways[1].wrote_end;
  }

  void take_in(Connection& c, int way, Direction& d) {
    std::array<std::byte, 16 * 1024> buffer;
    while (!d.read_end && d.held < most_held) {
      const ssize_t got = ::recv(c.from(way), buffer.data(), buffer.size(), 0);
      if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
      if (got < 0) return reset(c);
      if (got == 0) {
        d.read_end = true;
        return;
      }
      RelayBytes bytes(buffer.begin(), buffer.begin() + got);
      if (d.filter) {
        bytes = d.filter->put(bytes);
        d.read_end = d.filter->ended();
        held_back_ = held_back_ || d.filter->silent();
        if (d.filter->cut()) return reset(c);
      }
      if (bytes.empty()) continue;
      d.held += bytes.size();
      d.pieces.push_back({Clock::now() + delay_, std::move(bytes)});
    }
  }

  void pass_on(Connection& c, int way, Direction& d) {
    while (!d.pieces.empty() && d.pieces.front().due <= Clock::now()) {
      Piece& piece = d.pieces.front();
      const ssize_t sent =
          ::send(c.to(way), piece.bytes.data() + piece.sent, piece.bytes.size() - piece.sent, MSG_NOSIGNAL);
      if (sent < 0 && (errno == EAGAIN || errno == EINTR)) return;
      if (sent < 0) return reset(c);
      piece.sent += static_cast<std::size_t>(sent);
      d.held -= static_cast<std::size_t>(sent);
      if (piece.sent == piece.bytes.size()) d.pieces.pop_front();
    }
    if (d.read_end && d.pieces.empty() && !d.wrote_end) {
      d.wrote_end = true;
      ::shutdown(c.to(way), SHUT_WR);
    }
  }

  void reset(Connection& c) {
    const linger at_once{1, 0};
    for (const int end : {c.near.get(), c.far.get()}) {
      if (end >= 0) ::setsockopt(end, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    }
    c.near.close();
    c.far.close();
    c.over = true;
  }

  std::string to_;
  Descriptor listener_;
  std::array<std::unique_ptr<RelayFilter>, 2> filters_{};
  std::list<Connection> connections_;
  std::chrono::milliseconds delay_{0};
  bool held_back_ = false;
  std::string said_;
};

class Relay {
 public:
  explicit Relay(const std::string& to, std::unique_ptr<RelayFilter> up = nullptr,
                 std::unique_ptr<RelayFilter> down = nullptr)
      : loop_("127.0.0.1:0", to) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("no pipe for the relay");
    commands_ = Descriptor(ends[0]);
    end_ = Descriptor(ends[1]);
    loop_.set_filters(std::move(up), std::move(down));
    thread_ = std::thread([this] { loop_.run(commands_.get()); });
  }
  ~Relay() {
    end_.close();
    thread_.join();
  }
  Relay(const Relay&) = delete;
  Relay& operator=(const Relay&) = delete;

  [[nodiscard]] std::string address() const { return loop_.address(); }

 private:
  RelayLoop loop_;
  Descriptor commands_;
  Descriptor end_;
  std::thread thread_;
};

}  // namespace sotto::testing
