#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <stdexcept>
#include <vector>

#include "sotto/apps/kit/learn/mean.h"
#include "sotto/apps/kit/learn/step_stream.h"
#include "sotto/apps/kit/learn/tasks.h"
#include "sotto/core/error/errors.h"
#include "sotto/core/random/prg.h"
#include "sotto/core/random/seed.h"

namespace sotto::apps {
namespace {

TEST(MeanAndSd, IsOfTheSample) {
  EXPECT_DOUBLE_EQ(mean_and_sd({1, 2, 6}).mean, 3);
  EXPECT_DOUBLE_EQ(mean_and_sd({1, 2, 6}).sd, std::sqrt(7));
  EXPECT_EQ(mean_and_sd({4}).sd, 0);
  EXPECT_THROW((void)mean_and_sd({}), std::invalid_argument);
}

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

const std::atomic<bool> not_interrupted{false};

TEST(Tasks, AllAreDoneOnceOnAnyNumberOfThreads) {
  for (const std::size_t threads : {1U, 2U, 7U}) {
    for (const std::size_t count : {0U, 1U, 5U, 100U}) {
      std::vector<std::atomic<int>> done(count);
      run_tasks(count, threads, not_interrupted, [&](std::size_t i) { ++done[i]; });
      for (const std::atomic<int>& times : done) EXPECT_EQ(times, 1);
    }
  }
  EXPECT_GE(core_count(), 1u);
}

TEST(Tasks, TheFirstFaultIsThrownAndEndsTheRest) {
  std::atomic<int> done{0};
  EXPECT_THROW(run_tasks(1000, 1, not_interrupted,
                         [&](std::size_t i) {
                           if (i == 3) throw InputError("three");
                           ++done;
                         }),
               InputError);
  EXPECT_EQ(done, 3);
  EXPECT_THROW(run_tasks(8, 4, not_interrupted, [](std::size_t) { throw InputError("all"); }),
               InputError);
}

TEST(Tasks, AnInterruptEndsThem) {
  std::atomic<bool> stop{false};
  std::atomic<int> done{0};
  EXPECT_THROW(run_tasks(1000, 1, stop,
                         [&](std::size_t) {
                           if (++done == 5) stop = true;
                         }),
               Interrupted);
  EXPECT_EQ(done, 5);
}

}  // namespace
}  // namespace sotto::apps
