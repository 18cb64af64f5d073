#include "sotto/protocol/sets/intersect.h"

#include "sotto/protocol/simulate/simulate.h"
#include "sotto/protocol/wire/frame.h"
#include "tests/framework.h"
#include "tests/properties.h"

namespace sotto::protocols {
namespace {

using Ids = std::vector<std::string>;

struct Found {
  Ids ids;
  std::vector<GroupElement> tags;
};

NodeId self_of(const Party& party) {
  for (NodeId node = 0; node < party.topology().nodes(); ++node) {
    if (party.is(node)) return node;
  }
  return 0xff;
}

Ids own_of(const Party& party, const std::vector<Ids>& sets) {
  const NodeId self = self_of(party);
  return self < sets.size() ? sets[self] : Ids{};
}

std::vector<std::uint64_t> sizes_of(const std::vector<Ids>& sets) {
  std::vector<std::uint64_t> sizes;
  for (const Ids& ids : sets) sizes.push_back(ids.size());
  return sizes;
}

// `sets` must outlive the task.
Task<Found> find(Party& party, const std::vector<Ids>& sets) {
  const Ids own = own_of(party, sets);
  (void)co_await announce_sizes(party, own.size());
  const std::vector<CommonId> all = co_await intersect(party, sizes_of(sets), own);
  Found found;
  for (const CommonId& common : all) {
    found.ids.push_back(own.at(common.place));
    found.tags.push_back(common.tag);
  }
  co_return found;
}

Topology holders(std::size_t count, bool further = false) {
  return Topology::without_dealer(further ? count - 1 : count, further);
}

auto run(const std::vector<Ids>& sets, const SimulationOptions& options = {}, bool further = false) {
  return simulate(
      holders(sets.size(), further), [&](Party& party) { return find(party, sets); }, options);
}

std::set<std::string> in_all(const std::vector<Ids>& sets) {
  std::set<std::string> common(sets[0].begin(), sets[0].end());
  for (const Ids& ids : sets) {
    std::set<std::string> both;
    for (const std::string& id : ids) {
      if (common.contains(id)) both.insert(id);
    }
    common = std::move(both);
  }
  return common;
}

void expect_found(const std::vector<Ids>& sets, const std::vector<Found>& found) {
  const std::set<std::string> expected = in_all(sets);
  for (const Found& f : found) {
    EXPECT_EQ(std::set<std::string>(f.ids.begin(), f.ids.end()), expected);
    EXPECT_EQ(f.ids, found[0].ids) << "the same order at all";
    EXPECT_EQ(f.tags, found[0].tags);
    EXPECT_TRUE(std::is_sorted(f.tags.begin(), f.tags.end()));
  }
}

std::vector<Ids> overlapping(std::size_t count, int common, int pairs, int own) {
  std::vector<Ids> sets(count);
  std::mt19937 random(7);
  for (std::size_t h = 0; h < count; ++h) {
    for (int i = 0; i < common; ++i) sets[h].push_back("all-" + std::to_string(i));
    for (int i = 0; i < pairs; ++i) {
      sets[h].push_back("pair-" + std::to_string(h) + "-" + std::to_string(i));
      sets[(h + 1) % count].push_back("pair-" + std::to_string(h) + "-" + std::to_string(i));
    }
    for (int i = 0; i < own; ++i) sets[h].push_back("own-" + std::to_string(h) + "-" + std::to_string(i));
  }
  for (Ids& ids : sets) {
    std::sort(ids.begin(), ids.end());
    ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
    std::shuffle(ids.begin(), ids.end(), random);
  }
  return sets;
}

class Intersect : public ::testing::TestWithParam<std::size_t> {};
INSTANTIATE_TEST_SUITE_P(Holders, Intersect, ::testing::Values(2, 3, 5, 8));

TEST_P(Intersect, FindsWhatAllHave) {
  const std::vector<Ids> sets = overlapping(GetParam(), 6, 3, 4);
  const auto result = run(sets);
  expect_found(sets, result.nodes);
  // With two holders, the ids that neighbours share are common ids too.
  EXPECT_EQ(result.nodes[0].ids.size(), GetParam() == 2 ? 12U : 6U);
  EXPECT_EQ(result.ledger.total().rounds, result.rounds);
}

TEST_P(Intersect, TakesEmptyAndUnequalSets) {
  const std::size_t m = GetParam();
  std::vector<Ids> sets(m);
  expect_found(sets, run(sets).nodes);
  sets[0] = {"a", "b", "c"};
  expect_found(sets, run(sets).nodes);
  for (std::size_t h = 0; h < m; ++h) sets[h] = Ids{"", "b", std::string(1000, 'x'), std::to_string(h)};
  expect_found(sets, run(sets).nodes);
}

TEST(Intersect, TheLastHolderMayBeAFurtherNode) {
  const std::vector<Ids> sets = overlapping(3, 5, 2, 1);
  expect_found(sets, run(sets, {}, true).nodes);
}

PROPERTY(IntersectProperty, IsThatOfTheSets) {
  std::vector<Ids> sets(draw_in_range<std::size_t>(2, 5));
  for (Ids& ids : sets) {
    const auto chosen = draw_in_range(0, 1 << 10);
    for (int n = 0; n < 10; ++n) {
      if ((chosen >> n) & 1) ids.push_back(std::to_string(n));
    }
  }
  const auto found = run(sets).nodes;
  const std::set<std::string> expected = in_all(sets);
  for (const Found& f : found) HOLDS(std::set<std::string>(f.ids.begin(), f.ids.end()) == expected);
}

TEST(Intersect, AgreesOverSeveralChunks) {
  std::vector<Ids> sets(2);
  for (std::size_t i = 0; i < chunk_ids + 1; ++i) sets[0].push_back(std::to_string(i));
  for (std::size_t i = chunk_ids - 5; i < chunk_ids + 40; ++i) sets[1].push_back(std::to_string(i));
  const auto result = run(sets);
  expect_found(sets, result.nodes);
  EXPECT_EQ(result.nodes[1].ids.size(), 6U);
  EXPECT_EQ(result.rounds, 1U + 2 + 1);
}

using View = std::vector<std::vector<GroupElement>>;

std::map<NodeId, View> views_of(const std::vector<Ids>& sets, std::vector<Found>& found) {
  std::map<NodeId, View> views;
  SimulationOptions options;
  options.tap = [&](NodeId, NodeId to, std::uint64_t, Bytes& frame) {
    const auto payload = std::span(frame).subspan(FrameHeader::size);
    std::vector<GroupElement> elements(payload.size() / sizeof(GroupElement));
    if (elements.empty() || payload.size() % sizeof(GroupElement) != 0) return;
    std::memcpy(elements.data(), payload.data(), payload.size());
    views[to].push_back(std::move(elements));
  };
  found = run(sets, options).nodes;
  return views;
}

// No element except the common tags reaches a holder twice. So nothing on the links says that two holders have an id in
// common that a third holder lacks. Holder 0 learns the number of ids that only two holders have in common, once it has
// removed the blinds.
TEST(Intersect, WhatTwoOfThreeHaveIsOnNoLink) {
  for (const std::size_t m : {3U, 4U}) {
    const std::vector<Ids> sets = overlapping(m, 5, 6, 3);
    std::vector<Found> found;
    const auto views = views_of(sets, found);
    const std::set<GroupElement> common(found[0].tags.begin(), found[0].tags.end());
    EXPECT_EQ(common.size(), 5U);
    for (const auto& [node, view] : views) {
      std::map<GroupElement, int> times;
      for (const auto& frame : view) {
        for (const GroupElement& element : frame) ++times[element];
      }
      for (const auto& [element, n] : times) {
        EXPECT_TRUE(n == 1 || common.contains(element)) << "at node " << int{node};
      }
    }
  }
}

TEST(Intersect, OrdersSayNothing) {
  // Each frame has the same number of elements in both runs, and no element is in both runs.
  std::vector<Ids> sets = overlapping(3, 20, 0, 0);
  std::vector<Found> found;
  const auto one = views_of(sets, found);
  std::sort(sets[0].begin(), sets[0].end());
  const auto two = views_of(sets, found);
  std::set<GroupElement> seen;
  for (const auto& [node, view] : one) {
    for (const auto& frame : view) seen.insert(frame.begin(), frame.end());
  }
  for (const auto& [node, view] : two) {
    ASSERT_EQ(view.size(), one.at(node).size());
    for (std::size_t i = 0; i < view.size(); ++i) {
      EXPECT_EQ(view[i].size(), one.at(node)[i].size());
      for (const GroupElement& element : view[i]) EXPECT_FALSE(seen.contains(element));
    }
  }
}

TEST(Intersect, CostsWhatItSays) {
  for (const std::size_t m : {2U, 3U, 5U}) {
    const std::vector<Ids> sets = overlapping(m, 4, 0, 3);
    std::uint64_t payload = 0;
    SimulationOptions options;
    options.tap = [&](NodeId, NodeId, std::uint64_t, Bytes& frame) { payload += frame.size() - FrameHeader::size; };
    const auto result = run(sets, options);
    EXPECT_EQ(result.rounds, m == 2 ? 1 + 2U : 1 + (1 + m - 1) + 1 + 2 + 2) << m;
    EXPECT_EQ(result.ledger.total().sent, result.sent);
    const std::uint64_t ring = m * m * 7;
    const std::uint64_t comparison = m == 2 ? 0 : (m - 1) * 7 + m * 7 + 7 + (m - 1) * 7 + (m - 2);
    const std::uint64_t numbers = m * (m - 1);
    EXPECT_EQ(payload, 32 * (ring + comparison) + 8 * numbers) << m;
  }
}

TEST(Intersect, BytesThatAreNoElementAreRefused) {
  const std::vector<Ids> sets = overlapping(3, 2, 1, 1);
  for (std::uint64_t round = 1; round < 4; ++round) {
    SimulationOptions options;
    options.tap = [&](NodeId from, NodeId, std::uint64_t r, Bytes& frame) {
      if (r == round && from == 1) std::fill(frame.begin() + FrameHeader::size, frame.end(), std::byte{0xff});
    };
    EXPECT_THAT(error_of<ProtocolError>([&] { (void)run(sets, options); }),
                ::testing::HasSubstr("bytes that are no element of the group"));
  }
}

TEST(Intersect, ARepeatedTagIsRefused) {
  const std::vector<Ids> sets{{"a", "b"}, {"b", "c"}};
  SimulationOptions options;
  options.tap = [](NodeId from, NodeId, std::uint64_t round, Bytes& frame) {
    if (from == 1 && round == 2) std::copy_n(frame.end() - 32, 32, frame.begin() + FrameHeader::size);
  };
  EXPECT_THAT(error_of<ProtocolError>([&] { (void)run(sets, options); }), ::testing::HasSubstr("one tag for two ids"));
}

// The last frames from holder 1 are the common tags.
TEST(Intersect, ACommonTagThatComesTwiceIsRefused) {
  const std::vector<Ids> sets{{"a", "b"}, {"b", "a"}, {"a", "b"}};
  const std::uint64_t last = run(sets).rounds - 1;
  SimulationOptions options;
  options.tap = [last](NodeId from, NodeId, std::uint64_t round, Bytes& frame) {
    if (from == 1 && round == last) std::copy_n(frame.end() - 32, 32, frame.begin() + FrameHeader::size);
  };
  EXPECT_THAT(error_of<ProtocolError>([&] { (void)run(sets, options); }),
              ::testing::HasSubstr("party 1 sent one tag twice among the common ones"));
}

// With four holders, blinds go to holder 0 in a round of their own.
TEST(Intersect, ABlindThatIsNoScalarIsRefused) {
  const std::vector<Ids> sets{{"a"}, {"a"}, {"a"}, {"a"}};
  SimulationOptions options;
  options.tap = [](NodeId from, NodeId, std::uint64_t round, Bytes& frame) {
    if (from == 3 && round == 5) std::fill(frame.begin() + FrameHeader::size, frame.end(), std::byte{0xff});
  };
  EXPECT_THAT(error_of<ProtocolError>([&] { (void)run(sets, options); }),
              ::testing::HasSubstr("party 3 sent a blind that is no scalar"));
}

TEST(Intersect, SizesAreTold) {
  const std::vector<Ids> sets = overlapping(3, 2, 1, 4);
  const auto told =
      simulate(holders(3), [&](Party& party) { return announce_sizes(party, own_of(party, sets).size()); });
  for (const auto& sizes : told.nodes) EXPECT_EQ(sizes, sizes_of(sets));
}

TEST(Intersect, ASizeBeyondAllIsRefused) {
  const std::vector<Ids> sets{{"a"}, {"a"}};
  SimulationOptions options;
  options.tap = [](NodeId from, NodeId, std::uint64_t round, Bytes& frame) {
    if (from == 0 && round == 0) std::fill(frame.begin() + FrameHeader::size, frame.end(), std::byte{0xff});
  };
  EXPECT_THAT(error_of<ProtocolError>([&] { (void)run(sets, options); }), ::testing::HasSubstr("too large"));
}

TEST(Intersect, IdsAreDistinctAndWithoutADealer) {
  const std::vector<Ids> sets{{"a", "a"}, {"a"}};
  EXPECT_THROW((void)run(sets), std::invalid_argument);
  const std::vector<Ids> three{{"a"}, {"a"}, {"a"}};
  EXPECT_THROW((void)simulate(Topology(2), [&](Party& party) { return find(party, three); }), std::invalid_argument);
}

}  // namespace
}  // namespace sotto::protocols
