// Roles of a run as threads, joined by real TCP on loopback, with a program that only moves numbers.
#pragma once

#include <latch>

#include "sotto/protocol/async/task.h"
#include "sotto/protocol/mesh/driver/run.h"
#include "sotto/protocol/mesh/mesh.h"
#include "sotto/protocol/mesh/peers.h"
#include "sotto/protocol/party/rounds.h"
#include "tests/framework.h"

namespace sotto::net::testing {

using ::testing::HasSubstr;

inline constexpr const char* parameters = "steps = 10\nepsilon = 0.1\narms = 3\n";

inline SessionId session_of(int number) {
  SessionId session{};
  session[0] = static_cast<std::byte>(number);
  return session;
}

struct Outcome {
  int code = 0;
  std::string message;
};

inline Outcome outcome_of(const std::function<void()>& body) {
  try {
    body();
    return {};
  } catch (const Error& e) {
    return {static_cast<int>(e.exit_code()), e.what()};
  } catch (const std::exception& e) {
    return {-1, e.what()};
  }
}

inline std::vector<NodeId> roles_of(const Topology& topology) {
  std::vector<NodeId> roles;
  if (topology.has_dealer()) roles.push_back(dealer_id);
  for (NodeId node = 0; node < topology.nodes(); ++node) roles.push_back(node);
  return roles;
}

// All ports are bound before a role connects.
inline std::map<NodeId, MeshConfig> tcp_configs(const Topology& topology) {
  std::map<NodeId, MeshConfig> configs;
  std::map<NodeId, Address> addresses;
  for (const NodeId role : roles_of(topology)) {
    MeshConfig config{topology, role, session_of(1), parameters, ""};
    if (announces(topology, role)) config.announcement = "columns = " + std::to_string(role);
    if (role == dealer_id || topology.is_party(role) || topology.is_helper(role)) {
      config.listener.emplace(Address{"127.0.0.1", 0});
      addresses[role] = config.listener->address();
    }
    configs.emplace(role, std::move(config));
  }
  for (auto& [role, config] : configs) config.addresses = addresses;
  return configs;
}

inline std::map<NodeId, Outcome> run_roles(std::map<NodeId, MeshConfig> configs,
                                           const std::function<void(NodeId, MeshConfig)>& body) {
  std::map<NodeId, Outcome> outcomes;
  for (const auto& [role, config] : configs) outcomes[role] = {};
  {
    std::vector<std::jthread> threads;
    threads.reserve(configs.size());
    for (auto& [role, config] : configs) {
      threads.emplace_back([&body, &outcomes, id = role, c = &config] {
        outcomes.at(id) = outcome_of([&] { body(id, std::move(*c)); });
      });
    }
  }
  return outcomes;
}

inline void expect_all(const std::map<NodeId, Outcome>& outcomes, int code, const std::string& says = "") {
  for (const auto& [role, outcome] : outcomes) {
    EXPECT_EQ(outcome.code, code) << int{role} << ": " << outcome.message;
    EXPECT_THAT(outcome.message, HasSubstr(says)) << int{role};
  }
}

// Each role waits until all other roles have set up their links or failed. `then` is called with each mesh.
inline std::map<NodeId, Outcome> set_up_all(
    std::map<NodeId, MeshConfig> configs, const std::function<void(NodeId, Mesh&)>& then = [](NodeId, Mesh&) {}) {
  std::latch done(static_cast<std::ptrdiff_t>(configs.size()));
  return run_roles(std::move(configs), [&](NodeId role, MeshConfig config) {
    try {
      Mesh mesh = set_up_mesh(std::move(config));
      then(role, mesh);
      done.arrive_and_wait();
    } catch (...) {
      done.count_down();
      throw;
    }
  });
}

// A chunk of the dealer has `bytes` bytes, all equal to the chunk's number.
class NumberedChunks final : public ChunkWriter, public ChunkReader {
 public:
  explicit NumberedChunks(std::size_t bytes) : bytes_(bytes) {}
  sotto::Bytes take_chunk() override { return sotto::Bytes(bytes_, static_cast<std::byte>(written_++)); }
  void give_back(sotto::Bytes) override {}
  void load_chunk(std::uint64_t number, std::span<const std::byte> corrections) override {
    EXPECT_EQ(number, read_++);
    EXPECT_EQ(corrections.size(), bytes_);
    for (const std::byte b : corrections) ASSERT_EQ(b, static_cast<std::byte>(number));
  }
  void finish_chunk() override {}
  [[nodiscard]] std::uint64_t read() const { return read_; }

