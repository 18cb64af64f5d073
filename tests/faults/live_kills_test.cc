// Roles of the decision service die, and links are cut. No caller gets two arms for one event. The model matches the
// arms that callers got and their rewards.
#include "sotto/protocol/wire/frame.h"
#include "tests/faults/live_service.h"

namespace sotto::apps::testing {

using namespace sotto::apps::live;
namespace {

LiveSettings small_service() {
  LiveSettings settings = engine_settings();
  settings.batch_sizes = {1, 2};
  settings.deal_ahead = 1;
  return settings;
}

// The role makes `commits` commits and dies at the next commit, before or after it is written. Returns false if the
// role makes fewer commits while a few events are decided and learned.
bool dies_at_a_commit(NodeId role, std::size_t commits, bool written) {
  CabledEngines service(2, small_service());
  Visitors visitors(service.engines, 3);
  service.engines.rows(role).die_after(commits, written);
  service.engines.start();
  bool died = false;
  service.finish(visitors, [&] {
    if (!service.engines.rows(role).has_died()) return false;
    service.restart(role);
    died = true;
    return true;
  });
  expect_figures(service.engines, visitors);
  return died;
}

void dies_in_its_rounds(NodeId role, std::uint64_t bytes) {
  CabledEngines service(2, small_service());
  Visitors visitors(service.engines, 3);
  service.cables.end_after(role, bytes);
  service.engines.start();
  service.finish(visitors, [&] {
    if (!service.cables.has_ended()) return false;
    service.engines.kill(role);
    service.cables.revive();
    service.engines.start(role);
    return true;
  });
  expect_figures(service.engines, visitors);
}

std::uint64_t bytes_sent_by(NodeId role) {
  CabledEngines service(2, small_service());
  Visitors visitors(service.engines, 3);
  service.engines.start();
  service.finish(visitors, [] { return false; });
  return service.cables.sent_by(role);
}

TEST(Serve, KilledInEachStep) {
  const std::vector<NodeId> roles = Engines(2).roles();
  for (const NodeId role : roles) {
    std::size_t steps = 0;
    for (const bool written : {false, true}) {
      std::size_t commits = 0;
      while (dies_at_a_commit(role, commits, written)) ++commits;
      steps += commits;
    }
    EXPECT_GE(steps, role == net::dealer_id ? 2u : 8u) << int{role};
  }
}

TEST(Serve, KilledInEachRound) {
  constexpr std::uint64_t pieces = 9;
  for (const NodeId role : Engines(2).roles()) {
    const std::uint64_t all = bytes_sent_by(role);
    ASSERT_GT(all, 1000u);
    for (std::uint64_t piece = 1; piece < pieces; ++piece) dies_in_its_rounds(role, all * piece / pieces);
  }
}

TEST(Serve, TwoAreKilled) {
  CabledEngines service(2, small_service());
  Visitors visitors(service.engines, 500);
  const std::vector<NodeId> roles = service.engines.roles();
  std::vector<std::pair<NodeId, NodeId>> pairs;
  for (const NodeId a : roles) {
    for (const NodeId b : roles) {
      if (a != b) pairs.emplace_back(a, b);
    }
  }
  std::size_t next = 0;
  std::optional<NodeId> dying;
  service.engines.start();
  service.finish(visitors, [&] {
    visitors.limit(next < pairs.size() ? 20 * (next + 2) : 500);
    if (dying) {
      if (!service.engines.rows(*dying).has_died()) return true;
      const auto [a, b] = pairs.at(next++);
      service.engines.kill(a);
      service.engines.kill(b);
      service.restart(a);
      service.restart(b);
      dying.reset();
    } else if (next < pairs.size() && visitors.told() >= 20 * next) {
      dying = pairs[next].first;
      service.engines.rows(*dying).die_after(next % 3, next % 2 == 0);
    }
    return next < pairs.size();
  });
  EXPECT_EQ(next, 20u);
  expect_figures(service.engines, visitors);
}

TEST(Serve, AnArmIsRestated) {
  CabledEngines service(2, lone_settings());
  Engines& engines = service.engines;
  engines.rows(engines.actor_id()).die_after(1, false);
  engines.start();
  std::vector<LiveAnswer> heard;
  std::size_t calls = 0;
  const auto ask = [&] {
    ++calls;
    engines.actor->ask({fault_request(1)}, true, [&](const auto& replies, CallRefusal trouble) {
      if (trouble == CallRefusal::none) heard.push_back(replies.at(0).second.answer.value());
      --calls;
    });
  };
  ask();
  ASSERT_TRUE(engines.run_until([&] { return engines.rows(engines.actor_id()).has_died(); }));
  EXPECT_TRUE(heard.empty());
  service.restart(engines.actor_id());
  ask();
  ASSERT_TRUE(engines.run_until([&] { return calls == 0; }));
  ASSERT_EQ(heard.size(), 1u);
  EXPECT_EQ(heard[0].number, 1u);
  engines.kill_all();
  const ChainRow a = chain_of(engines.disk(0)).back();
  const ChainRow b = chain_of(engines.disk(1)).back();
  EXPECT_EQ(a.mark.number, 1u);
  EXPECT_EQ(a.mark.epoch, 1u);
  EXPECT_EQ(chain_of(engines.disk(engines.actor_id())).back().mark, a.mark);
  for (std::size_t arm = 0; arm < a.lanes.size(); ++arm) {
    const unsigned sum = (std::to_integer<unsigned>(a.lanes[arm]) + std::to_integer<unsigned>(b.lanes.at(arm))) % 256;
    EXPECT_EQ(sum, arm == heard[0].arm ? 1u : 0u);
  }
}

std::vector<RelayBytes> payloads(std::span<const std::byte> bytes, FrameType type) {
  std::vector<RelayBytes> found;
  FrameHeader header;
  while (bytes.size() >= FrameHeader::size && read_header(bytes.first<FrameHeader::size>(), header)) {
    bytes = bytes.subspan(FrameHeader::size);
    const auto payload = bytes.first(std::min<std::size_t>(header.length, bytes.size()));
    if (header.type == type) found.emplace_back(payload.begin(), payload.end());
    bytes = bytes.subspan(payload.size());
  }
  return found;
}

// A party loses a decision whose rounds are done. The roles make the decision again for the same event, contexts and
// model, but with the randomness of a restarted dealer.
TEST(Serve, TheDealerRestarts) {
  CabledEngines service(2, lone_settings());
  Engines& engines = service.engines;
  service.cables.record();
  engines.rows(1).die_after(1, false);
  engines.start();
  std::optional<AskReply> told;
  engines.actor->ask({fault_request(1)}, true, [&](const auto& replies, CallRefusal) { told = replies.at(0).second; });
  ASSERT_TRUE(engines.run_until([&] { return engines.rows(1).has_died(); }));
  engines.kill(net::dealer_id);
  service.restart(1);
  engines.start(net::dealer_id);
  ASSERT_TRUE(engines.run_until([&] { return told.has_value(); }));
  EXPECT_EQ(told->answer->state, DecisionState::decided);
  engines.kill_all();
  const auto compare = [&](NodeId from, NodeId to, FrameType type) {
    std::vector<std::vector<RelayBytes>> epochs;
    for (const RelayBytes& link : service.cables.recorded(from, to)) {
      epochs.push_back(payloads(link, type));
      if (epochs.back().empty()) epochs.pop_back();
    }
    ASSERT_GE(epochs.size(), 2u);
    for (const RelayBytes& one : epochs.front()) {
      if (one.size() < 8) continue;
      EXPECT_THAT(epochs.back(), ::testing::Not(::testing::Contains(one))) << int{from} << " to " << int{to};
    }
  };
  compare(0, 1, FrameType::round);
  compare(1, 0, FrameType::round);
  compare(net::dealer_id, 1, FrameType::chunk);
}

TEST(Serve, CutLinks) {
  CabledEngines service(2);
  Engines& engines = service.engines;
  Visitors visitors(engines, 400);
  std::vector<std::pair<NodeId, NodeId>> links;
  for (const NodeId role : engines.roles()) {
    for (const NodeId peer : net::peers_of(engines.topology(), role)) {
      if (net::connects_to(engines.topology(), role, peer)) links.emplace_back(role, peer);
    }
  }
  ASSERT_EQ(links.size(), 9u);
  std::size_t cut = 0;
  service.cables.cut_set_ups(30, 7);
  engines.start();
  service.finish(visitors, [&] {
    visitors.limit(cut < links.size() ? 30 * (cut + 2) : 400);
    if (cut < links.size() && visitors.told() >= 30 * (cut + 1)) {
      service.cables.cut_set_ups(cut < 3 ? 30 : 0, static_cast<unsigned>(cut));
      service.cables.cut(links[cut].first, links[cut].second);
      ++cut;
    }
    return cut < links.size();
  });
  EXPECT_GT(service.cables.set_ups_cut(), 0u);
  const std::uint32_t epoch = engines.actor->status().epoch;
  EXPECT_GE(epoch, 1 + links.size());
  for (const NodeId role : engines.roles()) EXPECT_EQ(engines.service(role)->status().epoch, epoch);
}

}  // namespace
}  // namespace sotto::apps::testing
