#include "sotto/apps/kit/process/process_group.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "sotto/core/error/errors.h"

namespace sotto::apps {
namespace {

// Shells stand for roles.
class Shells {
 public:
  void start(const std::string& name, const std::string& script,
             const std::vector<int>& descriptors = {}) {
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
  shells.start("one", "exec sleep 1000");  // until it is asked to end
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
  EXPECT_NE(text.find("one was killed by signal 9"), std::string::npos) << text;
  EXPECT_NE(text.find("in round 7"), std::string::npos) << text;
}

TEST(ProcessGroup, AnInterruptEndsAll) {
  Shells shells;
  shells.start("one", "exec sleep 1000");
  shells.start("two", "trap '' TERM; exec sleep 1000");  // only SIGKILL ends it
  shells.interrupted = true;
  EXPECT_THROW(shells.wait(), Interrupted);
}

}  // namespace
}  // namespace sotto::apps
