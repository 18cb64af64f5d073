#include "sotto/apps/p2b/shuffle.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "sotto/apps/kit/data/seeded.h"
#include "sotto/apps/kit/dp/coins.h"
#include "sotto/core/error/errors.h"

namespace sotto::apps {
namespace {

bool before(const Tuple& a, const Tuple& b) {
  return std::tie(a.code, a.arm, a.reward) < std::tie(b.code, b.arm, b.reward);
}

std::vector<Tuple> sorted(std::vector<Tuple> tuples) {
  std::sort(tuples.begin(), tuples.end(), before);
  return tuples;
}

RC_GTEST_PROP(P2bShuffle, KeepsExactlyTheTuplesOfFrequentCodes, ()) {
  SeededDraws draws(*rc::gen::arbitrary<std::uint64_t>());
  const auto size = *rc::gen::inRange<std::size_t>(0, 300);
  const auto threshold = *rc::gen::inRange<std::size_t>(1, 20);
  const bool far = *rc::gen::arbitrary<bool>();  // codes that are too large for an array
  std::vector<Tuple> batch;
  std::map<std::uint32_t, std::size_t> counts;
  for (std::size_t i = 0; i < size; ++i) {
    const auto code = static_cast<std::uint32_t>(draws.below(25)) * (far ? 170'000'000U : 1U);
    batch.push_back({code, static_cast<std::uint32_t>(draws.below(3)), draws.unit()});
    ++counts[code];
  }
  std::vector<Tuple> expected;
  for (const Tuple& tuple : batch) {
    if (counts[tuple.code] >= threshold) expected.push_back(tuple);
  }
  std::size_t rare = 0;
  for (const auto& [code, count] : counts) rare += count < threshold ? 1 : 0;

  const ShuffleResult result = shuffle(std::span<const Tuple>(batch), threshold, draws);
  RC_ASSERT(sorted(result.survivors) == sorted(expected));
  RC_ASSERT(result.received == size);
  RC_ASSERT(result.kept == expected.size());
  RC_ASSERT(result.dropped == size - expected.size());
  RC_ASSERT(result.codes_dropped == rare);
}

TEST(P2bShuffle, RefusesAThresholdOfZero) {
  Coins coins = Coins::insecure(1);
  EXPECT_THROW((void)shuffle(std::span<const Tuple>(), 0, coins), InputError);
}

TEST(P2bShuffle, PutsThemInEveryOrderAlikeStatistical) {
  std::vector<Tuple> batch;
  for (std::uint32_t arm = 0; arm < 4; ++arm) batch.push_back({7, arm, 0});
  Coins coins = Coins::insecure(2);
  std::map<std::vector<std::uint32_t>, double> seen;
  constexpr int samples = 48'000;
  for (int i = 0; i < samples; ++i) {
    std::vector<std::uint32_t> order;
    for (const Tuple& tuple : shuffle(std::span<const Tuple>(batch), 4, coins).survivors) {
      order.push_back(tuple.arm);
    }
    seen[order] += 1;
  }
  ASSERT_EQ(seen.size(), 24U);
  double chi = 0;
  for (const auto& [order, n] : seen)
    chi += (n - samples / 24.0) * (n - samples / 24.0) / (samples / 24.0);
  EXPECT_LT(chi, 23 + 6 * std::sqrt(2 * 23.0));
}

}  // namespace
}  // namespace sotto::apps
