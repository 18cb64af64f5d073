#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstddef>
#include <cstdlib>

#include "apps/kit/process/process_group.h"
#include "apps/kit/process/progress.h"
#include "apps/kit/process/service_manager.h"
#include "core/system/descriptor.h"
#include "sotto/protocol/error/errors.h"
#include "tests/apps/kit/files/test_files.h"
#include "tests/apps/support.h"

namespace sotto::apps {
namespace {

struct FakeClock {
  ProgressLine::Clock::time_point now{std::chrono::seconds(1000)};
  ProgressLine::Now read() {
    return [this] { return now; };
  }
};

TEST(ProgressText, HasBarRewardRatesAndTimeLeft) {
  const ProgressState state{28'200, 60'000, .812, 197'400};
  EXPECT_EQ(
      progress_text(state, 1.15, 28'200, 197'400, 110),
      "[===========>            ]   47%  28,200/60,000  reward 0.812  24.5 K steps/s  172 K rounds/s  1.30 s left");
}

TEST(ProgressText, FitsAnyWidthAndGivesUpTheBarFirst) {
  const ProgressState state{28'200, 60'000, .812, 197'400};
  for (std::size_t width = 0; width < 200; ++width) {
    EXPECT_LE(progress_text(state, 1.15, 28'200, 197'400, width).size(), width);
  }
  EXPECT_EQ(progress_text(state, 1.15, 28'200, 197'400, 79),
            " 47%  28,200/60,000  reward 0.812  24.5 K steps/s  172 K rounds/s  1.30 s left");
  EXPECT_EQ(progress_text(state, 1.15, 28'200, 197'400, 70),
            " 47%  reward 0.812  24.5 K steps/s  172 K rounds/s  1.30 s left");
}

TEST(ProgressText, ARoleThatGetsNoRewardsShowsNone) {
  EXPECT_EQ(progress_text({10, 20, {}, 70}, 1, 10, 70, 60), " 50%  10/20  10 steps/s  70 rounds/s  1.00 s left");
}

TEST(ProgressText, SurvivesTheEnds) {
  EXPECT_THAT(progress_text({0, 100, 0, 0}, 0, 0, 0, 80), HasSubstr("  0%"));
  EXPECT_THAT(progress_text({100, 100, 1, 700}, 2, 100, 700, 100), EndsWith("0 s left"));
  EXPECT_THAT(progress_text({5, 0, 1, 700}, 2, 5, 700, 100), HasSubstr("100%"));
}

TEST(ProgressLine, WritesNothingWhereThereIsNoTerminal) {
  std::ostringstream out;
  FakeClock clock;
  {
    ProgressLine line(out, false, 80, clock.read());
    EXPECT_FALSE(line.due());
    line.update({1, 10, 0, 7});
  }
  EXPECT_EQ(out.str(), "");
}

TEST(ProgressLine, DrawsAtMostTenTimesASecondAndClearsItself) {
  std::ostringstream out;
  FakeClock clock;
  {
    ProgressLine line(out, true, 80, clock.read());
    line.update({0, 1000, 0, 0});
    EXPECT_FALSE(line.due());
    for (std::uint64_t step = 1; step <= 1000; ++step) {
      clock.now += std::chrono::milliseconds(1);
      line.update({step, 1000, .5, 7 * step});
    }
  }
  const std::string text = out.str();
  EXPECT_EQ(std::count(text.begin(), text.end(), '\r'), 1 + 10 + 1);
  EXPECT_THAT(text, AllOf(EndsWith("\r\x1b[K"), HasSubstr("1.00 K steps/s"), Not(HasSubstr("\n"))));
}

void write(const ProgressPipe& pipe, const std::string& text) {
  ASSERT_EQ(::write(pipe.writing_end(), text.data(), text.size()), static_cast<ssize_t>(text.size()));
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
  writer.write(1, 0.5, 7);
  EXPECT_GE(pipe.wake(), 0);
  pipe.close_writing_end();
  EXPECT_EQ(pipe.take(100)->step, 1u);
  EXPECT_EQ(pipe.wake(), -1);
  EXPECT_FALSE(pipe.take(100).has_value());
  ProgressWriter(std::nullopt).write(1, 0.5, 7);
}

class Shells {
 public:
  void start(const std::string& name, const std::string& script, const std::vector<int>& descriptors = {}) {
    group_.start(name, {"-c", script}, descriptors);
  }
  void wait(const std::function<void()>& look = [] {}) {
    group_.wait(look, [] { return -1; });
  }
  [[nodiscard]] std::pair<ExitCode, std::string> error() {
    try {
      wait();
    } catch (const Error& error) {
      return {error.exit_code(), error.what()};
    }
    return {ExitCode::done, ""};
  }
  std::atomic<bool> interrupted = false;

 private:
  ProcessGroup group_{"/bin/sh", interrupted};
};

TEST(ProcessGroup, WaitsUntilAllHaveEndedWell) {
  Shells shells;
  Pipe pipe;
  shells.start("one", "true");
  shells.start("two", "echo done >&" + std::to_string(pipe.write.get()), {pipe.write.get()});
  int looks = 0;
  shells.wait([&] { ++looks; });
  EXPECT_GT(looks, 0);
  char text[8] = {};
  EXPECT_EQ(::read(pipe.read.get(), text, sizeof text), 5);
  EXPECT_EQ(std::string(text), "done\n");
}

TEST(ProcessGroup, NamesWhoFailedByItselfAndEndsTheOthers) {
  Shells shells;
  shells.start("one", "exec sleep 1000");
  shells.start("two", "echo 'sotto: no such file' >&2; exit 2");
  const auto [code, text] = shells.error();
  EXPECT_EQ(code, ExitCode::usage);
  EXPECT_EQ(text, "two: no such file");
}

TEST(ProcessGroup, NamesWhoWasKilled) {
  Shells shells;
  shells.start("one", "kill -9 $$");
  shells.start("two", "echo 'sotto: one was lost in round 7' >&2; exit 3");
  const auto [code, text] = shells.error();
  EXPECT_EQ(code, ExitCode::peer_lost);
  EXPECT_THAT(text, AllOf(HasSubstr("one was killed by signal 9"), HasSubstr("in round 7")));
}

TEST(ProcessGroup, AnInterruptEndsAll) {
  Shells shells;
  shells.start("one", "exec sleep 1000");
  shells.start("two", "trap '' TERM; exec sleep 1000");
  shells.interrupted = true;
  EXPECT_THROW(shells.wait(), Interrupted);
}

RoleEnd exited(const std::string& role, int code, const std::string& message) {
  return RoleEnd{role, code, std::nullopt, message, false};
}

template <class Cause>
void expect_cause(const Cause& cause, ExitCode code, const std::string& says) {
  ASSERT_TRUE(cause);
  EXPECT_EQ(cause->exit_code(), code);
  EXPECT_THAT(cause->what(), HasSubstr(says));
}

TEST(RootCause, NoneWhereAllEndedWell) {
  EXPECT_FALSE(root_cause({}));
  EXPECT_FALSE(root_cause({exited("party 0", 0, ""), exited("actor", 0, "")}));
}

TEST(RootCause, AKilledRoleCountsMoreThanThoseWhoMissIt) {
  const RoleEnd killed{"party 1", std::nullopt, 9, "", false};
  const auto cause = root_cause({exited("party 0", 3, "party 1 was lost in round 12: it left"),
                                 exited("actor", 3, "party 0 reports: party 1 was lost"), killed});
  expect_cause(cause, ExitCode::peer_lost, "party 1 was killed by signal 9 (Killed) in round 12");
}

TEST(RootCause, ACrashIsAnInternalError) {
  const RoleEnd crashed{"dealer", std::nullopt, 11, "", false};
  const auto cause = root_cause({exited("party 1", 3, "the dealer was lost in round 7: it left"), crashed});
  expect_cause(cause, ExitCode::internal, "the dealer was killed by signal 11");
  expect_cause(cause, ExitCode::internal, "in round 7");
}

TEST(RootCause, WhoFailedByItselfCountsMoreThanWhoHeardOfIt) {
  const auto cause = root_cause({exited("actor", 2, "party 1 reports: b.csv:3:2: above its bound"),
                                 exited("party 0", 3, "party 1 was lost in round 3: it left"),
                                 exited("party 1", 2, "b.csv:3:2: above its bound"),
                                 RoleEnd{"dealer", 130, std::nullopt, "interrupted", true}});
  expect_cause(cause, ExitCode::usage, "party 1: b.csv:3:2: above its bound");
}

TEST(RootCause, AnInterruptThatTheLauncherDidNotSendIsTheCause) {
  const auto cause =
      root_cause({exited("party 0", 3, "party 1 reports: interrupted"), exited("party 1", 130, "interrupted")});
  expect_cause(cause, ExitCode::peer_lost, "party 1 was interrupted by a signal from outside");
}

TEST(RootCause, ARoleWithoutAMessageIsStillNamed) {
  const auto cause = root_cause({exited("party 0", 70, "")});
  expect_cause(cause, ExitCode::internal, "party 0");
}

using Moment = ServiceManager::Clock::time_point;

class ManagerSocket {
 public:
  explicit ManagerSocket(const std::string& name) : socket_(::socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    name.copy(address.sun_path, sizeof address.sun_path);
    if (name.front() == '@') address.sun_path[0] = '\0';
    const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size());
    EXPECT_EQ(::bind(socket_.get(), reinterpret_cast<const sockaddr*>(&address), length), 0);
  }
  [[nodiscard]] std::vector<std::string> heard() const {
    std::vector<std::string> all;
    std::array<char, 512> text{};
    for (;;) {
      const ssize_t size = ::recv(socket_.get(), text.data(), text.size(), 0);
      if (size < 0) return all;
      all.emplace_back(text.data(), static_cast<std::size_t>(size));
    }
  }

 private:
  Descriptor socket_;
};

using Datagrams = std::vector<std::string>;

TEST(ServiceManager, IsToldByAPathAndByANameWithoutAFile) {
  const TestFolder folder;
  const std::string path = (folder.path() / "notify").string();
  for (const std::string& name : {path, "@sotto-test-" + std::to_string(::getpid())}) {
    const ManagerSocket socket(name);
    const ServiceManager manager(name);
    manager.ready();
    manager.status("party 0 is ready in epoch 3");
    manager.status("two\nlines");
    manager.stopping();
    EXPECT_EQ(socket.heard(),
              (Datagrams{"READY=1", "STATUS=party 0 is ready in epoch 3", "STATUS=two lines", "STOPPING=1"}));
  }
}

TEST(ServiceManager, HearsTwiceInItsTimeThatTheProcessLives) {
  const TestFolder folder;
  const std::string path = (folder.path() / "notify").string();
  const ManagerSocket socket(path);
  ServiceManager manager(path, std::chrono::seconds(10));
  const Moment begin{std::chrono::hours(1)};
  for (int second = 0; second < 20; ++second) manager.alive(begin + std::chrono::seconds(second));
  EXPECT_EQ(socket.heard(), Datagrams(4, "WATCHDOG=1"));
  ServiceManager unasked(path);
  unasked.alive(begin);
  EXPECT_EQ(socket.heard(), Datagrams{});
}

TEST(ServiceManager, WhereNobodyListensNothingHappens) {
  for (const std::string& name :
       {std::string(), std::string("/nowhere/notify"), std::string("vsock:2:1"), "/" + std::string(300, 'x')}) {
    ServiceManager manager(name, std::chrono::seconds(1));
    manager.ready();
    manager.status("fine");
    manager.alive(Moment{std::chrono::hours(1)});
    manager.stopping();
  }
}

class Variables {
 public:
  explicit Variables(const std::vector<std::pair<std::string, std::string>>& values) {
    for (const auto& [name, value] : values) {
      ::setenv(name.c_str(), value.c_str(), 1);
      names_.push_back(name);
    }
  }
  Variables(const Variables&) = delete;
  Variables& operator=(const Variables&) = delete;
  ~Variables() {
    for (const std::string& name : names_) ::unsetenv(name.c_str());
  }

 private:
  std::vector<std::string> names_;
};

TEST(ServiceManager, IsAsTheEnvironmentSays) {
  const TestFolder folder;
  const std::string path = (folder.path() / "notify").string();
  const ManagerSocket socket(path);
  const Moment begin{std::chrono::hours(1)};
  const auto alive_once = [&](const std::vector<std::pair<std::string, std::string>>& values) {
    const Variables variables(values);
    ServiceManager manager = ServiceManager::of_environment();
    manager.alive(begin);
    return socket.heard().size();
  };
  const std::string self = std::to_string(::getpid());
  EXPECT_EQ(alive_once({{"NOTIFY_SOCKET", path}, {"WATCHDOG_USEC", "1000000"}}), 1u);
  EXPECT_EQ(alive_once({{"NOTIFY_SOCKET", path}, {"WATCHDOG_USEC", "1000000"}, {"WATCHDOG_PID", self}}), 1u);
  EXPECT_EQ(alive_once({{"NOTIFY_SOCKET", path}, {"WATCHDOG_USEC", "1000000"}, {"WATCHDOG_PID", "1"}}), 0u);
  EXPECT_EQ(alive_once({{"NOTIFY_SOCKET", path}, {"WATCHDOG_USEC", "0"}}), 0u);
  EXPECT_EQ(alive_once({{"NOTIFY_SOCKET", path}, {"WATCHDOG_USEC", "soon"}}), 0u);
  EXPECT_EQ(alive_once({{"NOTIFY_SOCKET", path}}), 0u);
  EXPECT_EQ(alive_once({{"WATCHDOG_USEC", "1000000"}}), 0u);
}

}  // namespace
}  // namespace sotto::apps
