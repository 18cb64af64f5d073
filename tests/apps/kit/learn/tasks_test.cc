#include "sotto/apps/kit/learn/tasks.h"

#include <gtest/gtest.h>

#include <vector>

#include "sotto/core/error/errors.h"

namespace sotto::apps {
namespace {

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
