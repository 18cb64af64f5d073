// Choices of nobody: forms, edges and declared cost; frequencies of a million by chi-square.
#include "protocols/preprocessing/recorded/choices.h"

#include "protocols/preprocessing/recorded/circuits.h"
#include "tests/protocols/preprocessing/chi_square.h"
#include "tests/protocols/preprocessing/replicated/support.h"

namespace sotto::protocols::testing {
namespace {

auto drawn_coins(std::size_t events, std::uint64_t threshold) {
  return run_keyed([=](Party& party, PairKeys& keys) { return coins(party, keys, events, threshold); });
}

std::uint64_t ones_among(const Numbers& bits) { return std::accumulate(bits.begin(), bits.end(), std::uint64_t{0}); }

TEST(Choices, CoinsAreBelowTheirThreshold) {
  constexpr std::uint64_t half = std::uint64_t{1} << 63;
  for (const std::uint64_t threshold : {std::uint64_t{0}, half, half >> 1, ~std::uint64_t{0}}) {
    const auto run = drawn_coins(200, threshold);
    const std::uint64_t heads = ones_among(bits_of([&](NodeId i) -> const BitPieces& { return run.nodes[i]; }));
    // 200 times its share, by less than 8 standard deviations; at the ends exactly, but for 200 in 2^64.
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

// The probability that fewer than `events` of n candidates are arms, term by term.
double shortage(std::size_t events, double n, double share) {
  double sum = 0;
  for (double k = 0; k < static_cast<double>(events); ++k) {
    sum += std::exp(std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1) + k * std::log(share) +
                    (n - k) * std::log(1 - share));
  }
  return sum;
}

TEST(Choices, CandidatesSuffice) {
  EXPECT_EQ(arm_candidates(150, 16), 150u);  // none is refused
  for (const std::size_t events : {1u, 64u, 1000u, 10000u}) {
    for (const std::size_t arms : {1u, 3u, 5u, 10u, 33u}) {
      const std::size_t bits = arms == 1 ? 1 : static_cast<std::size_t>(std::bit_width(arms - 1));
      const double share = static_cast<double>(arms) / static_cast<double>(std::size_t{1} << bits);
      const auto n = static_cast<double>(arm_candidates(events, arms));
      EXPECT_LT(shortage(events, n, share), 0x1p-64) << events << " events, " << arms << " arms";
      EXPECT_LT(n * share - static_cast<double>(events), 12 * std::sqrt(n) + 200);  // and are not many more
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
      std::vector<std::size_t> smaller(arms, 0);  // arms whose key is smaller
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
