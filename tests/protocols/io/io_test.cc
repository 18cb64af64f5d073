#include "sotto/protocol/arithmetic/product.h"
#include "sotto/protocol/io/deliver.h"
#include "sotto/protocol/io/mask.h"
#include "sotto/protocol/io/open.h"
#include "sotto/protocol/sharing/share_access.h"
#include "tests/protocols/boolean/shared_bits.h"

namespace sotto::protocols::testing {
namespace {

class Io : public ::testing::TestWithParam<std::tuple<std::size_t, bool>> {
 protected:
  [[nodiscard]] Topology topology() const { return Topology(std::get<0>(GetParam()), std::get<1>(GetParam())); }
};
INSTANTIATE_TEST_SUITE_P(Topologies, Io, ::testing::Combine(::testing::Values(2, 3, 5, 8), ::testing::Bool()),
                         [](const auto& named) {
                           return std::to_string(std::get<0>(named.param)) +
                                  (std::get<1>(named.param) ? "AndRewarder" : "");
                         });

Task<Numbers> brought_by(Party& party, NodeId owner, Numbers words) {
  const Shape shape{1, words.size()};
  const Masked x = co_await share_input(party, owner, input_of(party, owner, shape, 20, words), "input");
  co_return co_await opened(party, x.shares(party));
}

TEST_P(Io, AnyNodeBringsItsNumbersIn) {
  for (NodeId owner = 0; owner < topology().nodes(); ++owner) {
    for (const std::size_t lanes : {0u, 1u, 50u}) {
      const Numbers words = test_words(64, lanes, owner);
      const auto program = [&](Party& party) { return brought_by(party, owner, words); };
      const auto run = simulate(topology(), program);
      for (NodeId p = 0; p < topology().parties(); ++p) EXPECT_EQ(run.nodes[p], words);
      for (NodeId node = static_cast<NodeId>(topology().parties()); node < topology().nodes(); ++node) {
        EXPECT_TRUE(run.nodes[node].empty());
      }
      EXPECT_TRUE(run.dealer->empty());
      const Ledger planned = plan(topology(), program);
      EXPECT_EQ(planned.total().sent, run.sent);
      EXPECT_EQ(planned.total().dealt, run.dealt);
      EXPECT_EQ(run.rounds, 2u);
      // The mask of an outside owner is dealt; the mask of a party is not.
      const std::uint64_t corrections = topology().is_party(owner) ? 0 : 8 * lanes;
      const std::uint64_t opening = 8 * lanes;
      EXPECT_EQ(run.dealt, 3 * FrameHeader::size + corrections + opening);
    }
  }
}

Task<Numbers> told(Party& party, Numbers words) {
  Words own;
  if (party.holds_shares()) own.assign(words.begin(), words.end());
  const Words heard = co_await announce(party, std::move(own), words.size(), "told");
  co_return Numbers(heard.begin(), heard.end());
}

TEST_P(Io, WhatAllPartiesKnowIsToldToTheOthersByTheFirst) {
  const Numbers words = test_words(64, 4, 9);
  const auto program = [&](Party& party) { return told(party, words); };
  std::vector<std::pair<NodeId, NodeId>> links;
  SimulationOptions options;
  options.tap = [&](NodeId from, NodeId to, std::uint64_t, Bytes& frame) {
    links.emplace_back(from, to);
    EXPECT_EQ(frame.size(), FrameHeader::size + 8 * words.size());
  };
  const auto run = simulate(topology(), program, options);
  for (NodeId node = 0; node < topology().nodes(); ++node) EXPECT_EQ(run.nodes[node], words);
  EXPECT_TRUE(run.dealer->empty());
  EXPECT_EQ(links.size(), topology().nodes() - topology().parties());
  for (const auto& link : links) EXPECT_EQ(link.first, 0);
  EXPECT_EQ(run.rounds, 1u);
  EXPECT_EQ(plan(topology(), program).total().sent, run.sent);
  EXPECT_EQ(plan(topology(), program).total().dealt, run.dealt);
}

Task<Numbers> opened_for(Party& party, NodeId receiver, unsigned bits, Numbers words) {
  const Public value = co_await open_to(party, receiver, shared_words(party, bits, words), "to one");
  co_return words_of(value);
}

TEST_P(Io, OpenToTellsOneNodeAndNobodyElse) {
  for (NodeId receiver = 0; receiver < topology().nodes(); ++receiver) {
    for (const unsigned bits : {8u, 64u}) {
      const Numbers words = test_words(bits, 20, receiver);
      const auto program = [&](Party& party) { return opened_for(party, receiver, bits, words); };
      std::vector<std::pair<NodeId, NodeId>> links;
      SimulationOptions options;
      options.tap = [&](NodeId from, NodeId to, std::uint64_t, Bytes& frame) {
        links.emplace_back(from, to);
        EXPECT_EQ(frame.size(), FrameHeader::size + 20 * bits / 8);
      };
      const auto run = simulate(topology(), program, options);
      for (NodeId node = 0; node < topology().nodes(); ++node) {
        EXPECT_EQ(run.nodes[node], node == receiver ? words : Numbers{});
      }
      EXPECT_EQ(links.size(), topology().parties() - (topology().is_party(receiver) ? 1 : 0));
      for (const auto& link : links) EXPECT_EQ(link.second, receiver);
      EXPECT_EQ(plan(topology(), program).total().sent, run.sent);
    }
  }
}

TEST_P(Io, OpenTellsEveryPartyTheValueInItsRing) {
  for (const unsigned bits : {1u, 7u, 8u, 9u, 33u, 64u}) {
    const Numbers words = test_words(bits, 20, bits);
    const auto program = [&](Party& party) -> Task<Numbers> { return opened(party, shared_words(party, bits, words)); };
    const auto run = simulate(topology(), program);
    for (NodeId p = 0; p < topology().parties(); ++p) EXPECT_EQ(run.nodes[p], words);
  }
}

Task<Numbers> masked_and_back(Party& party, Numbers words) {
  const Masked x = co_await mask(party, shared_words(party, 64, words), "mask");
  EXPECT_TRUE(x.plain());
  co_return co_await opened(party, x.times(3).plus(7).shares(party));
}

TEST_P(Io, MaskKeepsTheValueThroughScalingAndOffsets) {
  const Numbers words = test_words(64, 40, 1);
  const auto run = simulate(topology(), [&](Party& party) { return masked_and_back(party, words); });
  for (std::size_t i = 0; i < words.size(); ++i) {
    EXPECT_EQ(run.nodes[0][i], 3 * words[i] + 7);
  }
}

TEST(IoArguments, AreChecked) {
  const auto short_input = [](Party& party) -> Task<Numbers> {
    Input input{Shape{1, 3}, 0, {}};
    if (party.is(0)) input.words.assign(2, 0);
    const Masked x = co_await share_input(party, 0, input, "input");
    co_return co_await opened(party, x.shares(party));
  };
  EXPECT_THROW((void)simulate(Topology(2), short_input), std::invalid_argument);
  expect_refused([](Party& party) { return mask(party, Arith(Shape{1, 1}, 0, 8), "mask"); });
}

Task<Numbers> sum_of_two(Party& party, Numbers x, Numbers y) {
  const Shape one{1, 1};
  Input first = input_of(party, 0, one, 0, x);
  Input second = input_of(party, 1, one, 0, y);
  auto [a, b] =
      co_await when_all(share_input(party, 0, std::move(first), "x"), share_input(party, 1, std::move(second), "y"));
  const Masked sum = a + b;
  co_return co_await opened(party, sum.shares(party));
}

TEST(OpenRefreshes, SoThatASumDoesNotTellItsInputs) {
  // In round 0, party 1 sends d_y, which is its input 234 plus its mask. If open() did not refresh the shares, party 1
  // would then send the negative of this mask, and d_y + opened_share would be 234.
  std::uint64_t d_y = 0;
  std::uint64_t opened_share = 0;
  SimulationOptions options;
  options.tap = [&](NodeId from, NodeId to, std::uint64_t round, Bytes& frame) {
    if (from != 1 || to != 0) return;
    std::uint64_t word = 0;
    std::memcpy(&word, frame.data() + FrameHeader::size, sizeof word);
    (round == 0 ? d_y : opened_share) = word;
  };
  const auto program = [](Party& party) { return sum_of_two(party, Numbers{1000}, Numbers{234}); };
  const auto run = simulate(Topology(3), program, options);
  EXPECT_EQ(run.nodes[0], Numbers{1234});
  EXPECT_NE(d_y + opened_share, 234u);
}

}  // namespace
}  // namespace sotto::protocols::testing
