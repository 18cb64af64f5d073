#include "protocols/preprocessing/dealt_sides.h"

#include "core/party/no_preprocessing.h"
#include "sotto/protocol/arithmetic/mask_trunc.h"
#include "sotto/protocol/arithmetic/product.h"
#include "sotto/protocol/preprocessing/dealt.h"
#include "sotto/protocol/random/prg.h"
#include "tests/protocols/support.h"

namespace sotto::protocols::testing {
namespace {

using Draw = std::function<Words(Preprocessing&)>;

Task<Numbers> draws(Party& party, Draw draw) {
  const Words words = draw(party.preprocessing());
  Numbers numbers(words.begin(), words.end());
  const Masked x = co_await masked(party, Shape(), 0, Numbers(1, 0));
  co_return numbers;
}

class Correlated : public ForParties {
 protected:
  Numbers together(const std::vector<Numbers>& nodes, unsigned bits, Group group) {
    Numbers sum(100, 0);
    for (std::size_t p = 0; p < GetParam(); ++p) {
      EXPECT_EQ(nodes[p].size(), 100u);
      for (std::size_t i = 0; i < 100; ++i) {
        sum[i] = group == Group::sum ? sum[i] + nodes[p][i] : sum[i] ^ nodes[p][i];
      }
    }
    for (std::uint64_t& word : sum) word &= ~std::uint64_t{0} >> (64 - bits);
    return sum;
  }
};
SOTTO_FOR_PARTIES(Correlated);

TEST_P(Correlated, SharesMakeUpWhatTheDealerKnows) {
  struct Kind {
    Draw draw;
    unsigned bits;
    Group group;
    bool dealt;
  };
  std::vector<Kind> kinds;
  for (const unsigned bits : {1u, 7u, 8u, 20u, 63u, 64u}) {
    kinds.push_back({[=](Preprocessing& p) { return p.mask(100, bits).words; }, bits, Group::sum, false});
    kinds.push_back(
        {[=](Preprocessing& p) { return p.random_bits(100, bits).words; }, bits, Group::exclusive_or, false});
    for (const Group group : {Group::sum, Group::exclusive_or}) {
      kinds.push_back({[=](Preprocessing& p) { return p.zero(100, bits, group).words; }, bits, group, true});
      kinds.push_back({[=](Preprocessing& p) { return p.triples(100, bits, group).c.words; }, bits, group, true});
    }
  }
  for (const Kind& kind : kinds) {
    const unsigned bits = kind.bits;
    const auto program = [&](Party& party) { return draws(party, kind.draw); };
    const auto run = simulate(Topology(GetParam()), program);
    EXPECT_EQ(together(run.nodes, bits, kind.group), *run.dealer) << bits;
    EXPECT_TRUE(run.nodes.back().empty());
    for (const std::uint64_t word : *run.dealer) EXPECT_EQ(word & ~(~std::uint64_t{0} >> (64 - bits)), 0u);
    EXPECT_EQ(run.dealt, (kind.dealt ? (100 * bits + 7) / 8 : 0) + 2 * FrameHeader::size);
    EXPECT_EQ(plan(Topology(GetParam()), program).total().dealt, run.dealt);
  }
}

TEST_P(Correlated, TriplesAreProducts) {
  for (const Group group : {Group::sum, Group::exclusive_or}) {
    const auto program = [&](Party& party) {
      return draws(party, [&](Preprocessing& p) {
        const Triples triples = p.triples(100, 20, group);
        Words all = triples.a.words;
        for (const Additive* part : {&triples.b, &triples.c})
          all.insert(all.end(), part->words.begin(), part->words.end());
        return all;
      });
    };
    const Numbers all = *simulate(Topology(GetParam()), program).dealer;
    for (std::size_t i = 0; i < 100; ++i) {
      const std::uint64_t product = group == Group::sum ? all[i] * all[100 + i] : all[i] & all[100 + i];
      EXPECT_EQ(all[200 + i], product & 0xfffff);
    }
  }
}

TEST_P(Correlated, AnInputsMaskIsKnownToItsOwnerAndTheDealerAndNobodyElse) {
  const NodeId outside = Topology(GetParam()).outside_node();
  for (const NodeId owner : {NodeId{1}, outside}) {
    const auto known = [&](Party& party) {
      return draws(party, [&](Preprocessing& p) { return p.input_mask(owner, 100).known; });
    };
    const auto shared = [&](Party& party) {
      return draws(party, [&](Preprocessing& p) { return p.input_mask(owner, 100).mask.words; });
    };
    const SimulationOptions seeded{7, {}, {}, {}};
    const auto of_owner = simulate(Topology(GetParam()), known, seeded);
    const auto of_parties = simulate(Topology(GetParam()), shared, seeded);
    EXPECT_EQ(of_owner.nodes[owner], *of_owner.dealer);
    EXPECT_EQ(together(of_parties.nodes, 64, Group::sum), *of_owner.dealer);
    for (std::size_t node = 0; node < of_owner.nodes.size(); ++node) {
      EXPECT_TRUE(node == owner || of_owner.nodes[node].empty());
    }
  }
}

TEST(CorrelatedShares, DifferFromRunToRunAndFromDrawToDraw) {
  const auto program = [](Party& party) {
    return draws(party, [](Preprocessing& p) {
      Words both = p.zero(100, 64, Group::sum).words;
      const Words second = p.zero(100, 64, Group::sum).words;
      both.insert(both.end(), second.begin(), second.end());
      return both;
    });
  };
  const auto one = simulate(Topology(2), program);
  const auto other = simulate(Topology(2), program);
  for (const NodeId p : {NodeId{0}, NodeId{1}}) {
    EXPECT_NE(one.nodes[p], other.nodes[p]);
    const Numbers& both = one.nodes[p];
    EXPECT_NE(Numbers(both.begin(), both.begin() + 100), Numbers(both.begin() + 100, both.end()));
  }
}

TEST(CorrelatedSamples, ExistAtTheDealerOnly) {
  const auto program = [](Party& party) {
    return draws(party, [](Preprocessing& p) {
      const Samples samples = p.samples(1, 5, Exploration{0, true});
      Words words(samples.ranks.begin(), samples.ranks.end());
      if (!samples.explore.empty() && samples.explore[0] == 1) words.push_back(samples.arms[0]);
      return words;
    });
  };
  const auto run = simulate(Topology(2), program);
  for (const Numbers& node : run.nodes) EXPECT_TRUE(node.empty());
  ASSERT_EQ(run.dealer->size(), 6u);
  EXPECT_LT(run.dealer->back(), 5u);
  Numbers ranks(run.dealer->begin(), run.dealer->begin() + 5);
  std::sort(ranks.begin(), ranks.end());
  EXPECT_EQ(ranks, (Numbers{0, 1, 2, 3, 4}));
}

// The first phase has two products of rows, truncated by 20 bits. The second phase has the product of both results.
Task<Numbers> two_phases(Party& party) {
  party.enter_phase("rows");
  const Masked x = co_await masked(party, Shape{3, 4}, 20, Numbers(12, 1));
  const Masked dots = co_await mask_trunc(party, pending_product<RowDot>(party, x, x), 20, "dots");
  const Masked again = co_await mask_trunc(party, pending_product<RowDot>(party, x, x), 20, "again");
  party.enter_phase("square");
  Arith squares = elementwise(party, dots, again);
  co_return co_await opened(party, std::move(squares));
}

TEST(PlannedRequests, AreCountedByPhaseAndKind) {
  const PlannedRun planned = plan_requests(Topology(2), two_phases);
  EXPECT_EQ(planned.of("rows", Request::input_mask), (RequestCount{1, 12, 0}));
  EXPECT_EQ(planned.of("rows", Request::product), (RequestCount{2, 24, 0}));
  EXPECT_EQ(planned.of("rows", Request::truncation), (RequestCount{2, 6, 2 * (24 + 8)}));
  EXPECT_EQ(planned.of("rows", Request::cut), RequestCount{});
  EXPECT_EQ(planned.of("square", Request::product), (RequestCount{1, 3, 0}));
  EXPECT_EQ(planned.of("square", Request::cut), (RequestCount{2, 6, 2 * 8}));
  EXPECT_EQ(planned.of("square", Request::materialize), (RequestCount{1, 3, 24}));
  EXPECT_EQ(planned.of("square", Request::zero), (RequestCount{1, 3, 24}));
  EXPECT_EQ(planned.of("no such phase", Request::zero), RequestCount{});
  EXPECT_EQ(planned.requests.total(Request::product), (RequestCount{3, 27, 0}));

  std::uint64_t dealt = planned.ledger.total().rounds * FrameHeader::size;
  for (std::size_t kind = 0; kind < request_kinds; ++kind) {
    dealt += planned.requests.total(static_cast<Request>(kind)).dealt;
  }
  const auto run = simulate(Topology(2), two_phases);
  EXPECT_EQ(dealt + FrameHeader::size, run.dealt);
}

TEST(NoPreprocessingTest, RefusesEveryRequest) {
  NoPreprocessing none;
  Words words;
  EXPECT_THROW((void)none.mask(1, 64), std::logic_error);
  EXPECT_THROW((void)none.zero(1, 64, Group::sum), std::logic_error);
  EXPECT_THROW(none.materialize(words, 1), std::logic_error);
  EXPECT_THROW((void)none.samples(1, 2, Exploration{}), std::logic_error);
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
  EXPECT_THROW(DealtAtDealer(ledger, none, Seed::insecure_from_number(1)), std::invalid_argument);
}

}  // namespace
}  // namespace sotto::protocols::testing
