#include "protocols/preprocessing/recorded/choices.h"
#include "protocols/preprocessing/recorded/circuits.h"
#include "sotto/protocol/arithmetic/mask_trunc.h"
#include "sotto/protocol/arithmetic/product.h"
#include "sotto/protocol/compare/argmax.h"
#include "sotto/protocol/compare/choose.h"
#include "sotto/protocol/io/mask.h"
#include "sotto/protocol/lookup/table_lookup.h"
#include "tests/protocols/preprocessing/replicated/support.h"
#include "tests/protocols/preprocessing/without_dealer.h"

namespace sotto::protocols::testing {
namespace {

// Steps of a bandit: scores, an arm, and the gain that the arm's reward adds to its weights.

constexpr std::size_t arms = 3;
constexpr std::size_t context_size = 4;

Task<Numbers> steps(Party& party, Numbers contexts, Exploration exploration) {
  const Numbers first_weights(arms * context_size, 1);
  Masked w = co_await masked(party, Shape{arms, context_size}, 20, first_weights);
  Numbers taken;
  for (std::size_t at = 0; at < contexts.size(); at += context_size) {
    const auto begin = contexts.begin() + static_cast<std::ptrdiff_t>(at);
    const Numbers words(begin, begin + static_cast<std::ptrdiff_t>(context_size));
    const Masked x = co_await masked(party, Shape{1, context_size}, 20, words);
    const Masked scores = co_await mask(party, row_dot(party, w, x), "scores");
    const ArgmaxOptions options{20, 30, exploration};
    Arith one_hot = co_await argmax(party, scores.reshaped(Shape{1, arms}), options);
    const Masked o = co_await mask(party, std::move(one_hot), "arm");
    Numbers rows;
    for (std::size_t a = 0; a < arms; ++a) rows.insert(rows.end(), words.begin(), words.end());
    const Masked xs = co_await masked(party, Shape{arms, context_size}, 20, rows);
    Arith gain = row_scale(party, o.reshaped(Shape{arms, 1}), xs);
    const Masked quarter = co_await mask_trunc(party, std::move(gain), 2, "gain");
    w = co_await mask(party, w.shares(party) + quarter.times(1, 2).shares(party), "weights");
    const Numbers arm = co_await opened(party, o.shares(party));
    taken.insert(taken.end(), arm.begin(), arm.end());
  }
  const Numbers weights = co_await opened(party, w.shares(party));
  taken.insert(taken.end(), weights.begin(), weights.end());
  co_return taken;
}

TEST_P(OnPairKeys, PlaysStepsOfABandit) {
  constexpr std::size_t played = 8;
  const Numbers contexts = random_fixed(played * context_size, 1, 20, 11);
  CostWithoutDealer one;
  CostWithoutDealer cost;
  const Exploration exploration{std::uint64_t{1} << 62, false};
  const Numbers first(contexts.begin(), contexts.begin() + context_size);
  (void)run([&](Party& party) { return steps(party, first, exploration); }, &one);
  const Numbers result = run([&](Party& party) { return steps(party, contexts, exploration); }, &cost);
  EXPECT_EQ(cost.preprocessing.rounds, one.preprocessing.rounds);
  ASSERT_EQ(result.size(), played * arms + arms * context_size);
  const Numbers one_hots(result.begin(), result.begin() + played * arms);
  const std::vector<std::size_t> chosen = arms_of(one_hots, arms);
  std::vector<double> weights(arms * context_size, std::ldexp(1.0, -20));
  for (std::size_t step = 0; step < played; ++step) {
    for (std::size_t i = 0; i < context_size; ++i) {
      weights[chosen[step] * context_size + i] += real(contexts[step * context_size + i], 20) / 4;
    }
  }
  for (std::size_t i = 0; i < weights.size(); ++i) {
    EXPECT_NEAR(real(result[played * arms + i], 20), weights[i], played * 4 * std::ldexp(1.0, -20)) << i;
  }
}

Task<Numbers> looked_up_bits(Party& party, Numbers words, unsigned low, unsigned index_bits, unsigned exceeds) {
  const Masked x = co_await masked(party, Shape{1, words.size()}, 0, words);
  const MaskedIndex index = MaskedIndex::bit_range(x, low, index_bits);
  Arith entries = table_lookup(
      party, index, 20, [](std::size_t lane, std::uint64_t value) { return 1024 * value + lane; }, exceeds);
  co_return co_await opened(party, std::move(entries));
}

TEST_P(OnPairKeys, LooksUpBitsOfMaskedValues) {
  for (const unsigned low : {0u, 9u, 58u}) {
    constexpr unsigned index_bits = 6;
    const Numbers words = test_words(64, 90, low);
    const Numbers result = run([&](Party& party) { return looked_up_bits(party, words, low, index_bits, 3); });
    ASSERT_EQ(result.size(), words.size());
    for (std::size_t i = 0; i < words.size(); ++i) {
      EXPECT_EQ(result[i] % 1024, i);
      const std::uint64_t over = (result[i] / 1024 - (words[i] >> low)) & ones(index_bits);
      EXPECT_LE(over, low == 0 ? 0u : 3u) << words[i] << " from bit " << low;
    }
  }
  const auto of_a_dealer = [](Party& party) { return looked_up_bits(party, Numbers(3, 5), 0, 4, 1); };
  EXPECT_THROW(run_in(makers(GetParam()), GetParam(), of_a_dealer), std::invalid_argument);
}

Task<Numbers> chosen(Party& party, Numbers scores, std::size_t arms, AllowedArms allowed, Exploration exploration) {
  const Shape shape{scores.size() / arms, arms};
  const Masked x = co_await masked(party, shape, 0, scores);
  const ArgmaxOptions options{0, 26, exploration};
  Arith one_hots = co_await choose(party, x, std::move(allowed), options);
  co_return co_await opened(party, std::move(one_hots));
}

Task<Numbers> noted(Party& party, Numbers scores, std::size_t arms, AllowedArms allowed, Exploration exploration) {
  const Shape shape{scores.size() / arms, arms};
  const Masked x = co_await masked(party, shape, 0, scores);
  NotedChoice choice = co_await choose_and_note(party, x, std::move(allowed), ArgmaxOptions{0, 26, exploration});
  Numbers results = co_await opened(party, std::move(choice.chosen));
  const Numbers bits = co_await opened(party, std::move(choice.is_best));
  results.insert(results.end(), bits.begin(), bits.end());
  co_return results;
}

TEST_P(OnPairKeys, NotesWhetherTheChosenArmIsTheBest) {
  constexpr std::size_t events = 60;
  constexpr std::size_t arms = 5;
  std::mt19937_64 random(11);
  Numbers scores;
  std::vector<std::size_t> best;
  for (std::size_t event = 0; event < events; ++event) {
    Numbers row{100, 101, 102, 103, 104};
    std::shuffle(row.begin(), row.end(), random);
    best.push_back(static_cast<std::size_t>(std::max_element(row.begin() + 1, row.end()) - row.begin()));
    scores.insert(scores.end(), row.begin(), row.end());
  }
  AllowedArms allowed(scores.size(), 1);
  for (std::size_t event = 0; event < events; ++event) allowed[event * arms] = 0;
  const Exploration half{std::uint64_t{1} << 63, false};
  Numbers chosen = run([&](Party& party) { return noted(party, scores, arms, allowed, half); });
  const Numbers bits(chosen.begin() + events * arms, chosen.end());
  chosen.resize(events * arms);
  const std::vector<std::size_t> taken = arms_of(chosen, arms);
  ASSERT_EQ(bits.size(), events);
  for (std::size_t event = 0; event < events; ++event) EXPECT_EQ(bits[event], taken[event] == best[event] ? 1u : 0u);
  EXPECT_GT(std::count(bits.begin(), bits.end(), 1u), 20);
  EXPECT_GT(std::count(bits.begin(), bits.end(), 0u), 5);
}

TEST_P(OnPairKeys, ChoosesAmongAllowedArms) {
  std::mt19937_64 random(7);
  for (const std::size_t arms : {1u, 2u, 5u, 10u}) {
    constexpr std::size_t events = 40;
    Numbers scores;
    AllowedArms allowed;
    std::vector<std::size_t> expected;
    for (std::size_t event = 0; event < events; ++event) {
      Numbers row(arms);
      std::iota(row.begin(), row.end(), 100);
      std::shuffle(row.begin(), row.end(), random);
      const std::size_t first = allowed.size();
      for (std::size_t arm = 0; arm < arms; ++arm) allowed.push_back(random() % 2 != 0 ? 1 : 0);
      allowed[first + random() % arms] = 1;
      std::size_t best = arms;
      for (std::size_t arm = 0; arm < arms; ++arm) {
        if (allowed[first + arm] != 0 && (best == arms || row[arm] > row[best])) best = arm;
      }
      expected.push_back(best);
      scores.insert(scores.end(), row.begin(), row.end());
    }
    const Numbers best = run([&](Party& party) { return chosen(party, scores, arms, allowed, Exploration{}); });
    EXPECT_EQ(arms_of(best, arms), expected);
    for (const Exploration exploration : {Exploration{0, true}, Exploration{std::uint64_t{1} << 63, false}}) {
      const Numbers any = run([&](Party& party) { return chosen(party, scores, arms, allowed, exploration); });
      const std::vector<std::size_t> taken = arms_of(any, arms);
      for (std::size_t event = 0; event < events; ++event) EXPECT_EQ(allowed[event * arms + taken[event]], 1);
    }
  }
}

// Each case has 900 events and allows 8 standard deviations. Arm 2 of four is not allowed, and arm 1 is the best
// allowed arm.
TEST_P(OnPairKeys, ExploresAllowedArmsUniformlyStatistical) {
  constexpr std::size_t events = 900;
  Numbers scores;
  AllowedArms allowed;
  for (std::size_t event = 0; event < events; ++event) {
    scores.insert(scores.end(), {1, 50, 90, 1});
    allowed.insert(allowed.end(), {1, 1, 0, 1});
  }
  const auto counted = [&](Exploration exploration) {
    const Numbers result = run([&](Party& party) { return chosen(party, scores, 4, allowed, exploration); });
    std::array<double, 4> counts{};
    for (const std::size_t arm : arms_of(result, 4)) ++counts[arm];
    return counts;
  };
  const auto always = counted(Exploration{0, true});
  for (const std::size_t arm : {0u, 1u, 3u}) EXPECT_NEAR(always[arm], 300, 114);
  EXPECT_EQ(always[2], 0);
  const auto half = counted(Exploration{std::uint64_t{1} << 63, false});
  EXPECT_NEAR(half[1], 600, 114);
  for (const std::size_t arm : {0u, 3u}) EXPECT_NEAR(half[arm], 150, 90);
  EXPECT_EQ(counted(Exploration{})[1], events);
}

TEST_P(OnPairKeys, RefusesWhatNeedsOne) {
  const Numbers scores(65, 1);
  const ArgmaxOptions options{0, 26, {}};
  EXPECT_THROW(
      run_in(makers(GetParam()), GetParam(), [&](Party& party) { return best_of_rows(party, scores, 65, options); }),
      std::invalid_argument);
}

auto drawn_coins(std::size_t events, std::uint64_t threshold) {
  return run_keyed([=](Party& party, PairKeys& keys) { return coins(party, keys, events, threshold); });
}

std::uint64_t ones_among(const Numbers& bits) { return std::accumulate(bits.begin(), bits.end(), std::uint64_t{0}); }

TEST(Choices, CoinsAreBelowTheirThreshold) {
  constexpr std::uint64_t half = std::uint64_t{1} << 63;
  for (const std::uint64_t threshold : {std::uint64_t{0}, half, half >> 1, ~std::uint64_t{0}}) {
    const auto run = drawn_coins(200, threshold);
    const std::uint64_t heads = ones_among(bits_of([&](NodeId i) -> const BitPieces& { return run.nodes[i]; }));
    // The number of heads is 200 times the share, within 8 standard deviations. For shares near 0 and 1 the number is
    // exact, except with probability 200 / 2^64.
    const double share = std::ldexp(static_cast<double>(threshold), -64);
    EXPECT_NEAR(static_cast<double>(heads), 200 * share, 8 * std::sqrt(200 * share * (1 - share)));
    const unsigned ands = below_ands(threshold, 64);
    EXPECT_EQ(run.rounds, ands);
    EXPECT_EQ(run.sent[0], ands * 8 * 4);
  }
}

TEST(Choices, ArmsAreOneOfThem) {
  for (const std::size_t arms : {1u, 2u, 3u, 10u, 16u, 33u}) {
    const auto run = run_keyed([=](Party& party, PairKeys& keys) { return uniform_arms(party, keys, 150, arms); });
    ASSERT_EQ(run.nodes[0].size(), arms);
    std::set<std::uint64_t> seen;
    for (const std::uint64_t hot : number_of(run.nodes)) {
      EXPECT_EQ(std::popcount(hot), 1);
      seen.insert(hot);
    }
    if (arms <= 3) {
      EXPECT_EQ(seen.size(), arms);
    }
  }
}

// Each of n random candidates is a valid arm with probability `share`. Returns the probability that fewer than `events`
// of the candidates are valid.
double shortage(std::size_t events, double n, double share) {
  double sum = 0;
  for (double k = 0; k < static_cast<double>(events); ++k) {
    sum += std::exp(std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1) + k * std::log(share) +
                    (n - k) * std::log(1 - share));
  }
  return sum;
}

TEST(Choices, CandidatesSuffice) {
  EXPECT_EQ(arm_candidates(150, 16), 150u);
  for (const std::size_t events : {1u, 64u, 1000u, 10000u}) {
    for (const std::size_t arms : {1u, 3u, 5u, 10u, 33u}) {
      const std::size_t bits = arms == 1 ? 1 : static_cast<std::size_t>(std::bit_width(arms - 1));
      const double share = static_cast<double>(arms) / static_cast<double>(std::size_t{1} << bits);
      const auto n = static_cast<double>(arm_candidates(events, arms));
      EXPECT_LT(shortage(events, n, share), 0x1p-64) << events << " events, " << arms << " arms";
      EXPECT_LT(n * share - static_cast<double>(events), 12 * std::sqrt(n) + 200);
    }
  }
}

TEST(Choices, TieOrdersArePermutations) {
  for (const std::size_t arms : {1u, 2u, 5u}) {
    constexpr std::size_t events = 130;
    const auto run = run_keyed([=](Party& party, PairKeys& keys) { return tie_orders(party, keys, events, arms); });
    const std::size_t pairs = arms * (arms - 1) / 2;
    ASSERT_EQ(run.nodes[0].size(), pairs);
    const Numbers before = pairs == 0 ? Numbers(events, 0) : number_of(run.nodes);
    std::set<std::vector<std::size_t>> orders;
    for (std::size_t event = 0; event < events; ++event) {
      std::vector<std::size_t> smaller(arms, 0);
      std::size_t pair = 0;
      for (std::size_t i = 0; i < arms; ++i) {
        for (std::size_t j = i + 1; j < arms; ++j, ++pair) ++smaller[(before[event] >> pair & 1) != 0 ? j : i];
      }
      std::vector<std::size_t> sorted = smaller;
      std::sort(sorted.begin(), sorted.end());
      for (std::size_t i = 0; i < arms; ++i) EXPECT_EQ(sorted[i], i);
      orders.insert(smaller);
    }
    EXPECT_GE(orders.size(), arms == 5 ? 40u : arms);
    EXPECT_EQ(run.rounds, pairs == 0 ? 0u : 20u);
    EXPECT_EQ(run.sent[1], 20 * pairs * 8 * plane_words(events));
  }
}

TEST(Choices, AreOfAtLeastOneArm) {
  const auto arms = [](Party& party, PairKeys& keys) { return uniform_arms(party, keys, 1, 0); };
  const auto ties = [](Party& party, PairKeys& keys) { return tie_orders(party, keys, 1, 0); };
  EXPECT_THROW((void)simulate(three(), [&](Party& party) { return with_keys(party, arms); }), std::invalid_argument);
  EXPECT_THROW((void)simulate(three(), [&](Party& party) { return with_keys(party, ties); }), std::invalid_argument);
}

TEST(Statistical, MillionReplicatedCoinsKeepTheirThreshold) {
  constexpr std::size_t events = 1'000'000;
  for (const double share : {0.1, 0.5}) {
    const auto run = drawn_coins(events, static_cast<std::uint64_t>(std::ldexp(share, 64)));
    const auto heads =
        static_cast<double>(ones_among(bits_of([&](NodeId i) -> const BitPieces& { return run.nodes[i]; })));
    EXPECT_LT(chi_square({heads, events - heads}, {share, 1 - share}), limit_1) << heads;
  }
}

TEST(Statistical, MillionReplicatedArmsAreUniform) {
  constexpr std::size_t arms = 10;
  const auto run = run_keyed([](Party& party, PairKeys& keys) { return uniform_arms(party, keys, 1'000'000, arms); });
  std::vector<double> counts(arms, 0);
  for (std::size_t arm = 0; arm < arms; ++arm) {
    counts[arm] =
        static_cast<double>(ones_among(bits_of([&](NodeId i) -> const BitPieces& { return run.nodes[i][arm]; })));
  }
  EXPECT_EQ(std::accumulate(counts.begin(), counts.end(), 0.0), 1e6);
  EXPECT_LT(chi_square(counts, std::vector<double>(arms, 0.1)), limit_9);
}

TEST(Statistical, ReplicatedTiesHaveAUniformFirst) {
  constexpr std::size_t arms = 5;
  constexpr std::size_t events = 100'000;
  const auto run = run_keyed([](Party& party, PairKeys& keys) { return tie_orders(party, keys, events, arms); });
  std::vector<double> counts(arms, 0);
  for (const std::uint64_t before : number_of(run.nodes)) {
    std::array<std::size_t, arms> smaller{};
    std::size_t pair = 0;
    for (std::size_t i = 0; i < arms; ++i) {
      for (std::size_t j = i + 1; j < arms; ++j, ++pair) ++smaller[(before >> pair & 1) != 0 ? j : i];
    }
    ++counts[static_cast<std::size_t>(std::find(smaller.begin(), smaller.end(), 0u) - smaller.begin())];
  }
  EXPECT_LT(chi_square(counts, std::vector<double>(arms, 0.2)), limit_4);
}

}  // namespace
}  // namespace sotto::protocols::testing
