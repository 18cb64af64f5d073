// Whole runs over TLS on loopback.
#include "sotto/protocol/mesh/wrap.h"
#include "tests/net/transport/tls/encrypted_roles.h"

namespace sotto::net::testing {
namespace {

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
    // What is counted are frames, whatever carries them.
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
  chatter_of.lanes = 40'000;  // 320 KB a frame
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
