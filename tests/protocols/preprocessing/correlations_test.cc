#include "sotto/protocols/preprocessing/correlations.h"

#include "sotto/core/random/prg.h"
#include "tests/protocols/support.h"

namespace sotto::protocols::testing {
namespace {

// A run in which every role draws the same and returns what it got.
enum class Draw { uniform, known_to_one, dealt };

Numbers drawn(Party& party, Draw draw, unsigned bits, Group group) {
  Correlations& correlations = party.correlations();
  Words words;
  if (draw == Draw::uniform) words = correlations.uniform(100, bits, group);
  if (draw == Draw::known_to_one) words = correlations.uniform_known_to(1, 100, bits);
  if (draw == Draw::dealt) {
    const auto squares = [](std::span<std::uint64_t> out) {
      for (std::size_t i = 0; i < out.size(); ++i) out[i] = i * i * 0x0123456789abcdefu;
    };
    words = correlations.deal(100, bits, squares, group);
  }
  return Numbers(words.begin(), words.end());
}

Task<Numbers> draws(Party& party, Draw draw, unsigned bits, Group group) {
  Numbers words = drawn(party, draw, bits, group);
  const Masked x = co_await masked(party, Shape(), 0, Numbers(1, 0));
  co_return words;
}

class Correlated : public ForParties {
 protected:
  // All parties' shares together.
  Numbers together(const std::vector<Numbers>& nodes, unsigned bits, Group group) {
    Numbers sum(100, 0);
    for (std::size_t p = 0; p < GetParam(); ++p) {
      EXPECT_EQ(nodes[p].size(), 100u);
      for (std::size_t i = 0; i < 100; ++i) sum[i] = group == Group::sum ? sum[i] + nodes[p][i] : sum[i] ^ nodes[p][i];
    }
    for (std::uint64_t& word : sum) word &= ~std::uint64_t{0} >> (64 - bits);
    return sum;
  }
};
SOTTO_FOR_PARTIES(Correlated);

TEST_P(Correlated, SharesMakeUpWhatTheDealerKnows) {
  for (const unsigned bits : {1u, 7u, 8u, 20u, 63u, 64u}) {
    for (const Group group : {Group::sum, Group::exclusive_or}) {
      for (const Draw draw : {Draw::uniform, Draw::dealt}) {
        const auto program = [&](Party& party) { return draws(party, draw, bits, group); };
        const auto run = simulate(Topology(GetParam()), program);
        EXPECT_EQ(together(run.nodes, bits, group), *run.dealer) << bits;
        EXPECT_TRUE(run.nodes.back().empty());  // the actor holds nothing
        for (const std::uint64_t word : *run.dealer) {
          EXPECT_EQ(word & ~(~std::uint64_t{0} >> (64 - bits)), 0u);
        }
        const std::uint64_t dealt = draw == Draw::dealt ? (100 * bits + 7) / 8 : 0;
        EXPECT_EQ(run.dealt, dealt + 2 * FrameHeader::size);
        EXPECT_EQ(plan(Topology(GetParam()), program).total().dealt, run.dealt);
      }
    }
  }
}

TEST_P(Correlated, AValueKnownToOneNodeIsKnownToTheDealerAndNobodyElse) {
  const auto program = [](Party& party) { return draws(party, Draw::known_to_one, 64, Group::sum); };
  const auto run = simulate(Topology(GetParam()), program);
  EXPECT_EQ(run.nodes[1], *run.dealer);
  for (std::size_t node = 0; node < run.nodes.size(); ++node) {
    EXPECT_TRUE(node == 1 || run.nodes[node].empty());
  }
}

TEST_P(Correlated, DealtValuesAreTheDealers) {
  const auto program = [](Party& party) { return draws(party, Draw::dealt, 20, Group::sum); };
  const auto run = simulate(Topology(GetParam()), program);
  for (std::size_t i = 0; i < 100; ++i) {
    EXPECT_EQ((*run.dealer)[i], (i * i * 0x0123456789abcdefu) & 0xfffff);
  }
}

TEST(CorrelatedShares, DifferFromRunToRunAndFromDrawToDraw) {
  const auto program = [](Party& party) -> Task<Numbers> {
    Numbers first = drawn(party, Draw::dealt, 64, Group::sum);
    const Numbers second = drawn(party, Draw::dealt, 64, Group::sum);
    const Masked x = co_await masked(party, Shape(), 0, Numbers(1, 0));
    first.insert(first.end(), second.begin(), second.end());
    co_return first;
  };
  const auto one = simulate(Topology(2), program);
  const auto other = simulate(Topology(2), program);
  for (const NodeId p : {NodeId{0}, NodeId{1}}) {
    EXPECT_NE(one.nodes[p], other.nodes[p]);
    const Numbers& both = one.nodes[p];
    EXPECT_NE(Numbers(both.begin(), both.begin() + 100), Numbers(both.begin() + 100, both.end()));
  }
}

TEST(CorrelatedCoins, ExistAtTheDealerOnly) {
  const auto program = [](Party& party) -> Task<Numbers> {
    Numbers coins;
    party.correlations().at_dealer_only([&](Prg& prg) { coins.push_back(prg.next()); });
    const Masked x = co_await masked(party, Shape(), 0, Numbers(1, 0));
    co_return coins;
  };
  const auto run = simulate(Topology(2), program);
  for (const Numbers& node : run.nodes) EXPECT_TRUE(node.empty());
  EXPECT_EQ(run.dealer->size(), 1u);
}

TEST(SessionKeys, DifferByNodeAndEpoch) {
  EXPECT_NE(expansion_label("s", 0), expansion_label("s", 1));
  EXPECT_NE(expansion_label("s", 0), expansion_label("t", 0));
  const SessionKeys keys = draw_session_keys(Topology(3), 7);
  ASSERT_EQ(keys.nodes.size(), 4u);
  const auto first_word = [](const Seed& seed) { return Prg(seed).next(); };
  std::vector<std::uint64_t> words{first_word(keys.coins)};
  for (const Seed& seed : keys.nodes) words.push_back(first_word(seed));
  std::sort(words.begin(), words.end());
  EXPECT_EQ(std::unique(words.begin(), words.end()), words.end());
}

TEST(DealerArguments, NeedASeedANode) {
  Ledger ledger{Topology(2)};
  const std::vector<Seed> none;
  EXPECT_THROW(DealerCorrelations(ledger, none, Seed::insecure_from_number(1)), std::invalid_argument);
}

}  // namespace
}  // namespace sotto::protocols::testing
