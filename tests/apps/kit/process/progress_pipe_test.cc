#include "sotto/apps/kit/process/progress_pipe.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <string>

namespace sotto::apps {
namespace {

void write(const ProgressPipe& pipe, const std::string& text) {
  ASSERT_EQ(::write(pipe.writing_end(), text.data(), text.size()),
            static_cast<ssize_t>(text.size()));
}

TEST(ProgressPipe, GivesTheLastWholeLine) {
  ProgressPipe pipe;
  EXPECT_FALSE(pipe.take(100).has_value());
  write(pipe, "1 0.5 7\n2 0.75 14\n3 0.2");
  const auto state = pipe.take(100);
  ASSERT_TRUE(state.has_value());
  EXPECT_EQ(state->step, 2u);
  EXPECT_EQ(state->total_steps, 100u);
  EXPECT_EQ(state->average_reward, 0.75);
  EXPECT_EQ(state->rounds, 14u);
  EXPECT_FALSE(pipe.take(100).has_value());
  write(pipe, "5 21\n");
  EXPECT_EQ(pipe.take(100)->average_reward, 0.25);
}

TEST(ProgressPipe, LeavesOutWhatIsNoLineOfProgress) {
  ProgressPipe pipe;
  for (const char* line : {"\n", "1\n", "one 0.5 7\n", "-1 0.5 7\n", " \n"}) {
    write(pipe, line);
    EXPECT_FALSE(pipe.take(100).has_value()) << line;
  }
}

TEST(ProgressPipe, HasNothingToWaitForOnceNobodyWrites) {
  ProgressPipe pipe;
  ProgressWriter writer(pipe.writing_end());
  writer.tell(1, 0.5, 7);
  EXPECT_GE(pipe.wake(), 0);
  pipe.close_writing_end();
  EXPECT_EQ(pipe.take(100)->step, 1u);
  EXPECT_EQ(pipe.wake(), -1);
  EXPECT_FALSE(pipe.take(100).has_value());
  ProgressWriter(std::nullopt).tell(1, 0.5, 7);
}

}  // namespace
}  // namespace sotto::apps
