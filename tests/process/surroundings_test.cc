#include <sys/stat.h>

#include "tests/process/sotto_process.h"

namespace sotto::testing {
namespace {

Words bandit(const TestFolder& folder, const std::string& name, const Words& more = {}) {
  fs::create_directory(folder.path() / name);
  for (const char* file : {"/a.csv", "/b.csv"}) folder.write(name + file, rows_in_turn("0.5", "-0.25", 20));
  folder.write(name + "/labels.csv", labels_in_turn(2, 20));
  return joined({"bandit", "--party", name + "/a.csv", "--party", name + "/b.csv", "--environment",
                 name + "/labels.csv", "--max-norm", "1"},
                more);
}

using Surroundings = InFolder;

TEST_F(Surroundings, ARelativeFolderForTemporaryFiles) {
  fs::create_directory(folder.path() / "tmp" / "here");
  SottoProcess process(folder, bandit(folder, "data", {"--json"}), {{"env", "TMPDIR=tmp/here"}, {}});
  EXPECT_EQ(process.wait(), 0) << process.err();
  EXPECT_TRUE(fs::is_empty(folder.path() / "tmp" / "here"));
}

TEST_F(Surroundings, TooFewDescriptors) {
  const Words words = bandit(folder, "data", {"--json"});
  std::size_t refused = 0;
  for (const int limit : {8, 10, 12, 14, 16, 20}) {
    SottoProcess process(folder, words, {in_shell("ulimit -n " + std::to_string(limit)), {}});
    const int code = process.wait();
    if (code == 0) continue;
    ++refused;
    EXPECT_EQ(code, 6) << limit << ": " << process.err();
    EXPECT_THAT(process.error(), HasSubstr("ulimit -n")) << limit;
    EXPECT_TRUE(folder.nothing_left());
  }
  EXPECT_GE(refused, 4U);
}

TEST_F(Surroundings, ADataFolderWhoseNameIsNoUtf) {
  const std::string odd = "d\xe4ta";
  for (const Words& more :
       {Words{"--json"}, Words{"--out", "run"}, Words{"--out", "kept", "--checkpoint-every", "5", "--json"}}) {
    const Words words = bandit(folder, odd, more);
    expect_refused(folder, words, "d\\xe4ta/a.csv' is not text in UTF-8");
  }
  EXPECT_FALSE(fs::exists(folder.path() / "kept" / "state"));
  EXPECT_FALSE(fs::exists(folder.path() / "kept" / "state.new"));
  EXPECT_EQ(json::parse(contents(folder.path() / "run" / "run.json")).at("status"), "failed");
  Words plan = bandit(folder, odd, {"--json"});
  plan[0] = "plan";
  EXPECT_EQ(result_of(folder, plan).at("steps"), 20);
}

TEST_F(Surroundings, ResultsInAFolderWhoseNameIsNoUtf) {
  const std::string odd = "r\xfcn";
  succeed(folder, bandit(folder, "data", {"--out", odd, "--compare-plaintext"}));
  const json run = json::parse(contents(folder.path() / odd / "run.json"));
  EXPECT_EQ(run.at("status"), "complete");
  EXPECT_THAT(run.at("command").dump(), HasSubstr("r\xef\xbf\xbdn"));
}

TEST_F(Surroundings, AStateThatIsNoFolder) {
  const Words words = bandit(folder, "data", {"--out", "run", "--checkpoint-every", "5"});
  fs::create_directory(folder.path() / "run");
  folder.write("run/state", "mine");
  expect_refused(folder, words, "run/state: is no folder: move it away");
  EXPECT_EQ(contents(folder.path() / "run" / "state"), "mine");
  fs::create_symlink("loop", folder.path() / "loop");
  expect_refused(folder, {"bandit", "--resume", "loop"},
                 "loop/state/options.json: cannot be read: Too many levels of symbolic links");
  expect_refused(folder, {"bandit", "--resume", std::string(300, 'x')}, "cannot be read: File name too long");
}

// Permissions do not restrict root, so a test that runs as root becomes another user.
TEST_F(Surroundings, AStateThatCannotBeRead) {
  ASSERT_EQ(::chmod(folder.path().c_str(), 0755), 0);
  Words prefix;
  if (::geteuid() == 0) {
    prefix = {"setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"};
    if (SottoProcess(folder, {"--version"}, {prefix, {}}).wait() != 0) {
      GTEST_SKIP() << "nobody else can run the program here";
    }
  }
  succeed(folder, bandit(folder, "data", {"--out", "run", "--checkpoint-every", "5"}));
  ASSERT_EQ(::chmod((folder.path() / "run" / "state").c_str(), 0), 0);
  expect_refused(folder, {"bandit", "--resume", "run"}, "run/state/options.json: cannot be read: Permission denied", 2,
                 {prefix, {}});
  ASSERT_EQ(::chmod((folder.path() / "run" / "state").c_str(), 0700), 0);
}

}  // namespace
}  // namespace sotto::testing
