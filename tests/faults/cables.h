// Cables between roles that are threads of a test. A cable is a TCP connection on loopback through a thread, which can
// cut, stop, count and record the bytes. Roles do not use TLS, because the thread must see frames.
#pragma once

#include <netinet/tcp.h>
#include <sys/eventfd.h>

#include <atomic>
#include <list>
#include <map>
#include <mutex>
#include <random>
#include <set>
#include <span>
#include <thread>
#include <utility>

#include "core/system/descriptor.h"
#include "sotto/protocol/party/topology.h"
#include "sotto/protocol/transport/tcp/listener.h"
#include "tests/relay/relay.h"

namespace sotto::testing {

class Cables {
 public:
  using Ends = std::pair<NodeId, NodeId>;

  Cables() : wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)), thread_([this] { run(); }) {}
  ~Cables() {
    ends_ = true;
    wake();
    thread_.join();
  }
  Cables(const Cables&) = delete;
  Cables& operator=(const Cables&) = delete;

  // The address at which `from` reaches `to`, which listens at `target`.
  [[nodiscard]] net::Address between(NodeId from, NodeId to, const net::Address& target) {
    const std::lock_guard lock(mutex_);
    Cable& cable = cables_[{from, to}];
    if (cable.listener.get() < 0) {
      const SystemAddress any("127.0.0.1:0");
      cable.listener = any.socket();
      if (::bind(cable.listener.get(), any.get(), any.size()) != 0 || ::listen(cable.listener.get(), 16) != 0) {
        throw std::runtime_error("a cable cannot listen");
      }
      sockaddr_in own{};
      socklen_t size = sizeof own;
      ::getsockname(cable.listener.get(), reinterpret_cast<sockaddr*>(&own), &size);
      cable.address = net::Address{"127.0.0.1", ntohs(own.sin_port)};
    }
    cable.target = target;
    wake();
    return cable.address;
  }

  void cut(NodeId a, NodeId b) {
    const std::lock_guard lock(mutex_);
    for (Connection& c : connections_) {
      if (c.ends == Ends{a, b} || c.ends == Ends{b, a}) end(c, true);
    }
  }
  // Stops all bytes from and to `role`. No link reports that its bytes are stopped.
  void hold(NodeId role) {
    const std::lock_guard lock(mutex_);
    held_.insert(role);
  }
  void pass(NodeId role) {
    const std::lock_guard lock(mutex_);
    held_.erase(role);
    wake();
  }
  // Resets `percent` percent of the later connections within their first bytes.
  void cut_set_ups(unsigned percent, unsigned seed) {
    const std::lock_guard lock(mutex_);
    cut_percent_ = percent;
    random_.seed(seed);
  }
  [[nodiscard]] std::size_t set_ups_cut() const { return set_ups_cut_; }

  // Ends the role's links after the role has sent `bytes` more bytes, possibly in the middle of a frame, as if the role
  // died. The role gets no new link until revive().
  void end_after(NodeId role, std::uint64_t bytes) {
    const std::lock_guard lock(mutex_);
    ended_ = false;
    limit_ = Limit{role, bytes};
  }
  [[nodiscard]] bool has_ended() const { return ended_; }
  void revive() {
    const std::lock_guard lock(mutex_);
    ended_ = false;
    limit_.reset();
  }
  [[nodiscard]] std::uint64_t sent_by(NodeId role) {
    const std::lock_guard lock(mutex_);
    return sent_[role];
  }

  void record() {
    const std::lock_guard lock(mutex_);
    records_ = true;
  }
  [[nodiscard]] std::vector<RelayBytes> recorded(NodeId from, NodeId to) {
    const std::lock_guard lock(mutex_);
    return recorded_[{from, to}];
  }

 private:
  static constexpr std::size_t most_held = 1 << 20;
  // If a set-up is cut, the cut comes before this number of bytes in one direction.
  static constexpr std::size_t longest_set_up = 3000;

  struct Cable {
    Descriptor listener;
    net::Address address;
    net::Address target;
  };
  struct Limit {
    NodeId role;
    std::uint64_t bytes;
  };
  struct Way {
    RelayBytes bytes;
    std::size_t sent = 0;
    bool read_end = false;
    bool wrote_end = false;
    std::size_t record = 0;
  };
  struct Connection {
    Ends ends;
    Descriptor near, far;
    std::array<Way, 2> ways{};
    std::optional<std::size_t> cut_at{};
    std::size_t carried = 0;
    bool over = false;
    [[nodiscard]] int source(std::size_t way) const { return way == 0 ? near.get() : far.get(); }
    [[nodiscard]] int sink(std::size_t way) const { return way == 0 ? far.get() : near.get(); }
    [[nodiscard]] Ends of(std::size_t way) const { return way == 0 ? ends : Ends{ends.second, ends.first}; }
  };

  void wake() const {
    const std::uint64_t one = 1;
    (void)!::write(wake_.get(), &one, sizeof one);
  }

  void run() {
    while (!ends_) {
      std::vector<pollfd> waits{{wake_.get(), POLLIN, 0}};
      {
        const std::lock_guard lock(mutex_);
        for (const auto& [ends, cable] : cables_) waits.push_back({cable.listener.get(), POLLIN, 0});
        for (const Connection& c : connections_) add_waits(c, waits);
      }
      ::poll(waits.data(), waits.size(), 100);
      std::uint64_t count = 0;
      (void)!::read(wake_.get(), &count, sizeof count);
      const std::lock_guard lock(mutex_);
      for (auto& [ends, cable] : cables_) accept(ends, cable);
      for (Connection& c : connections_) carry(c);
      connections_.remove_if([](const Connection& c) { return c.over; });
    }
  }

  [[nodiscard]] bool is_held(const Connection& c) const {
    return held_.contains(c.ends.first) || held_.contains(c.ends.second);
  }
  [[nodiscard]] bool is_of_ended(const Connection& c) const {
    return ended_ && (c.ends.first == limit_->role || c.ends.second == limit_->role);
  }

  void add_waits(const Connection& c, std::vector<pollfd>& waits) const {
    if (c.over || is_held(c)) return;
    for (std::size_t way = 0; way < 2; ++way) {
      const Way& w = c.ways[way];
      if (!w.read_end && w.bytes.size() - w.sent < most_held) waits.push_back({c.source(way), POLLIN, 0});
      if (w.sent < w.bytes.size()) waits.push_back({c.sink(way), POLLOUT, 0});
    }
  }

  void accept(const Ends& ends, const Cable& cable) {
    for (;;) {
      Descriptor near(::accept4(cable.listener.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
      if (near.get() < 0) return;
      const SystemAddress target(cable.target.text());
      Descriptor far = target.socket();
      ::fcntl(far.get(), F_SETFL, 0);
      if (::connect(far.get(), target.get(), target.size()) != 0) continue;
      ::fcntl(far.get(), F_SETFL, O_NONBLOCK);
      const int yes = 1;
      for (const int end : {near.get(), far.get()}) ::setsockopt(end, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
      Connection& c = connections_.emplace_back();
      c.ends = ends;
      c.near = std::move(near);
      c.far = std::move(far);
      if (random_() % 100 < cut_percent_) c.cut_at = random_() % longest_set_up;
      for (std::size_t way = 0; way < 2 && records_; ++way) {
        auto& records = recorded_[c.of(way)];
        c.ways[way].record = records.size();
        records.emplace_back();
      }
    }
  }

  void carry(Connection& c) {
    if (is_of_ended(c)) return end(c, false);
    if (c.over || is_held(c)) return;
    for (std::size_t way = 0; way < 2 && !c.over; ++way) {
      take_in(c, way);
      if (!c.over) pass_on(c, way);
      if (is_of_ended(c)) return end(c, false);
    }
    c.over = c.over || (c.ways[0].wrote_end && c.ways[1].wrote_end);
  }

  void take_in(Connection& c, std::size_t way) {
    std::array<std::byte, 16 * 1024> buffer;
    Way& w = c.ways[way];
    while (!w.read_end && w.bytes.size() - w.sent < most_held && !is_of_ended(c)) {
      const ssize_t got = ::recv(c.source(way), buffer.data(), buffer.size(), 0);
      if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
      if (got < 0) return end(c, true);
      w.read_end = got == 0;
      std::span<const std::byte> bytes(buffer.data(), static_cast<std::size_t>(got));
      bytes = bytes.first(count(c.of(way).first, bytes.size()));
      c.carried += bytes.size();
      if (c.cut_at && c.carried > *c.cut_at) {
        ++set_ups_cut_;
        return end(c, true);
      }
      w.bytes.insert(w.bytes.end(), bytes.begin(), bytes.end());
      if (!records_) continue;
      auto& records = recorded_[c.of(way)];
      if (w.record < records.size()) records[w.record].insert(records[w.record].end(), bytes.begin(), bytes.end());
    }
  }

  std::size_t count(NodeId from, std::size_t bytes) {
    sent_[from] += bytes;
    if (!limit_ || limit_->role != from || ended_) return bytes;
    if (bytes < limit_->bytes) {
      limit_->bytes -= bytes;
      return bytes;
    }
    ended_ = true;
    return limit_->bytes;
  }

  void pass_on(Connection& c, std::size_t way) {
    Way& w = c.ways[way];
    while (w.sent < w.bytes.size()) {
      const ssize_t sent = ::send(c.sink(way), w.bytes.data() + w.sent, w.bytes.size() - w.sent, MSG_NOSIGNAL);
      if (sent < 0 && (errno == EAGAIN || errno == EINTR)) return;
      if (sent < 0) return end(c, true);
      w.sent += static_cast<std::size_t>(sent);
    }
    w.bytes.clear();
    w.sent = 0;
    if (w.read_end && !w.wrote_end) {
      w.wrote_end = true;
      ::shutdown(c.sink(way), SHUT_WR);
    }
  }

  static void end(Connection& c, bool reset) {
    const linger at_once{1, 0};
    for (Descriptor* const side : {&c.near, &c.far}) {
      if (side->get() >= 0 && reset) ::setsockopt(side->get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
      side->close();
    }
    c.over = true;
  }

  std::mutex mutex_;
  std::map<Ends, Cable> cables_;
  std::list<Connection> connections_;
  std::set<NodeId> held_;
  std::mt19937 random_;
  unsigned cut_percent_ = 0;
  std::optional<Limit> limit_;
  std::map<NodeId, std::uint64_t> sent_;
  bool records_ = false;
  std::map<Ends, std::vector<RelayBytes>> recorded_;
  std::atomic<bool> ended_{false};
  std::atomic<std::size_t> set_ups_cut_{0};
  std::atomic<bool> ends_{false};
  Descriptor wake_;
  std::thread thread_;
};

}  // namespace sotto::testing
