#include "protocols/preprocessing/replicated/run_replicated.h"
#include "sotto/protocol/preprocessing/run_with_randomness.h"
#include "tests/protocols/preprocessing/replicated/support.h"
#include "tests/protocols/preprocessing/without_dealer.h"

namespace sotto::protocols::testing {
namespace {

struct Drawn {
  PoolVector<WordPieces> uniform;
  Words zero, xor_zero, other_zero;
  std::array<Words, 3> of_pair;
};

constexpr std::size_t lanes = 70;

Task<Drawn> draws(PairKeys& keys, unsigned bits) {
  Drawn drawn;
  for (int i = 0; i < 2; ++i) drawn.uniform.push_back(keys.uniform(lanes, bits));
  drawn.zero = keys.zero(lanes, bits, Group::sum);
  drawn.xor_zero = keys.zero(lanes, bits, Group::exclusive_or);
  drawn.other_zero = keys.zero(lanes, bits, Group::sum);
  for (const NodeId holder : leads) drawn.of_pair[holder] = keys.of_pair(holder, lanes, bits);
  co_return drawn;
}

TEST(PairKeys, GiveTwoOfThreePiecesAndSharingsOfZero) {
  for (const unsigned bits : {1u, 7u, 31u, 64u}) {
    const auto run = run_keyed([=](Party&, PairKeys& keys) { return draws(keys, bits); });
    const auto& nodes = run.nodes;
    for (int i = 0; i < 2; ++i) {
      (void)value_of([&](NodeId node) -> const WordPieces& { return nodes[node].uniform[i]; }, bits);
    }
    const Numbers zeros(lanes, 0);
    EXPECT_EQ(combined({nodes[0].zero, nodes[1].zero, nodes[2].zero}, bits, Group::sum), zeros);
    EXPECT_EQ(combined({nodes[0].xor_zero, nodes[1].xor_zero, nodes[2].xor_zero}, bits, Group::exclusive_or), zeros);
    for (const NodeId holder : leads) {
      EXPECT_EQ(nodes[holder].of_pair[holder].size(), lanes);
      EXPECT_EQ(nodes[holder].of_pair[holder], nodes[previous_of(holder)].of_pair[holder]);
      EXPECT_TRUE(nodes[next_of(holder)].of_pair[holder].empty());
    }
    EXPECT_EQ(run.rounds, 0u);
  }
}

// Two equal words of 64 bits would mean that a counter was used twice.
TEST(PairKeys, UseNoWordTwice) {
  const auto run = run_keyed([](Party&, PairKeys& keys) { return draws(keys, 64); });
  std::set<std::uint64_t> words;
  std::size_t count = 0;
  const auto see = [&](const Words& drawn) {
    words.insert(drawn.begin(), drawn.end());
    count += drawn.size();
  };
  for (const NodeId node : leads) {
    const Drawn& drawn = run.nodes[node];
    for (const WordPieces& mask : drawn.uniform) see(mask.own);
    see(drawn.zero);
    see(drawn.xor_zero);
    see(drawn.other_zero);
    see(drawn.of_pair[node]);
  }
  EXPECT_EQ(words.size(), count);
}

Words expanded(const PairExpansion& expansion, std::uint64_t request, unsigned bits) {
  Words words(lanes);
  expansion(request, words, bits);
  return words;
}

TEST(PairKeys, ExpandByKeyEpochAndRequest) {
  const Seed key = Seed::insecure_from_number(1);
  const PairExpansion first = pair_expansion(key, "session, epoch 1");
  Words known(lanes);
  Prg seeds(key.derive("session, epoch 1").derive("requests 1"));
  std::array<std::byte, Seed::size> seed{};
  for (int i = 0; i <= 5; ++i) seeds.bytes(seed);
  Prg(Seed::from_bytes(seed)).fill(known, 20);
  EXPECT_EQ(expanded(first, 256 + 5, 20), known);
  EXPECT_NE(expanded(first, 5, 20), known);
  EXPECT_EQ(expanded(first, 256 + 5, 20), known);
  EXPECT_NE(expanded(first, 256 + 6, 20), known);
  EXPECT_NE(expanded(pair_expansion(key, "session, epoch 2"), 256 + 5, 20), known);
  EXPECT_NE(expanded(pair_expansion(Seed::insecure_from_number(2), "session, epoch 1"), 256 + 5, 20), known);
}

Task<Numbers> confirmed(Party& party, PairKeys& keys, NodeId astray, int change) {
  const bool here = keys.self() == astray;
  if (here && change == 0) (void)keys.uniform(3, 64);
  (void)keys.uniform(here && change == 1 ? 4 : 3, 64);
  (void)keys.zero(3, here && change == 2 ? 63 : 64, here && change == 3 ? Group::sum : Group::exclusive_or);
  if (here && change == 4) {
    (void)keys.zero(3, 64, Group::sum);
  } else {
    (void)keys.of_pair(here && change == 5 ? 1 : 0, 3, 64);
  }
  co_await confirm_same_requests(party, keys);
  co_return Numbers{};
}

TEST(PairKeys, AreConfirmedToBeInStep) {
  const auto in_step = [](int change, NodeId astray) {
    return [=](Party& party, PairKeys& keys) { return confirmed(party, keys, astray, change); };
  };
  const auto run = run_keyed(in_step(0, 0xff));
  EXPECT_EQ(run.rounds, 1u);
  EXPECT_EQ(run.sent, (std::array<std::uint64_t, 3>{8, 8, 8}));
  for (const NodeId astray : leads) {
    for (int change = 0; change < 6; ++change) {
      const auto body = in_step(change, astray);
      const auto program = [&](Party& party) { return with_keys(party, body); };
      EXPECT_THROW((void)simulate(three(), program), ProtocolError) << int{astray} << " " << change;
    }
  }
}

Task<Numbers> keys_alone(Party& party) {
  const PairKeys keys = co_await agree_on_pair_keys(party, Seed::from_os(), "test");
  Numbers self;
  if (keys.self()) self.push_back(*keys.self());
  co_return self;
}

TEST(PairKeys, AreForThreePartiesWithoutADealer) {
  const auto run = simulate(Topology::without_dealer(3, true), keys_alone);
  for (const NodeId node : leads) EXPECT_EQ(run.nodes[node], Numbers{node});
  EXPECT_EQ(run.nodes[3], Numbers{});
  EXPECT_EQ(run.rounds, 1u);
  for (const NodeId node : leads) EXPECT_EQ(run.sent[node], FrameHeader::size + Seed::size);
  EXPECT_EQ(run.sent[3], 3 * (FrameHeader::size + 2 * Seed::size));
  EXPECT_THROW((void)simulate(Topology::without_dealer(2, false), keys_alone), std::invalid_argument);
  EXPECT_THROW((void)simulate(Topology::without_dealer(5, false), keys_alone), std::invalid_argument);
  EXPECT_THROW((void)simulate(Topology(3), keys_alone), std::invalid_argument);
}

Topology with_two_outside() { return Topology::without_dealer(3, true, true); }

struct Owned {
  Words pair;
  PoolVector<InputPieces> masks;
};

Task<Owned> owned_masks(Party& party) {
  PairKeys keys = co_await agree_on_pair_keys(party, Seed::from_os(), "test");
  Owned result;
  result.pair = keys.uniform(lanes, 64).own;
  for (const NodeId owner : {NodeId{3}, NodeId{4}, NodeId{3}}) result.masks.push_back(keys.of_owner(owner, lanes));
  co_await confirm_same_requests(party, keys);
  co_return result;
}

TEST(PairKeys, OwnersOutsideKnowTheirOwnMasksAndNoOthers) {
  const auto run = simulate(with_two_outside(), owned_masks);
  EXPECT_EQ(run.rounds, 2u);
  for (const NodeId owner : {NodeId{3}, NodeId{4}}) {
    EXPECT_EQ(run.sent[owner], 3 * (FrameHeader::size + 2 * Seed::size) + FrameHeader::size + 8);
    EXPECT_TRUE(run.nodes[owner].pair.empty());
  }
  std::set<std::uint64_t> words;
  for (std::size_t i = 0; i < 3; ++i) {
    const NodeId owner = i == 1 ? 4 : 3;
    const auto held = [&](NodeId node) -> const WordPieces& { return run.nodes[node].masks[i].mask; };
    const Numbers mask = value_of(held, 64);
    const Words& known = run.nodes[owner].masks[i].known;
    EXPECT_EQ(Numbers(known.begin(), known.end()), mask);
    for (NodeId node = 0; node < 5; ++node) {
      EXPECT_EQ(run.nodes[node].masks[i].known.empty(), node != owner);
      EXPECT_EQ(held(node).own.empty(), node > 2);
    }
    for (const NodeId node : leads) words.insert(held(node).own.begin(), held(node).own.end());
  }
  EXPECT_EQ(words.size(), 3 * 3 * lanes);
}

Task<Numbers> owner_astray(Party& party, NodeId astray) {
  PairKeys keys = co_await agree_on_pair_keys(party, Seed::from_os(), "test");
  (void)keys.of_owner(3, party.is(astray) ? 2 : 1);
  co_await confirm_same_requests(party, keys);
  co_return Numbers{};
}

TEST(PairKeys, OwnersOutsideAreConfirmedToBeInStep) {
  for (const NodeId astray : {NodeId{3}, NodeId{4}}) {
    const auto program = [astray](Party& party) { return owner_astray(party, astray); };
    EXPECT_THAT(error_of<ProtocolError>([&] { (void)simulate(with_two_outside(), program); }),
                ::testing::HasSubstr("drew other correlations"));
  }
  PairKeys keys;
  EXPECT_THROW((void)keys.of_owner(2, 1), std::invalid_argument);
  PoolVector<PairExpansion> two(2, pair_expansion(Seed::insecure_from_number(1), "test"));
  EXPECT_THROW(keys.add_owner(3, two), std::invalid_argument);
}

// An owner that is no party masks each of its inputs by a new mask, also in another stretch or another epoch. The
// control begins an epoch twice with the same keys. Two inputs then get the same mask, and the difference of the masked
// inputs is the difference of the inputs.

constexpr NodeId outside_owner = 3;
constexpr std::size_t input_lanes = 40;

Task<Numbers> inputs_of_stretches(Party& party, std::uint64_t first, std::uint64_t second) {
  const Shape shape{1, input_lanes};
  const Numbers of_first(input_lanes, first);
  const Input before = input_of(party, outside_owner, shape, 0, of_first);
  (void)co_await share_input(party, outside_owner, before, "input");
  co_await next_stretch(party);
  const Numbers of_second(input_lanes, second);
  const Input after = input_of(party, outside_owner, shape, 0, of_second);
  (void)co_await share_input(party, outside_owner, after, "input");
  co_return Numbers{};
}

// The masked form D of both inputs, as a party receives it. The secrets of all nodes are the same in every run.
std::vector<Numbers> masked_inputs(std::uint64_t first, std::uint64_t second, const std::string& epoch) {
  std::vector<Numbers> seen;
  SimulationOptions options;
  options.tap = [&](NodeId from, NodeId to, std::uint64_t, const Bytes& frame) {
    if (from != outside_owner || to != 1 || frame.size() != FrameHeader::size + 8 * input_lanes) return;
    Numbers words(input_lanes);
    std::memcpy(words.data(), frame.data() + FrameHeader::size, 8 * input_lanes);
    seen.push_back(words);
  };
  const auto program = [&](Party& party) { return inputs_of_stretches(party, first, second); };
  const auto whole = [&](Party& party) {
    std::uint64_t number = 0;
    for (NodeId node = 0; node < 4; ++node) number = party.is(node) ? node : number;
    return run_replicated(party, Seed::insecure_from_number(number), epoch, program);
  };
  (void)simulate(Topology::without_dealer(3, true), whole, options);
  return seen;
}

std::size_t differences_of(const Numbers& a, const Numbers& b, std::uint64_t difference) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < input_lanes; ++i) count += a[i] - b[i] == difference ? 1 : 0;
  return count;
}

TEST(Counters, GiveEachStretchItsOwnMasks) {
  const auto seen = masked_inputs(9, 4, "epoch 1");
  ASSERT_EQ(seen.size(), 2u);
  EXPECT_EQ(differences_of(seen[0], seen[1], 5), 0u);
  std::set<std::uint64_t> words(seen[0].begin(), seen[0].end());
  words.insert(seen[1].begin(), seen[1].end());
  EXPECT_EQ(words.size(), 2 * input_lanes);
}

TEST(Counters, TellInputsApartWhereAnEpochIsRepeated) {
  const auto first = masked_inputs(9, 4, "epoch 1");
  const auto again = masked_inputs(7, 4, "epoch 1");
  const auto next = masked_inputs(7, 4, "epoch 2");
  ASSERT_EQ(again.size(), 2u);
  ASSERT_EQ(next.size(), 2u);
  EXPECT_EQ(differences_of(first[0], again[0], 2), input_lanes);
  EXPECT_EQ(differences_of(first[0], next[0], 2), 0u);
}

}  // namespace
}  // namespace sotto::protocols::testing
