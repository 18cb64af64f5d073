#include "sotto/protocol/summation/secure_sum.h"

#include "sotto/protocol/io/deliver.h"
#include "tests/protocols/support.h"

namespace sotto::protocols::testing {
namespace {

class Summation : public ::testing::TestWithParam<std::tuple<std::size_t, bool>> {
 protected:
  [[nodiscard]] Topology topology() const {
    return Topology::without_dealer(std::get<0>(GetParam()), std::get<1>(GetParam()));
  }
};
INSTANTIATE_TEST_SUITE_P(Casts, Summation, ::testing::Combine(::testing::Values(2, 3, 5, 8), ::testing::Bool()),
                         [](const auto& named) {
                           return std::to_string(std::get<0>(named.param)) +
                                  (std::get<1>(named.param) ? "AndGenerator" : "");
                         });

constexpr std::size_t summed_lanes = 40;

Numbers words_at(NodeId party, std::uint64_t turn) {
  std::mt19937_64 random(100 * party + turn);
  Numbers words(summed_lanes);
  for (std::uint64_t& word : words) word = random();
  return words;
}

Task<Numbers> two_sums(Party& party, NodeId receiver) {
  const auto self = [&] {
    for (NodeId node = 0; node < party.topology().nodes(); ++node) {
      if (party.is(node)) return node;
    }
    return NodeId{0xff};
  }();
  ZeroShares zero = co_await agree_on_zero_shares(party, Seed::from_os());
  Numbers both;
  for (std::uint64_t turn = 0; turn < 2; ++turn) {
    Words words;
    if (party.holds_shares()) {
      const Numbers mine = words_at(self, turn);
      words.assign(mine.begin(), mine.end());
    }
    const Words sum = co_await secure_sum(party, receiver, zero, std::move(words), summed_lanes, "sum");
    both.insert(both.end(), sum.begin(), sum.end());
  }
  co_return both;
}

Numbers expected(const Topology& topology) {
  Numbers both;
  for (std::uint64_t turn = 0; turn < 2; ++turn) {
    Numbers sum(summed_lanes, 0);
    for (NodeId party = 0; party < topology.parties(); ++party) {
      const Numbers words = words_at(party, turn);
      for (std::size_t i = 0; i < summed_lanes; ++i) sum[i] += words[i];
    }
    both.insert(both.end(), sum.begin(), sum.end());
  }
  return both;
}

TEST_P(Summation, GivesTheSumToTheReceiverAlone) {
  for (NodeId receiver = 0; receiver < topology().nodes(); ++receiver) {
    const auto program = [&](Party& party) { return two_sums(party, receiver); };
    const auto run = simulate(topology(), program);
    for (NodeId node = 0; node < topology().nodes(); ++node) {
      EXPECT_EQ(run.nodes[node], node == receiver ? expected(topology()) : Numbers{});
    }
    const Ledger planned = plan(topology(), program);
    EXPECT_EQ(planned.total().sent, run.sent);
    EXPECT_EQ(planned.total().dealt, 0u);
    EXPECT_EQ(run.rounds, 3u);
    // Each party sends a seed to each party with a higher number. Each party also sends the receiver a word for each
    // lane of each sum.
    const std::size_t parties = topology().parties();
    for (NodeId party = 0; party < parties; ++party) {
      const std::uint64_t seeds = (parties - 1 - party) * (FrameHeader::size + 16);
      const std::uint64_t sums = party == receiver ? 0 : 2 * (FrameHeader::size + 8 * summed_lanes);
      EXPECT_EQ(run.sent[party], seeds + sums);
    }
  }
}

std::map<NodeId, Numbers> seen_by(NodeId receiver, const Topology& topology) {
  std::map<NodeId, Numbers> seen;
  SimulationOptions options;
  options.tap = [&](NodeId from, NodeId to, std::uint64_t round, Bytes& frame) {
    if (round == 0 || to != receiver) return;
    Numbers words((frame.size() - FrameHeader::size) / 8);
    std::memcpy(words.data(), frame.data() + FrameHeader::size, 8 * words.size());
    seen[from].insert(seen[from].end(), words.begin(), words.end());
  };
  (void)simulate(
      topology, [&](Party& party) { return two_sums(party, receiver); }, options);
  return seen;
}

// With two participants, a receiver that participates can compute the other participant's words. With more
// participants, the receiver cannot compute these words. No received lane equals the participant's word, and a second
// run sends other lanes.
TEST_P(Summation, HidesEachTermFromTheReceiver) {
  const auto first = seen_by(0, topology());
  const auto second = seen_by(0, topology());
  ASSERT_EQ(first.size(), topology().parties() - 1);
  for (const auto& [from, words] : first) {
    const Numbers plain = words_at(from, 0);
    for (std::size_t i = 0; i < summed_lanes; ++i) {
      EXPECT_NE(words[i], plain[i]);
      EXPECT_NE(words[i], second.at(from)[i]);
      // Equal words would mean that a mask was used twice.
      EXPECT_NE(words[i], words[summed_lanes + i] - words_at(from, 1)[i] + plain[i]);
    }
  }
}

Task<Numbers> delivered(Party& party, NodeId from, NodeId to) {
  Words words;
  if (party.is(from)) {
    const Numbers mine = words_at(from, 7);
    words.assign(mine.begin(), mine.end());
  }
  const Words got = co_await deliver(party, from, to, std::move(words), summed_lanes, "words");
  co_return Numbers(got.begin(), got.end());
}

TEST_P(Summation, DeliversToOneAlone) {
  for (NodeId from = 0; from < topology().nodes(); ++from) {
    for (NodeId to = 0; to < topology().nodes(); ++to) {
      if (from == to) continue;
      const auto run = simulate(topology(), [&](Party& party) { return delivered(party, from, to); });
      for (NodeId node = 0; node < topology().nodes(); ++node) {
        EXPECT_EQ(run.nodes[node], node == to ? words_at(from, 7) : Numbers{});
        EXPECT_EQ(run.sent[node], node == from ? FrameHeader::size + 8 * summed_lanes : 0);
      }
    }
  }
}

TEST(Summation, RefusesOtherSizes) {
  const auto program = [](Party& party) -> Task<Numbers> {
    ZeroShares zero = co_await agree_on_zero_shares(party, Seed::from_os());
    Words few(party.holds_shares() ? 3 : 0, 1);
    const Words sum = co_await secure_sum(party, 0, zero, std::move(few), 4, "sum");
    co_return Numbers(sum.begin(), sum.end());
  };
  EXPECT_THROW((void)simulate(Topology::without_dealer(3, false), program), std::invalid_argument);
}

}  // namespace
}  // namespace sotto::protocols::testing
