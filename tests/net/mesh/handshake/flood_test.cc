// While roles set up their links, a flood of bare connections arrives at their ports. A bare connection proves no
// identity. Whenever a role sends or receives bytes of its set-up, the flood opens more connections. The role continues
// only after the port has accepted them, so a slow machine slows the flood and the roles equally.
#include <latch>
#include <list>

#include "sotto/protocol/mesh/mesh.h"
#include "sotto/protocol/transport/tcp/listener.h"
#include "tests/net/hostile.h"
#include "tests/net/transport/tls/pairs.h"

namespace sotto::net::testing {
namespace {

class BareFlood {
 public:
  static constexpr std::size_t at_first = 600;

  BareFlood(const std::map<NodeId, MeshConfig>& configs, std::size_t each_time, std::uint32_t source)
      : each_time_(each_time), source_(source) {
    for (const auto& [role, config] : configs) {
      if (!config.listener) continue;
      ports_[role].address = config.listener->address();
      connect_to(ports_[role], at_first);
    }
  }
  void rise(NodeId role) {
    Port& port = ports_.at(role);
    const std::lock_guard lock(port.mutex);
    connect_to(port, each_time_);
    for (std::size_t seen = port.accepted; seen < port.made; seen = port.accepted) port.accepted.wait(seen);
  }
  void accepted(NodeId role, std::size_t count = 1) {
    const auto found = ports_.find(role);
    if (found == ports_.end()) return;
    found->second.accepted += count;
    found->second.accepted.notify_all();
  }
  void ended(NodeId role) { accepted(role, SIZE_MAX / 2); }

 private:
  struct Port {
    Address address;
    std::mutex mutex;
    std::list<Hostile> bare;
    std::size_t made = 0;
    std::atomic<std::size_t> accepted{0};
  };

  void connect_to(Port& port, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      try {
        port.bare.emplace_back(port.address, source_);
      } catch (const std::runtime_error&) {
        return;
      }
      ++port.made;
    }
    port.bare.remove_if([](const Hostile& one) { return one.closed(); });
  }

  std::size_t each_time_;
  std::uint32_t source_;
  std::map<NodeId, Port> ports_;
};

class WatchedStream final : public ByteStream {
 public:
  WatchedStream(std::unique_ptr<ByteStream> under, std::function<void()> moved)
      : under_(std::move(under)), moved_(std::move(moved)) {}

  Transfer read_some(std::span<std::byte> into) override { return noted(under_->read_some(into)); }
  Transfer write_some(std::span<const std::byte> head, std::span<const std::byte> body) override {
    return noted(under_->write_some(head, body));
  }
  [[nodiscard]] Waitable wait_for(bool reading, bool writing) const override {
    return under_->wait_for(reading, writing);
  }
  void end_writing() noexcept override { under_->end_writing(); }
  void close() noexcept override { under_->close(); }
  [[nodiscard]] std::string failure() const override { return under_->failure(); }

 private:
  Transfer noted(const Transfer& transfer) {
    if (transfer.state == State::moved) moved_();
    return transfer;
  }

  std::unique_ptr<ByteStream> under_;
  std::function<void()> moved_;
};

void expect_all_start(std::size_t each_time, std::uint32_t source) {
  constexpr std::size_t descriptors = 12'000;
  if (connections_within_limit(descriptors) < descriptors) GTEST_SKIP() << "the limit of descriptors is lower";
  auto configs = encrypted_configs(Topology(3));
  BareFlood flood(configs, each_time, source);
  for (auto& [role, config] : configs) {
    config.hello_deadline = config.setup_deadline = std::chrono::seconds(120);
    config.wrap = [&flood, self = role, encrypt = std::move(config.wrap)](std::unique_ptr<ByteStream> stream,
                                                                          bool accepted, std::optional<NodeId> peer) {
      if (accepted) flood.accepted(self);
      if (peer) stream = std::make_unique<WatchedStream>(std::move(stream), [&flood, to = *peer] { flood.rise(to); });
      return encrypt(std::move(stream), accepted, peer);
    };
  }
  std::latch all_set_up(static_cast<std::ptrdiff_t>(configs.size()));
  const auto outcomes = run_roles(std::move(configs), [&](NodeId role, MeshConfig config) {
    const Outcome outcome = outcome_of([&] {
      const Mesh mesh = set_up_mesh(std::move(config));
      flood.ended(role);
      all_set_up.arrive_and_wait();
    });
    if (outcome.code == 0) return;
    flood.ended(role);
    all_set_up.count_down();
    throw NetworkError("", outcome.message);
  });
  expect_all(outcomes, 0);
}

TEST(Flood, OfRolesOwnNetworkKeepsNoRoleFromStarting) { expect_all_start(20, 1); }

TEST(Flood, OfAnotherNetworkKeepsNoRoleFromStarting) { expect_all_start(150, 2); }

}  // namespace
}  // namespace sotto::net::testing
