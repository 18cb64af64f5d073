#pragma once

#include "protocols/preprocessing/recorded/bit_planes.h"
#include "protocols/preprocessing/replicated/run_replicated.h"
#include "sotto/protocol/random/prg.h"
#include "tests/protocols/boolean/shared_bits.h"

namespace sotto::protocols::testing {

inline Topology three() { return Topology::without_dealer(3, false); }
inline constexpr std::array<NodeId, 3> leads{0, 1, 2};

// body(party, keys) returns the protocol's task, which runs after the agreement on keys.
template <class Body>
auto with_keys(Party& party, Body body)
    -> Task<decltype(body(std::declval<Party&>(), std::declval<PairKeys&>()).take())> {
  PairKeys keys = co_await agree_on_pair_keys(party, Seed::from_os(), "test");
  co_return co_await body(party, keys);
}

// The results of a protocol with keys: each party's result, the rounds, and the payload bytes that each party sends.
// The round of the agreement on keys is left out. The planned rounds and bytes must equal the measured rounds and
// bytes.
template <class T>
struct KeyedRun {
  std::vector<T> nodes;
  std::uint64_t rounds;
  std::array<std::uint64_t, 3> sent;
};

template <class Body>
auto run_keyed(Body body) {
  std::array<std::uint64_t, 3> payloads{};
  SimulationOptions options;
  options.tap = [&](NodeId from, NodeId, std::uint64_t round, const Bytes& frame) {
    if (round > 0) payloads[from] += frame.size() - FrameHeader::size;
  };
  const auto program = [&](Party& party) { return with_keys(party, body); };
  auto run = simulate(three(), program, options);
  const Ledger planned = plan(three(), program);
  EXPECT_EQ(planned.total().sent, run.sent);
  EXPECT_EQ(planned.total().rounds, run.rounds);
  EXPECT_EQ(planned.total().dealt, 0u);
  return KeyedRun<std::decay_t<decltype(run.nodes[0])>>{std::move(run.nodes), run.rounds - 1, payloads};
}

// The words that three additive shares, or three pieces, make up. A share without words means zeros.
inline Numbers combined(const std::array<Words, 3>& shares, unsigned bits, Group group) {
  Numbers sum(std::max({shares[0].size(), shares[1].size(), shares[2].size()}), 0);
  for (const Words& share : shares) {
    EXPECT_TRUE(share.empty() || share.size() == sum.size());
    for (std::size_t i = 0; i < share.size(); ++i) sum[i] = group == Group::sum ? sum[i] + share[i] : sum[i] ^ share[i];
  }
  for (std::uint64_t& word : sum) word &= ones(bits);
  return sum;
}

template <class Get>
Numbers value_of(Get held_by, unsigned bits, Group group = Group::sum) {
  for (NodeId i = 0; i < 3; ++i) EXPECT_EQ(held_by(i).next, held_by(next_of(i)).own) << "piece " << i + 1;
  return combined({held_by(NodeId{0}).own, held_by(NodeId{1}).own, held_by(NodeId{2}).own}, bits, group);
}

// A shared number of several bits is a list of BitPieces, one for each bit. The function bits_of opens one bit of each
// lane, and number_of opens the whole number of each lane.
template <class Get>
Numbers bits_of(Get held_by) {
  const Numbers words = value_of(held_by, 64, Group::exclusive_or);
  const Words planes(words.begin(), words.end());
  const Words lanes = numbers_of(planes, held_by(NodeId{0}).lanes, 1);
  return Numbers(lanes.begin(), lanes.end());
}

inline Numbers number_of(const std::vector<NumberPieces>& nodes) {
  Numbers sum;
  for (std::size_t b = 0; b < nodes[0].size(); ++b) {
    const Numbers plane = bits_of([&](NodeId i) -> const BitPieces& { return nodes[i][b]; });
    sum.resize(plane.size());
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] |= plane[i] << b;
  }
  return sum;
}

// Pieces of known numbers; the seed fixes the pieces.
inline WordPieces pieces_of(const PairKeys& keys, const Numbers& numbers, unsigned bits, Group group,
                            std::uint64_t seed) {
  WordPieces result{numbers.size(), bits, {}, {}};
  if (!keys.self()) return result;
  std::mt19937_64 random(seed);
  std::array<Words, 3> pieces;
  pieces.fill(Words(numbers.size()));
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    pieces[1][i] = random() & ones(bits);
    pieces[2][i] = random() & ones(bits);
    const bool sum = group == Group::sum;
    const std::uint64_t rest = sum ? pieces[1][i] + pieces[2][i] : pieces[1][i] ^ pieces[2][i];
    pieces[0][i] = (sum ? numbers[i] - rest : numbers[i] ^ rest) & ones(bits);
  }
  result.own = pieces[*keys.self()];
  result.next = pieces[next_of(*keys.self())];
  return result;
}

inline NumberPieces planes_of_known(const PairKeys& keys, const Numbers& numbers, unsigned bits, std::uint64_t seed) {
  const WordPieces words = pieces_of(keys, numbers, bits, Group::exclusive_or, seed);
  const BitPieces planes{numbers.size(), planes_of(words.own, bits), planes_of(words.next, bits)};
  return separated(planes, bits, numbers.size());
}

}  // namespace sotto::protocols::testing
