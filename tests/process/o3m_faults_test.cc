// `sotto o3m` that loses a process, or is interrupted.
#include <gtest/gtest.h>

#include <csignal>

#include "tests/process/o3m_data.h"

namespace sotto::testing::o3m {
namespace {

TEST(O3m, AFailedRunIsWrittenDown) {
  const TestFolder folder;
  const Data data(folder, 20000);
  for (const char* name : {"active", "mask_generator"}) {
    const std::string role = name;
    SottoProcess process(folder, Data::command(5, "ucb", {"--json", "--out", "run-" + role}));
    pid_t victim = -1;
    for (int look = 0; look < 20000 && victim < 0; ++look) {
      for (const pid_t child : process.children()) {
        const std::string line = contents(fs::path("/proc") / std::to_string(child) / "cmdline");
        if (line.find(role + ".toml") != std::string::npos) victim = child;
      }
    }
    ASSERT_GT(victim, 0);
    ::kill(victim, SIGKILL);
    EXPECT_EQ(process.wait(), 3) << process.err();
    EXPECT_NE(process.error().find("killed by signal 9"), std::string::npos) << process.err();
    const json written = json::parse(contents(folder.path() / ("run-" + role) / "run.json"));
    EXPECT_EQ(written.at("status"), "failed");
    EXPECT_NE(written.at("error").get<std::string>().find("killed by signal 9"), std::string::npos);
    EXPECT_EQ(written.at("arms"), json::array());
    EXPECT_EQ(process.json().at("status"), "failed");
    EXPECT_TRUE(folder.nothing_left());
  }
}

TEST(O3m, AnInterruptEndsAll) {
  const TestFolder folder;
  const Data data(folder, 20000);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) {
    SottoProcess process(folder, Data::command(5, "ucb", {"--json", "--out", "run"}));
    std::vector<pid_t> children;
    while (children.size() < 6 && runs(process.pid())) children = process.children();
    ASSERT_EQ(children.size(), 6u);
    process.signal(signal);
    EXPECT_EQ(process.wait(), 130) << process.err();
    for (const pid_t child : children) EXPECT_FALSE(runs(child));
    EXPECT_EQ(json::parse(contents(folder.path() / "run" / "run.json")).at("status"), "failed");
    EXPECT_TRUE(folder.nothing_left());
  }
}

}  // namespace
}  // namespace sotto::testing::o3m
