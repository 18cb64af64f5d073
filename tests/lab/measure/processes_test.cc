#include "sotto/bench/lab/measure/processes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <stdexcept>

#include "sotto/bench/lab/measure/loopback.h"
#include "sotto/core/error/errors.h"

namespace sotto::apps {
namespace {

using ::testing::HasSubstr;
using Numbers = std::vector<double>;

const std::atomic<bool> go_on{false};

[[noreturn]] void wait_for_ever() {
  for (;;) ::poll(nullptr, 0, -1);
}

std::string error_of(const std::vector<MeasuringProcess>& processes) {
  try {
    (void)run_processes(processes, go_on);
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

bool has_children() { return ::waitpid(-1, nullptr, WNOHANG) >= 0 || errno != ECHILD; }

TEST(MeasuringProcesses, HandBackTheirNumbers) {
  const Numbers many(100'000, 0.25);  // more than a pipe holds
  const auto numbers = run_processes({{"a",
                                       [] {
                                         return Numbers{1.5, -2};
                                       }},
                                      {"b", [] { return Numbers{}; }},
                                      {"c", [&] { return many; }}},
                                     go_on);
  EXPECT_EQ(numbers, (std::vector<Numbers>{{1.5, -2}, {}, many}));
  EXPECT_FALSE(has_children());
}

TEST(MeasuringProcesses, AreProcesses) {
  const auto id = [] { return Numbers{static_cast<double>(::getpid())}; };
  const auto numbers = run_processes({{"a", id}, {"b", id}}, go_on);
  EXPECT_NE(numbers[0], numbers[1]);
  EXPECT_NE(numbers[0], id());
}

TEST(MeasuringProcesses, EndTogetherWhenOneThrows) {
  EXPECT_EQ(error_of({{"a", [] { return wait_for_ever(), Numbers{}; }},
                      {"b", []() -> Numbers { throw std::runtime_error("no such thing"); }}}),
            "b: no such thing");
  EXPECT_FALSE(has_children());
}

TEST(MeasuringProcesses, EndTogetherWhenOneIsKilled) {
  EXPECT_THAT(error_of({{"a", [] { return wait_for_ever(), Numbers{}; }},
                        {"b", [] { return ::kill(::getpid(), SIGKILL), Numbers{}; }}}),
              HasSubstr("b was killed"));
  EXPECT_FALSE(has_children());
}

TEST(MeasuringProcesses, EndWhenInterrupted) {
  const std::atomic<bool> interrupted{true};
  EXPECT_THROW((void)run_processes({{"a", [] { return wait_for_ever(), Numbers{}; }}}, interrupted),
               Interrupted);
  EXPECT_FALSE(has_children());
}

TEST(Loopback, ConnectsEveryTwo) {
  const LoopbackMesh mesh(4);
  for (std::size_t from = 0; from < 4; ++from) {
    for (std::size_t to = 0; to < 4; ++to) {
      if (from == to) continue;
      const char sent = static_cast<char>(10 * from + to);
      char received = 0;
      ASSERT_EQ(::send(mesh.socket(from, to), &sent, 1, 0), 1);
      ASSERT_EQ(::recv(mesh.socket(to, from), &received, 1, 0), 1);
      EXPECT_EQ(received, sent);
    }
  }
}

}  // namespace
}  // namespace sotto::apps
