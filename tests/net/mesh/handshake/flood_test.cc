// Any number of connections that prove nothing, while roles set up their links.
#include <gtest/gtest.h>

#include <deque>
#include <latch>

#include "sotto/net/mesh/mesh.h"
#include "sotto/net/transport/emulate/emulated_link.h"
#include "tests/net/hostile.h"
#include "tests/net/transport/tls/encrypted_roles.h"

namespace sotto::net::testing {
namespace {

using std::chrono::milliseconds;

// Bare connections, that many a second, to all ports of `configs`, of which the last 2000 stay open.
class Flood {
 public:
  Flood(const std::map<NodeId, MeshConfig>& configs, double each_second, std::uint32_t source) {
    for (const auto& [role, config] : configs) {
      if (config.listener) ports_.push_back(config.listener->address());
    }
    thread_ = std::jthread([this, each_second, source](const std::stop_token& stop) {
      const Clock::time_point start = Clock::now();
      std::deque<Hostile> bare;
      while (!stop.stop_requested()) {
        const std::chrono::duration<double> since = Clock::now() - start;
        for (; made_ < since.count() * each_second * ports_.size(); ++made_) {
          try {
            bare.emplace_back(ports_[made_ % ports_.size()], source);
          } catch (const std::runtime_error&) {
            return;  // the roles have all started, and listen no more
          }
          if (bare.size() > 2000) bare.pop_front();
        }
        std::this_thread::sleep_for(milliseconds(1));
      }
    });
  }
  [[nodiscard]] std::size_t made() const { return made_; }

 private:
  std::vector<Address> ports_;
  std::atomic<std::size_t> made_{0};
  std::jthread thread_;
};

// Over TLS, with 100 ms there and back.
std::map<NodeId, MeshConfig> distant_configs() {
  auto configs = encrypted_configs(Topology(3));
  for (auto& [role, config] : configs) {
    config.wrap = [encrypt = std::move(config.wrap)](std::unique_ptr<ByteStream> stream, bool accepted,
                                                     std::optional<NodeId> peer) {
      LinkConditions conditions;
      conditions.delay = milliseconds(50);
      return encrypt(std::make_unique<EmulatedLink>(std::move(stream), conditions, accepted, 1), accepted, peer);
    };
  }
  return configs;
}

void expect_all_start(std::map<NodeId, MeshConfig> configs) {
  std::latch all_set_up(static_cast<std::ptrdiff_t>(configs.size()));
  const auto outcomes = run_roles(std::move(configs), [&](NodeId, MeshConfig config) {
    // The flood comes first.
    std::this_thread::sleep_for(milliseconds(500));
    try {
      const Mesh mesh = set_up_mesh(std::move(config));
      all_set_up.arrive_and_wait();
    } catch (...) {
      all_set_up.count_down();
      throw;
    }
  });
  for (const auto& [role, outcome] : outcomes) EXPECT_EQ(outcome.code, 0) << outcome.message;
}

TEST(Flood, OfRolesOwnNetworkKeepsNoRoleFromStarting) {
  auto configs = distant_configs();
  const Flood flood(configs, 400, 1);
  expect_all_start(std::move(configs));
  EXPECT_GT(flood.made(), 500U);
}

TEST(Flood, OfAnotherNetworkKeepsNoRoleFromStarting) {
  auto configs = distant_configs();
  const Flood flood(configs, 2000, 2);
  expect_all_start(std::move(configs));
  EXPECT_GT(flood.made(), 500U);
}

}  // namespace
}  // namespace sotto::net::testing
