#include "core/party/no_preprocessing.h"
#include "protocols/preprocessing/recorded/bit_planes.h"
#include "protocols/preprocessing/recorded/choices.h"
#include "protocols/preprocessing/replicated/run_replicated.h"
#include "sotto/protocol/arithmetic/batch_maps.h"
#include "sotto/protocol/arithmetic/product.h"
#include "sotto/protocol/arithmetic/selection.h"
#include "sotto/protocol/compare/choose.h"
#include "sotto/protocol/io/mask.h"
#include "tests/protocols/preprocessing/without_dealer.h"

namespace sotto::protocols::testing {
namespace {

template <class Body>
auto with_triples(Party& party, Body body)
    -> Task<decltype(body(std::declval<Party&>(), std::declval<PieceProtocols&>()).take())> {
  TransferPieces pieces = co_await agree_on_transfer_pieces(party, Seed::from_os(), "test");
  const DryRun dry_run = [&](PieceProtocols& sizes) {
    NoPreprocessing none;
    Rounds rounds(party.topology(), std::nullopt);
    Party alone(rounds, none);
    auto task = body(alone, sizes);
    task.start_on(rounds);
    while (rounds.gather()) rounds.scatter();
  };
  co_await pieces.make_ready(party, dry_run);
  co_return co_await body(party, pieces);
}

// A million events are run in parts, because the triples of all events at once would fill the memory.
constexpr std::size_t parts = 8;
constexpr std::size_t part = 125'000;

template <class Body, class Each>
void in_parts(Body body, Each each) {
  for (std::size_t i = 0; i < parts; ++i) {
    each(simulate(two(), [&](Party& party) { return with_triples(party, body); }).nodes);
  }
}

Words plane_of(const BitPieces& of_0, const BitPieces& of_1) {
  Words words = of_0.own;
  for (std::size_t i = 0; i < words.size(); ++i) words[i] ^= of_1.own[i];
  return numbers_of(words, of_0.lanes, 1);
}

double set_among(const BitPieces& of_0, const BitPieces& of_1) {
  const Words bits = plane_of(of_0, of_1);
  return static_cast<double>(std::accumulate(bits.begin(), bits.end(), std::uint64_t{0}));
}

TEST(Statistical, MillionCoinsByTransfersKeepTheirThreshold) {
  for (const double share : {0.1, 0.5}) {
    const auto threshold = static_cast<std::uint64_t>(std::ldexp(share, 64));
    double heads = 0;
    in_parts([=](Party& party, PieceProtocols& pieces) { return coins(party, pieces, part, threshold); },
             [&](const auto& nodes) { heads += set_among(nodes[0], nodes[1]); });
    EXPECT_LT(chi_square({heads, parts * part - heads}, {share, 1 - share}), limit_1) << heads;
  }
}

TEST(Statistical, MillionArmsByTransfersAreUniform) {
  constexpr std::size_t arms = 10;
  std::vector<double> counts(arms, 0);
  in_parts([](Party& party, PieceProtocols& pieces) { return uniform_arms(party, pieces, part, arms); },
           [&](const auto& nodes) {
             for (std::size_t arm = 0; arm < arms; ++arm) counts[arm] += set_among(nodes[0][arm], nodes[1][arm]);
           });
  EXPECT_EQ(std::accumulate(counts.begin(), counts.end(), 0.0), 1e6);
  EXPECT_LT(chi_square(counts, std::vector<double>(arms, 0.1)), limit_9);
}

TEST(Statistical, TiesByTransfersHaveAUniformFirst) {
  constexpr std::size_t arms = 5;
  constexpr std::size_t events = 40'000;
  const auto orders = [](Party& party, PieceProtocols& pieces) { return tie_orders(party, pieces, events, arms); };
  const auto nodes = simulate(two(), [&](Party& party) { return with_triples(party, orders); }).nodes;
  std::vector<std::array<std::size_t, arms>> smaller(events);
  std::size_t pair = 0;
  for (std::size_t i = 0; i < arms; ++i) {
    for (std::size_t j = i + 1; j < arms; ++j, ++pair) {
      const Words before = plane_of(nodes[0][pair], nodes[1][pair]);
      for (std::size_t event = 0; event < events; ++event) ++smaller[event][before[event] != 0 ? j : i];
    }
  }
  std::vector<double> counts(arms, 0);
  for (const auto& order : smaller) {
    ++counts[static_cast<std::size_t>(std::find(order.begin(), order.end(), 0u) - order.begin())];
  }
  EXPECT_LT(chi_square(counts, std::vector<double>(arms, 0.2)), limit_4);
}

Task<Numbers> allowed_choices(Party& party, Numbers scores, AllowedArms set, Exploration exploration) {
  const Shape shape{scores.size() / set.size(), set.size()};
  AllowedArms allowed;
  for (std::size_t e = 0; e < shape.rows; ++e) allowed.insert(allowed.end(), set.begin(), set.end());
  const auto choice = [&](Masked s) {
    return choose(party, std::move(s), std::move(allowed), ArgmaxOptions{20, 29, exploration});
  };
  co_return co_await result_on_masked(party, shape, 40, std::move(scores), choice);
}

std::vector<double> taken_among(const AllowedArms& set, const Numbers& scores, Exploration exploration) {
  const std::size_t arms = set.size();
  const Numbers one_hots = run_without_dealer(
      RandomnessBy::ot, [&](Party& party) { return allowed_choices(party, scores, set, exploration); });
  EXPECT_EQ(one_hots.size(), scores.size());
  std::vector<double> counts(arms, 0);
  for (std::size_t at = 0; at < one_hots.size(); at += arms) {
    const auto row = std::span(one_hots).subspan(at, arms);
    EXPECT_EQ(std::accumulate(row.begin(), row.end(), std::uint64_t{0}), 1u);
    const auto arm = static_cast<std::size_t>(std::find(row.begin(), row.end(), 1u) - row.begin());
    if (arm < arms) ++counts[arm];
  }
  for (std::size_t arm = 0; arm < arms; ++arm) {
    if (set[arm] == 0) {
      EXPECT_EQ(counts[arm], 0) << "arm " << arm << " is barred";
    }
  }
  return counts;
}

// In every event arm 0, which may be barred, is far ahead of `second`, and `second` is ahead of all others.
Numbers two_ahead(std::size_t events, std::size_t arms, std::size_t second) {
  Numbers scores(events * arms, 0);
  for (std::size_t at = 0; at < scores.size(); at += arms) {
    scores[at] = std::uint64_t{9} << 40;
    scores[at + second] = std::uint64_t{3} << 40;
  }
  return scores;
}

TEST(TwoPartiesChoose, TheBestAllowedArm) {
  EXPECT_EQ(taken_among({0, 1, 1, 0, 1}, two_ahead(40, 5, 2), {})[2], 40);
  EXPECT_EQ(taken_among({1, 0, 1, 1, 1}, two_ahead(40, 5, 2), {})[0], 40);
  EXPECT_EQ(taken_among({0, 0, 0, 1}, two_ahead(40, 4, 2), {})[3], 40);
}

// Counts 600 events, and allows 8 standard deviations.
TEST(TwoPartiesChoose, UniformlyAmongAllowedArmsStatistical) {
  const AllowedArms three_of_five{0, 1, 1, 0, 1};
  const std::vector<double> tied = taken_among(three_of_five, Numbers(600 * 5, 0), {});
  const std::vector<double> explored = taken_among(three_of_five, two_ahead(600, 5, 2), Exploration{0, true});
  for (const std::size_t arm : {1u, 2u, 4u}) {
    EXPECT_NEAR(tied[arm], 200, 8 * 11.6);
    EXPECT_NEAR(explored[arm], 200, 8 * 11.6);
  }
  const std::vector<double> half =
      taken_among(three_of_five, two_ahead(600, 5, 2), Exploration{std::uint64_t{1} << 63, false});
  EXPECT_NEAR(half[2], 400, 8 * 11.6);
  EXPECT_NEAR(half[1], 100, 8 * 9.2);
}

struct Selected {
  std::size_t rows, events, columns;
  Numbers bits;  // the bits row by row; only the lowest bit of each word is used
  Numbers y;
};

Selected some_selection(std::size_t rows, std::size_t events, std::size_t columns) {
  std::mt19937_64 random(rows + 100 * events);
  Selected s{rows, events, columns, {}, {}};
  for (std::size_t i = 0; i < rows * events; ++i) s.bits.push_back(random());
  for (std::size_t i = 0; i < events * columns; ++i) s.y.push_back(random());
  return s;
}

Numbers expected_sums(const Selected& s) {
  Numbers sums(s.rows * s.columns, 0);
  for (std::size_t r = 0; r < s.rows; ++r) {
    for (std::size_t e = 0; e < s.events; ++e) {
      if ((s.bits[r * s.events + e] & 1) == 0) continue;
      for (std::size_t c = 0; c < s.columns; ++c) sums[r * s.columns + c] += s.y[e * s.columns + c];
    }
  }
  return sums;
}

// Before the selection, y is masked again, so no role chooses the mask of y.
Task<Numbers> selected(Party& party, NodeId owner, Selected s) {
  const Input bits = input_of(party, owner, Shape{s.rows, s.events}, 0, s.bits);
  const Masked input = co_await masked(party, Shape{s.events, s.columns}, 0, s.y);
  auto [b, y] = co_await when_all(share_bits(party, owner, bits, "bits"), mask(party, input.shares(party), "y"));
  co_return co_await opened(party, select(party, MatMul(b.shape, y.shape()), b, y));
}

// Selects by bits that no role knows: the lowest bits of words in shares.
Task<Numbers> selected_by_shares(Party& party, Selected s) {
  const Masked words = co_await masked(party, Shape{s.rows, s.events}, 0, s.bits);
  const Masked input = co_await masked(party, Shape{s.events, s.columns}, 0, s.y);
  const Arith shares = words.shares(party);
  auto [b, y] = co_await when_all(mask_bits(party, shares, "bits"), mask(party, input.shares(party), "y"));
  co_return co_await opened(party, select(party, MatMul(b.shape, y.shape()), b, y));
}

TEST(Selection, IsThatOfBitsInShares) {
  for (const auto& [rows, events, columns] : {std::tuple{1, 1, 1}, {3, 5, 70}, {10, 33, 20}}) {
    const Selected s = some_selection(rows, events, columns);
    EXPECT_EQ(run_without_dealer(RandomnessBy::ot, [&](Party& party) { return selected_by_shares(party, s); }),
              expected_sums(s));
  }
}

TEST(Selection, IsThatOfThePlainBits) {
  for (const auto& [rows, events, columns] : {std::tuple{1, 1, 1}, {3, 5, 70}, {10, 33, 20}}) {
    const Selected s = some_selection(rows, events, columns);
    EXPECT_EQ(run_without_dealer(RandomnessBy::ot, [&](Party& party) { return selected(party, 1, s); }),
              expected_sums(s));
    const Topology outside = Topology::without_dealer(2, true);
    const auto whole = [&](Party& party) {
      return run_transfers(party, Seed::from_os(), "test", [&](Party& at) { return selected(at, 2, s); });
    };
    const auto run = simulate(outside, whole);
    EXPECT_EQ(plan(outside, whole).total().sent, run.sent);
    EXPECT_EQ(run.nodes[0], expected_sums(s));
    EXPECT_EQ(run.nodes[1], expected_sums(s));
  }
}

class SelectionOf : public ForParties {};
SOTTO_FOR_PARTIES(SelectionOf);

TEST_P(SelectionOf, PartiesWithADealerIsTheSame) {
  const Selected s = some_selection(4, 9, 6);
  EXPECT_EQ(run_and_agree(GetParam(), 3, [&](Party& party) { return selected(party, 1, s); }), expected_sums(s));
  EXPECT_EQ(run_and_agree(GetParam(), 4, [&](Party& party) { return selected_by_shares(party, s); }), expected_sums(s));
}

// A selection by a bit needs one transfer for each 64 columns. With k = 4 (core/transfer/extension.h), a transfer takes
// 4 bytes in one direction and 8 bytes per column in the other. Turning a bit into a number needs one more transfer of
// 4 bytes, and 63 bits in return. The test allows 8 more bytes an event for all other messages.
TEST(Selection, CostsEightBytesAWord) {
  const auto sent = [](std::size_t events) {
    CostWithoutDealer cost{};
    const Selected s = some_selection(10, events, 210);
    (void)run_without_dealer(
        RandomnessBy::ot, [&](Party& party) { return selected(party, 0, s); }, &cost);
    return cost.preprocessing.sent[0] + cost.preprocessing.sent[1];
  };
  const double an_event = static_cast<double>(sent(24) - sent(8)) / 16;
  EXPECT_NEAR(an_event, 2 * 10 * (4 * 4 + 210 * 8) + 10 * (4 + 8), 8);
}

TEST(Selection, RefusesWhatDoesNotFit) {
  const Selected s = some_selection(2, 3, 4);
  Selected more = s;
  more.bits.push_back(1);
  expect_refused([&](Party& party) { return selected(party, 1, more); });
  const auto program = [&](Party& party) -> Task<Numbers> {
    const Input bits = input_of(party, 0, Shape{2, 3}, 0, s.bits);
    const MaskedBits b = co_await share_bits(party, 0, bits, "bits");
    const Masked y = co_await masked(party, Shape{4, 3}, 0, s.y);
    co_return co_await opened(party, select(party, MatMul(Shape{2, 4}, y.shape()), b, y));
  };
  expect_refused(program);
  expect_refused([&](Party& party) -> Task<Numbers> {
    const Masked words = co_await masked(party, Shape{2, 3}, 0, s.bits);
    const MaskedBits bits = co_await mask_bits(party, words.shares(party).in_ring(8), "bits");
    co_return Numbers(bits.words.begin(), bits.words.end());
  });
  const auto of_three = [&](Party& party) {
    return run_replicated(party, Seed::from_os(), "test", [&](Party& at) { return selected(at, 1, s); });
  };
  EXPECT_THROW((void)simulate(Topology::without_dealer(3, false), of_three), std::invalid_argument);
}

}  // namespace
}  // namespace sotto::protocols::testing