 private:
  std::size_t bytes_;
  std::uint64_t written_ = 0;
  std::uint64_t read_ = 0;
};

// A role calls this hook before each of its rounds. In the hook, tests make the role stall, die or throw.
using Hook = std::function<void(NodeId self, std::uint64_t round)>;

// In each round all parties open `lanes` numbers that depend on the party, the round and the numbers opened before. In
// every third round the actor broadcasts one number. Returns a checksum of all that a party has seen, which is the same
// at every party.
inline Task<std::uint64_t> chatter(Rounds& rounds, NodeId self, std::uint64_t count, std::size_t lanes,
                                   Hook hook = {}) {
  const Topology topology = rounds.topology();
  std::uint64_t sum = 1;
  const bool computes = topology.is_party(self);
  for (std::uint64_t round = 0; round < count; ++round) {
    if (hook) hook(self, round);
    const std::vector<std::uint64_t> mine(computes ? lanes : 0, (self + 1) * (round + 1) + sum);
    std::vector<std::uint64_t> opened = mine;
    Slot open{"numbers", SlotKind::open, 64, lanes};
    co_await Exchange(rounds, open, mine, opened);
    for (const std::uint64_t value : opened) sum = sum * 31 + value;
    if (round % 3 == 2) {
      const bool speaks = self == topology.outside_node();
      const std::vector<std::uint64_t> word(speaks ? 1 : 0, round);
      std::vector<std::uint64_t> received(computes ? 1 : 0, 0);
      Slot tell{"word", SlotKind::broadcast, 64, 1, topology.outside_node()};
      co_await Exchange(rounds, tell, word, received);
      for (const std::uint64_t value : received) sum += value + 1;
    }
  }
  co_return sum;
}

struct Chatter {
  std::uint64_t rounds = 12;
  std::size_t lanes = 5;
  std::size_t chunk_bytes = 40;
  DriverOptions options{};
  Hook hook{};
};

struct ChatterResult {
  std::uint64_t checksum = 0;
  std::uint64_t sent_by_ledger = 0;
  NodeStatistics statistics{};
  DealerStatistics dealt{};
};

inline ChatterResult run_chatter(Mesh& mesh, const Chatter& chatter_of) {
  const NodeId self = mesh.self();
  NumberedChunks chunks(chatter_of.chunk_bytes);
  ChatterResult result;
  if (self == dealer_id) {
    Rounds rounds(mesh.topology(), std::nullopt);
    Task<std::uint64_t> program = chatter(rounds, self, chatter_of.rounds, chatter_of.lanes, chatter_of.hook);
    program.start_on(rounds);
    result.dealt = run_dealer(rounds, chunks, mesh, chatter_of.options);
    return result;
  }
  Rounds rounds(mesh.topology(), self);
  Task<std::uint64_t> program = chatter(rounds, self, chatter_of.rounds, chatter_of.lanes, chatter_of.hook);
  program.start_on(rounds);
  const bool last = self == mesh.topology().last_party();
  result.statistics = run_node(rounds, mesh, last ? &chunks : nullptr, chatter_of.options);
  result.checksum = program.take();
  result.sent_by_ledger = rounds.ledger().total().sent[self];
  EXPECT_EQ(chunks.read(), last ? result.statistics.rounds + 1 : 0);
  return result;
}

}  // namespace sotto::net::testing
