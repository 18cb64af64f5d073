#include "sotto/protocol/party/rounds.h"

#include <set>

#include "sotto/protocol/async/when_all.h"
#include "tests/core/party/round_net.h"

namespace sotto::testing {
namespace {

const Topology three_and_rewarder(3, true);  // parties are nodes 0 to 2, the actor is node 3, the rewarder node 4

Slot slot_of(SlotKind kind, NodeId endpoint = 0, unsigned bits = 64, std::size_t lanes = 2) {
  return Slot{"words", kind, bits, lanes, endpoint};
}

RoundNet& start_all(RoundNet& net, Slot slot) {
  for (NodeId node = 0; node < net.topology().nodes(); ++node) {
    Words mine{10u * node, 10u * node + 1};
    Words room = slot.kind == SlotKind::open_to ? Words{0, 0} : mine;
    if (slot.kind == SlotKind::broadcast && node != slot.endpoint) room = Words{0, 0};
    net.start(node, take_part(net.node(node), slot, mine, room));
  }
  return net;
}

bool owes(SlotKind kind, NodeId endpoint, NodeId from, NodeId to) {
  if (from == to) return false;
  if (kind == SlotKind::open) return from < 3 && to < 3;
  if (kind == SlotKind::open_to) return from < 3 && to == endpoint;
  return from == endpoint && to < 3;
}

TEST(RoundsFlow, EachKindOfSlotSendsToThoseItNames) {
  for (const SlotKind kind : {SlotKind::open, SlotKind::open_to, SlotKind::broadcast}) {
    for (NodeId endpoint = 0; endpoint < 5; ++endpoint) {
      RoundNet net(three_and_rewarder);
      ASSERT_TRUE(start_all(net, slot_of(kind, endpoint)).gather());
      for (NodeId from = 0; from < 5; ++from) {
        for (NodeId to = 0; to < 5; ++to) {
          const bool flows = owes(kind, endpoint, from, to);
          EXPECT_EQ(net.node(from).frame_to(to).size(), flows ? FrameHeader::size + 16 : 0u);
          EXPECT_EQ(net.node(to).expected_from(from), flows ? 16u : 0u);
        }
      }
      net.deliver_all();
      net.scatter();
      EXPECT_FALSE(net.gather());
    }
  }
}

TEST(RoundsFlow, CombinesWhatItReceives) {
  const auto results_of = [](Slot slot) {
    RoundNet net(three_and_rewarder);
    start_all(net, slot).gather();
    net.deliver_all();
    net.scatter();
    net.gather();
    return net.results();
  };
  const std::vector<Words> opened = results_of(slot_of(SlotKind::open));
  for (NodeId p = 0; p < 3; ++p) EXPECT_EQ(opened[p], (Words{30, 33}));
  EXPECT_EQ(results_of(slot_of(SlotKind::open_to, 4))[4], (Words{30, 33}));
  const std::vector<Words> received = results_of(slot_of(SlotKind::broadcast, 3));
  for (NodeId p = 0; p < 3; ++p) EXPECT_EQ(received[p], (Words{30, 31}));
}

TEST(RoundsFlow, LanesTravelInTheBytesOfTheirRingAndWrapInIt) {
  const std::size_t bytes[] = {1, 1, 2, 2, 4, 4, 8, 8};
  const unsigned widths[] = {1, 8, 9, 16, 17, 32, 33, 64};
  for (std::size_t w = 0; w < 8; ++w) {
    const std::uint64_t ring = ~std::uint64_t{0} >> (64 - widths[w]);
    for (const Group group : {Group::sum, Group::exclusive_or}) {
      RoundNet net(Topology(2));
      Slot slot{"lane", SlotKind::open, widths[w], 1, 0, group};
      net.start(0, take_part(net.node(0), slot, Words{ring}, Words{ring}));
      net.start(1, take_part(net.node(1), slot, Words{1}, Words{1}));
      net.start(2, take_part(net.node(2), slot, Words{}, Words{}));
      net.gather();
      EXPECT_EQ(net.payload(0, 1).size(), bytes[w]);
      net.deliver_all();
      net.scatter();
      net.gather();
      const std::uint64_t expected = group == Group::sum ? 0 : ring ^ 1;
      const std::vector<Words> results = net.results();
      EXPECT_EQ(results[0], Words{expected}) << widths[w];
      EXPECT_EQ(results[1], Words{expected}) << widths[w];
    }
  }
}

Task<Words> two_slots(Rounds& rounds, Slot a, Slot b, Words words) {
  auto [first, second] = co_await when_all(take_part(rounds, a, words, words), take_part(rounds, b, words, words));
  first.insert(first.end(), second.begin(), second.end());
  co_return first;
}

std::uint64_t digest_of(Slot a, Slot b, std::optional<std::uint64_t> run = std::nullopt) {
  Rounds rounds(Topology(2), std::nullopt);
  if (run) rounds.bind_to(*run);
  Task<Words> task = two_slots(rounds, a, b, Words{});
  task.start_on(rounds);
  EXPECT_TRUE(rounds.gather());
  return rounds.digest();
}

TEST(RoundsDigest, DiffersWhereverSlotsDiffer) {
  const Slot a{"a", SlotKind::open, 64, 3};
  const Slot b{"b", SlotKind::open_to, 8, 5, 1};
  const std::uint64_t base = digest_of(a, b);
  EXPECT_EQ(base, digest_of(a, b));
  EXPECT_NE(base, digest_of(b, a));
  EXPECT_NE(base, digest_of(Slot{"c", SlotKind::open, 64, 3}, b));
  EXPECT_NE(base, digest_of(Slot{"a", SlotKind::broadcast, 64, 3}, b));
  EXPECT_NE(base, digest_of(Slot{"a", SlotKind::open, 63, 3}, b));
  EXPECT_NE(base, digest_of(Slot{"a", SlotKind::open, 64, 4}, b));
  EXPECT_NE(base, digest_of(a, Slot{"b", SlotKind::open_to, 8, 5, 0}));
  EXPECT_NE(base, digest_of(Slot{"a", SlotKind::open, 64, 3, 0, Group::exclusive_or}, b));
}

TEST(RoundsDigest, DiffersWhereRunsDiffer) {
  const Slot a{"a", SlotKind::open, 64, 3};
  EXPECT_EQ(digest_of(a, a, 1), digest_of(a, a, 1));
  EXPECT_NE(digest_of(a, a, 1), digest_of(a, a, 2));
  EXPECT_NE(digest_of(a, a, 1), digest_of(a, a));
}

TEST(RoundsDigest, RunsOnOverTheRounds) {
  RoundNet net(Topology(2));
  const auto twice = [](Rounds& rounds, Words words) -> Task<Words> {
    const Slot slot{"words", SlotKind::open, 64, words.size()};
    Words first = co_await take_part(rounds, slot, words, words);
    co_return co_await take_part(rounds, slot, first, first);
  };
  for (NodeId node = 0; node < 3; ++node) net.start(node, twice(net.node(node), Words{1}));
  net.gather();
  const std::uint64_t first = net.header(0, 1).digest;
  EXPECT_EQ(net.header(0, 1).round, 0u);
  net.deliver_all();
  net.scatter();
  net.gather();
  EXPECT_EQ(net.header(0, 1).round, 1u);
  EXPECT_NE(net.header(0, 1).digest, first);
  EXPECT_EQ(net.node(2).digest(), net.header(1, 0).digest);
}

ProtocolError error_of_header(FrameHeader header) {
  RoundNet net(Topology(2));
  start_all(net, slot_of(SlotKind::open)).gather();
  try {
    net.node(1).check_header(0, header);
  } catch (const ProtocolError& error) {
    return error;
  }
  throw std::logic_error("the header was accepted");
}

TEST(RoundsHeader, EveryFaultHasItsKindAndNamesThePeer) {
  RoundNet net(Topology(2));
  start_all(net, slot_of(SlotKind::open)).gather();
  const FrameHeader good = net.header(0, 1);
  EXPECT_NO_THROW(net.node(1).check_header(0, good));

  const auto changed = [&](auto change) {
    FrameHeader bad = good;
    change(bad);
    return error_of_header(bad);
  };
  using Kind = ProtocolError::Kind;
  EXPECT_EQ(changed([](FrameHeader& h) { h.type = FrameType::chunk; }).kind(), Kind::unexpected);
  EXPECT_EQ(changed([](FrameHeader& h) { h.round = 1; }).kind(), Kind::wrong_round);
  EXPECT_EQ(changed([](FrameHeader& h) { h.digest ^= 1; }).kind(), Kind::wrong_digest);
  EXPECT_EQ(changed([](FrameHeader& h) { h.length -= 1; }).kind(), Kind::truncated);
  const ProtocolError error = changed([](FrameHeader& h) { h.length += 1; });
  EXPECT_EQ(error.kind(), ProtocolError::Kind::oversized);
  EXPECT_EQ(error.peer(), "party 0");
  EXPECT_EQ(error.round(), 0u);
  EXPECT_EQ(error.exit_code(), ExitCode::protocol_violation);
  EXPECT_NE(std::string(error.what()).find("party 0"), std::string::npos);
  EXPECT_NE(std::string(error.what()).find("'words'"), std::string::npos);
}

TEST(RoundsHeader, AFrameThatNobodyWaitsForIsRefused) {
  RoundNet net(Topology(2));
  start_all(net, slot_of(SlotKind::open)).gather();
  const FrameHeader header = net.header(0, 1);
  EXPECT_THROW(net.node(1).check_header(2, header), ProtocolError);
  net.node(1).accept(0, net.payload(0, 1));
  EXPECT_THROW(net.node(1).check_header(0, header), ProtocolError);
  EXPECT_THROW(net.node(1).accept(0, net.payload(0, 1)), ProtocolError);
}

TEST(RoundsAccept, TakesTheExactLengthOnly) {
  RoundNet net(Topology(2));
  start_all(net, slot_of(SlotKind::open)).gather();
  const auto payload = net.payload(0, 1);
  std::vector<std::byte> longer(payload.begin(), payload.end());
  longer.push_back(std::byte{0});
  const auto kind_of = [&](std::span<const std::byte> bytes) {
    try {
      net.node(1).accept(0, bytes);
    } catch (const ProtocolError& error) {
      return error.kind();
    }
    throw std::logic_error("accepted");
  };
  EXPECT_EQ(kind_of(longer), ProtocolError::Kind::oversized);
  EXPECT_EQ(kind_of(payload.first(payload.size() - 1)), ProtocolError::Kind::truncated);
  EXPECT_EQ(kind_of({}), ProtocolError::Kind::truncated);
  EXPECT_NO_THROW(net.node(1).accept(0, payload));
}

TEST(RoundsScatter, BeforeAllFramesIsAMistake) {
  RoundNet net(three_and_rewarder);
  start_all(net, slot_of(SlotKind::open)).gather();
  net.node(1).accept(0, net.payload(0, 1));
  EXPECT_THROW(net.node(1).scatter(), std::logic_error);
  net.node(1).accept(2, net.payload(2, 1));
  EXPECT_NO_THROW(net.node(1).scatter());
  EXPECT_EQ(net.node(1).round(), 1u);
  EXPECT_NO_THROW(net.node(3).scatter());
}

TEST(RoundsRegistration, MustHaveRoomForItsLanes) {
  const Slot slot{"words", SlotKind::open, 64, 2};
  for (const bool short_outgoing : {false, true}) {
    Rounds rounds(Topology(2), NodeId{0});
    Task<Words> task = take_part(rounds, slot, Words(short_outgoing ? 1 : 2, 0), Words(short_outgoing ? 2 : 1, 0));
    task.start_on(rounds);
    EXPECT_THROW(rounds.gather(), std::invalid_argument);
    rounds.abandon();
  }
  EXPECT_THROW(Rounds(Topology(2), NodeId{3}), std::invalid_argument);
}

TEST(RoundsRegistration, MoreThanFourGibibytesToAPeerAreRefused) {
  Rounds rounds(Topology(2), NodeId{0});
  std::uint64_t word = 0;
  const std::size_t lanes = (std::size_t{1} << 29);  // never read: the length is checked first
  const auto huge = [](Rounds& r, std::uint64_t* at, std::size_t count) -> Task<Words> {
    const Slot slot{"huge", SlotKind::open, 64, count};
    const std::span<std::uint64_t> span(at, count);
    co_await Exchange(r, slot, span, span);
    co_return Words{};
  };
  Task<Words> task = huge(rounds, &word, lanes);
  task.start_on(rounds);
  EXPECT_THROW(rounds.gather(), std::invalid_argument);
  rounds.abandon();
}

TEST(RoundsFailure, ComesOutOfGatherAndNothingIsResumedAfterwards) {
  RoundNet net(Topology(2));
  int resumed = 0;
  const auto waits_or_throws = [](Rounds& rounds, bool throws, int& count) -> Task<Words> {
    const Slot slot{"words", SlotKind::open, 64, 1};
    Words words(1, 0);
    co_await Exchange(rounds, slot, words, words);
    ++count;
    if (throws) throw std::domain_error("after the round");
    co_return words;
  };
  const auto both = [&](Rounds& rounds, bool throws) -> Task<Words> {
    auto [a, b] = co_await when_all(waits_or_throws(rounds, throws, resumed), waits_or_throws(rounds, false, resumed));
    co_return a;
  };
  for (NodeId node = 0; node < 2; ++node) net.start(node, both(net.node(node), node == 0));
  for (NodeId node = 0; node < 2; ++node) net.node(node).gather();
  for (NodeId node = 0; node < 2; ++node) {
    const NodeId other = 1 - node;
    net.node(node).accept(other, net.payload(other, node));
  }
  net.node(0).scatter();
  EXPECT_THROW(net.node(0).gather(), std::domain_error);
  EXPECT_EQ(resumed, 1);
  net.node(0).abandon();
  EXPECT_FALSE(net.node(0).gather());
  EXPECT_EQ(resumed, 1);
}

using Openings = std::array<std::byte, 32>;

// Returns each party's digest of its openings after a round with this slot. If `liar` is given, one bit is flipped in
// the bytes that `liar` sends to party 0.
std::vector<Openings> openings_after(Slot slot, std::optional<NodeId> liar = std::nullopt) {
  RoundNet net(three_and_rewarder);
  for (NodeId party = 0; party < 3; ++party) net.node(party).hash_openings();
  start_all(net, slot).gather();
  for (NodeId from = 0; from < 5; ++from) {
    for (NodeId to = 0; to < 5; ++to) {
      if (from == to || net.node(from).frame_to(to).empty()) continue;
      std::vector<std::byte> payload(net.payload(from, to).begin(), net.payload(from, to).end());
      if (from == liar && to == 0) payload[0] ^= std::byte{1};
      net.node(to).accept(from, payload);
    }
  }
  net.scatter();
  net.gather();
  std::vector<Openings> all;
  for (NodeId party = 0; party < 3; ++party) all.push_back(net.node(party).openings());
  return all;
}

TEST(RoundsOpenings, AreTheSameAtAllPartiesUnlessOneIsSentOtherWords) {
  std::set<Openings> different;
  for (const Slot& slot : {slot_of(SlotKind::open), slot_of(SlotKind::open, 0, 16), slot_of(SlotKind::open, 0, 5),
                           slot_of(SlotKind::broadcast, 2), slot_of(SlotKind::broadcast, 3)}) {
    const std::vector<Openings> honest = openings_after(slot);
    EXPECT_EQ(honest[0], honest[1]) << slot.bits;
    EXPECT_EQ(honest[0], honest[2]) << slot.bits;
    different.insert(honest[0]);
    const NodeId liar = slot.kind == SlotKind::open ? 1 : slot.endpoint;
    const std::vector<Openings> lied = openings_after(slot, liar);
    EXPECT_NE(lied[0], honest[0]) << slot.bits;
    EXPECT_EQ(lied[1], honest[1]) << slot.bits;
    EXPECT_EQ(lied[2], honest[2]) << slot.bits;
  }
  EXPECT_EQ(different.size(), 5u);
  const std::vector<Openings> of_one = openings_after(slot_of(SlotKind::open_to, 3));
  EXPECT_EQ(of_one, openings_after(slot_of(SlotKind::open_to, 4)));
}

TEST(RoundsOpenings, AreZerosWhereNobodyAsks) {
  RoundNet net(Topology(2));
  EXPECT_EQ(net.node(0).openings(), Openings{});
}

}  // namespace
}  // namespace sotto::testing
