#include "sotto/apps/kit/learn/step_stream.h"

#include <gtest/gtest.h>

#include <set>

#include "sotto/core/random/prg.h"
#include "sotto/core/random/seed.h"

namespace sotto::apps {
namespace {

TEST(StepStream, IsTheStreamOfAKeyOfSeedAndStep) {
  constexpr std::uint64_t seed = 0x0807060504030201;
  constexpr std::uint64_t step = 0x100f0e0d0c0b0a09;
  std::array<std::byte, 16> key;
  for (std::size_t i = 0; i < key.size(); ++i) key[i] = static_cast<std::byte>(i + 1);
  Prg expected(Seed::from_bytes(key));
  StepStream stream(seed, step);
  for (int i = 0; i < 200; ++i) ASSERT_EQ(stream.next(), expected.next());
}

TEST(StepStream, OtherSeedsAndStepsGiveOtherWords) {
  std::set<std::uint64_t> words;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    for (std::uint64_t step = 0; step < 20; ++step) words.insert(StepStream(seed, step).next());
  }
  EXPECT_EQ(words.size(), 400u);
}

TEST(StepStream, BelowIsUniformStatistical) {
  StepStream stream(1, 2);
  constexpr std::uint64_t n = 7;
  constexpr double draws = 70'000;
  std::array<double, n> counts{};
  for (int i = 0; i < static_cast<int>(draws); ++i) counts.at(stream.below(n)) += 1;
  double chi = 0;
  for (const double count : counts) chi += (count - draws / n) * (count - draws / n) / (draws / n);
  EXPECT_LT(chi, 30);  // 6 degrees of freedom: 4e-5
  EXPECT_EQ(stream.below(1), 0u);
  EXPECT_THROW((void)stream.below(0), std::invalid_argument);
}

}  // namespace
}  // namespace sotto::apps
