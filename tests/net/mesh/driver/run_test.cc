#include <latch>

#include "sotto/protocol/io/mask.h"
#include "sotto/protocol/io/open.h"
#include "sotto/protocol/mesh/driver/run.h"
#include "sotto/protocol/mesh/driver/watch.h"
#include "sotto/protocol/mesh/mesh.h"
#include "sotto/protocol/party/ledger.h"
#include "sotto/protocol/transport/stream.h"
#include "sotto/protocol/wire/frame.h"
#include "tests/framework.h"
#include "tests/net/roles.h"
#include "tests/net/transport/tls/pairs.h"

namespace sotto::net::testing {
namespace {

struct Ended {
  std::map<NodeId, Outcome> outcomes;
  std::map<NodeId, ChatterResult> results;
};

Ended run_all(std::map<NodeId, MeshConfig> configs, const Chatter& chatter) {
  Ended ended;
  std::mutex mutex;
  ended.outcomes = run_roles(std::move(configs), [&](NodeId role, MeshConfig config) {
    Mesh mesh = set_up_mesh(std::move(config));
    const ChatterResult result = run_chatter(mesh, chatter);
    const std::lock_guard lock(mutex);
    ended.results[role] = result;
  });
  return ended;
}

void expect_complete(const Ended& ended, const Topology& topology, const Chatter& chatter) {
  expect_all(ended.outcomes, 0);
  ASSERT_EQ(ended.results.size(), topology.nodes() + 1);
  const std::uint64_t rounds = chatter.rounds + chatter.rounds / 3;
  for (const auto& [role, result] : ended.results) {
    if (role == dealer_id) {
      EXPECT_EQ(result.dealt.rounds, rounds);
      EXPECT_EQ(result.dealt.dealt_bytes, (rounds + 1) * (FrameHeader::size + chatter.chunk_bytes));
      continue;
    }
    EXPECT_EQ(result.statistics.rounds, rounds);
    EXPECT_EQ(result.statistics.total_bytes_sent(), result.sent_by_ledger);
    if (topology.is_party(role)) {
      EXPECT_EQ(result.checksum, ended.results.at(0).checksum);
      EXPECT_GT(result.sent_by_ledger, 0u);
    }
    if (role == topology.last_party()) {
      EXPECT_EQ(result.statistics.dealt_bytes, ended.results.at(dealer_id).dealt.dealt_bytes);
    }
  }
}

class RunOverTcp : public ::testing::TestWithParam<std::tuple<int, bool>> {};

TEST_P(RunOverTcp, CompletesAndCountsWhatTheLedgerDeclares) {
  const Topology topology(static_cast<std::size_t>(std::get<0>(GetParam())), std::get<1>(GetParam()));
  const Chatter chatter{60, 7, 100};
  expect_complete(run_all(tcp_configs(topology), chatter), topology, chatter);
}
INSTANTIATE_TEST_SUITE_P(Parties, RunOverTcp,
                         ::testing::Combine(::testing::Values(2, 3, 5), ::testing::Values(false, true)));

TEST(Run, CompletesOverSocketPairs) {
  const Topology topology(3);
  std::map<NodeId, MeshConfig> configs;
  for (const NodeId role : {NodeId{0}, NodeId{1}, NodeId{2}, NodeId{3}, dealer_id}) {
    configs.emplace(role, MeshConfig{topology, role, session_of(4), "a = 1\n", ""});
  }
  for (auto& [role, config] : configs) {
    for (const NodeId peer : peers_of(topology, role)) {
      if (config.streams.count(peer) != 0) continue;
      auto [mine, theirs] = make_stream_pair();
      config.streams[peer] = std::move(mine);
      configs.at(peer).streams[role] = std::move(theirs);
    }
  }
  const Chatter chatter{20, 3, 0};
  expect_complete(run_all(std::move(configs), chatter), topology, chatter);
}

// Both sides send far more than a socket holds before either side reads a byte.
TEST(Run, FramesLargerThanSocketBuffersFlowBothWays) {
  const Topology topology(3);
  const Chatter chatter{2, 3'000'000, 5'000'000};
  expect_complete(run_all(tcp_configs(topology), chatter), topology, chatter);
}

TEST(Run, DealAheadTakesAllChunksFirst) {
  const Topology topology(2);
  Chatter chatter{30, 4, 100'000};
  chatter.options.deal_ahead = true;
  chatter.options.planned_dealt_bytes = 41 * (FrameHeader::size + chatter.chunk_bytes);
  const Ended ended = run_all(tcp_configs(topology), chatter);
  expect_complete(ended, topology, chatter);
  EXPECT_EQ(ended.results.at(1).statistics.seconds_waiting_for_dealer, 0);
}

TEST(Run, AChunkLargerThanAnyPlannedIsRefused) {
  Chatter chatter;
  chatter.options.largest_chunk = FrameHeader::size + chatter.chunk_bytes;
  expect_all(run_all(tcp_configs(Topology(2)), chatter).outcomes, 0);
  --chatter.options.largest_chunk;
  expect_all(run_all(tcp_configs(Topology(2)), chatter).outcomes, 4, "the dealer sent a chunk of 40 bytes in round 0");
}

TEST(Run, DealAheadRefusesMoreThanWasPlanned) {
  const Topology topology(2);
  Chatter chatter{30, 4, 1000};
  chatter.options.deal_ahead = true;
  chatter.options.planned_dealt_bytes = 41 * (FrameHeader::size + chatter.chunk_bytes) - 1;
  expect_all(run_all(tcp_configs(topology), chatter).outcomes, 4);
}

TEST(Run, DealAheadRefusesMoreThanHalfOfTheMemory) {
  const Topology topology(2);
  Chatter chatter;
  chatter.options.deal_ahead = true;
  chatter.options.planned_dealt_bytes = std::uint64_t{1} << 50;
  expect_all(run_all(tcp_configs(topology), chatter).outcomes, 6, "--deal-ahead");
}

// A role fails for a reason of its own. All roles return the exit code of that role.
TEST(Run, TheRootCauseReachesAll) {
  const Topology topology(3, true);
  for (const NodeId failing : {NodeId{0}, NodeId{2}, NodeId{3}, NodeId{4}, dealer_id}) {
    Chatter chatter{2000, 5, 2000};
    chatter.hook = [&](NodeId self, std::uint64_t round) {
      if (self == failing && round == 50) throw InputError("row 7 is above its bound");
    };
    expect_all(run_all(tcp_configs(topology), chatter).outcomes, 2, "row 7 is above its bound");
  }
}

TEST(Run, TheTextOfAnInternalErrorStaysAtHome) {
  const Topology topology(2);
  Chatter chatter{2000, 5, 2000};
  chatter.hook = [&](NodeId self, std::uint64_t round) {
    if (self == 1 && round == 50) throw std::runtime_error("the share was 42");
  };
  const auto outcomes = run_all(tcp_configs(topology), chatter).outcomes;
  EXPECT_EQ(outcomes.at(1).code, -1);
  for (const NodeId role : {NodeId{0}, NodeId{2}, dealer_id}) {
    EXPECT_EQ(outcomes.at(role).code, 70) << outcomes.at(role).message;
    EXPECT_EQ(outcomes.at(role).message.find("42"), std::string::npos);
  }
}

TEST(Run, SeedsReachTheirNodesOnly) {
  const Topology topology(3);
  std::map<NodeId, std::vector<std::byte>> got;
  std::mutex mutex;
  const auto outcomes = run_roles(tcp_configs(topology), [&](NodeId role, MeshConfig config) {
    Mesh mesh = set_up_mesh(std::move(config));
    if (role == dealer_id) {
      std::vector<Seed> seeds;
      for (NodeId node = 0; node < topology.nodes(); ++node) seeds.push_back(Seed::insecure_from_number(node));
      send_seeds(mesh, seeds, {});
    } else {
      const Seed seed = receive_seed(mesh, {});
      const std::lock_guard lock(mutex);
      got[role].assign(seed.expose().begin(), seed.expose().end());
    }
    run_chatter(mesh, Chatter{});
  });
  expect_all(outcomes, 0);
  for (NodeId node = 0; node < topology.nodes(); ++node) {
    const Seed due = Seed::insecure_from_number(node);
    EXPECT_TRUE(std::equal(got[node].begin(), got[node].end(), due.expose().begin()));
  }
}

// The stream of a peer whose `ready` frame has just arrived. Counts how often a watch wants to sleep until the stream
// is ready.
class ArrivedStream final : public ByteStream {
 public:
  explicit ArrivedStream(int& sleeps) : sleeps_(sleeps) {
    write_header(FrameHeader{0, FrameType::ready, 0, 0}, frame_);
  }
  Transfer read_some(std::span<std::byte> into) override {
    if (taken_) return {0, State::would_block};
    taken_ = true;
    std::copy(frame_.begin(), frame_.end(), into.begin());
    return {frame_.size(), State::moved};
  }
  Transfer write_some(std::span<const std::byte> head, std::span<const std::byte> body) override {
    return {head.size() + body.size(), State::moved};
  }
  [[nodiscard]] Waitable wait_for(bool, bool) const override {
    ++sleeps_;
    return {};
  }
  void end_writing() noexcept override {}
  void close() noexcept override {}
  [[nodiscard]] std::string failure() const override { return {}; }

 private:
  int& sleeps_;
  std::array<std::byte, FrameHeader::size> frame_{};
  bool taken_ = false;
};

// A watch that has read something must not sleep, because poll cannot see bytes that were already read.
TEST(Watch, DoesNotSleepOnWhatItHasRead) {
  const Topology topology(2);
  int sleeps = 0;
  std::vector<std::unique_ptr<Link>> links;
  links.push_back(std::make_unique<Link>(NodeId{1}, topology, std::make_unique<ArrivedStream>(sleeps)));
  const Mesh mesh(topology, NodeId{0}, SessionId{}, std::move(links), {});
  const DriverOptions options;
  Watch watch(mesh, options);
  const Link& link = mesh.link(1);
  watch.until(0, [&](bool) -> LinkSet { return link.ready() ? 0 : 1; });
  EXPECT_EQ(sleeps, 0);
}

class RunOverTls : public ::testing::TestWithParam<std::size_t> {};

std::map<NodeId, ChatterResult> run_encrypted(std::map<NodeId, MeshConfig> configs, const Chatter& chatter_of) {
  std::map<NodeId, ChatterResult> results;
  for (const auto& [role, config] : configs) results[role] = {};
  const auto outcomes = run_roles(std::move(configs), [&](NodeId role, MeshConfig config) {
    Mesh mesh = set_up_mesh(std::move(config));
    for (const auto& link : mesh.links()) EXPECT_TRUE(is_fingerprint(link->peer_fingerprint()));
    results.at(role) = run_chatter(mesh, chatter_of);
  });
  expect_all(outcomes, 0);
  return results;
}

void expect_equal_checksums(const Topology& topology, const std::map<NodeId, ChatterResult>& results) {
  for (NodeId party = 0; party < topology.parties(); ++party) {
    EXPECT_EQ(results.at(party).checksum, results.at(0).checksum);
    EXPECT_EQ(results.at(party).statistics.total_bytes_sent(), results.at(party).sent_by_ledger);
  }
}

TEST_P(RunOverTls, GivesWhatItGivesWithout) {
  const Topology topology(GetParam(), false);
  Chatter chatter_of;
  chatter_of.rounds = 40;
  const auto over_tls = run_encrypted(encrypted_configs(topology), chatter_of);
  expect_equal_checksums(topology, over_tls);
  std::uint64_t plain = 0;
  const auto outcomes = run_roles(tcp_configs(topology), [&](NodeId role, MeshConfig config) {
    Mesh mesh = set_up_mesh(std::move(config));
    const std::uint64_t checksum = run_chatter(mesh, chatter_of).checksum;
    if (role == 0) plain = checksum;
  });
  EXPECT_EQ(outcomes.at(0).code, 0);
  EXPECT_EQ(over_tls.at(0).checksum, plain);
}

TEST_P(RunOverTls, CarriesFramesOfManyRecords) {
  const Topology topology(GetParam(), true);
  Chatter chatter_of;
  chatter_of.rounds = 6;
  chatter_of.lanes = 40'000;  // 320 KB per frame
  chatter_of.chunk_bytes = 1'000'000;
  expect_equal_checksums(topology, run_encrypted(encrypted_configs(topology), chatter_of));
}

INSTANTIATE_TEST_SUITE_P(Parties, RunOverTls, ::testing::Values(2, 3, 5));

TEST(RunOverTls, WorksOverEmulatedLinks) {
  const Topology topology(2, false);
  LinkConditions conditions;
  conditions.delay = std::chrono::milliseconds(1);
  conditions.jitter = std::chrono::milliseconds(1);
  conditions.bits_per_second = 100'000'000;
  auto configs = tcp_configs(topology);
  std::map<NodeId, std::string> certificates;
  for (const auto& [role, config] : configs) certificates[role] = identity_of(certificates.size()).fingerprint();
  std::size_t key = 0;
  for (auto& [role, config] : configs) {
    config.certificates = certificates;
    config.wrap = encrypt_links(identity_of(key++), certificates, emulate_links(conditions, role));
  }
  Chatter chatter_of;
  chatter_of.lanes = 5000;
  expect_equal_checksums(topology, run_encrypted(std::move(configs), chatter_of));
}

}  // namespace
}  // namespace sotto::net::testing

namespace sotto::net {

namespace {

Task<Public> opened_number(Party& party) {
  const auto fill = [](std::span<std::uint64_t> words) { words[0] = 42; };
  protocols::Input input = protocols::input_at(party, 0, Shape{1, 1}, 0, fill);
  const Masked shared = co_await protocols::share_input(party, 0, std::move(input), "number");
  co_return co_await protocols::open(party, shared.shares(party), "number");
}

TEST(RunProgram, GivesEveryNodeItsResultAndTheDealerNone) {
  for (const bool further : {false, true}) {
    const Topology topology(3, further);
    std::mutex mutex;
    std::map<NodeId, std::size_t> words;
    const auto outcomes = testing::run_roles(testing::tcp_configs(topology), [&](NodeId role, MeshConfig config) {
      Mesh mesh = set_up_mesh(std::move(config));
      const auto run = run_program(mesh, opened_number);
      const std::lock_guard lock(mutex);
      EXPECT_EQ(run.result.has_value(), role != dealer_id);
      EXPECT_EQ(run.ledger.total().rounds, role == dealer_id ? run.dealer.rounds : run.node.rounds);
      if (role == dealer_id) return;
      EXPECT_EQ(run.node.total_bytes_sent(), run.ledger.total().sent[role]);
      run.result->if_known([&](const Words& known) {
        EXPECT_EQ(known[0], 42u);
        words[role] = known.size();
      });
    });
    testing::expect_all(outcomes, 0);
    EXPECT_EQ(words, (std::map<NodeId, std::size_t>{{0, 1}, {1, 1}, {2, 1}}));
  }
}

TEST(RunProgram, TellsAllWhatAProgramThrowsBeforeItsFirstRound) {
  const auto outcomes = testing::run_roles(testing::tcp_configs(Topology(2)), [](NodeId role, MeshConfig config) {
    Mesh mesh = set_up_mesh(std::move(config));
    (void)run_program(mesh, [role](Party& party) {
      if (role == 1) throw InputError("no data");
      return opened_number(party);
    });
  });
  testing::expect_all(outcomes, 2);
}

}  // namespace

}  // namespace sotto::net
