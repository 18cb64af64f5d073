// `sotto bandit` that is killed while it begins a run which keeps its state: whenever that is, the run can be resumed,
// or begun in the same folder, and what is refused names the other way.
#include "tests/process/traced_process.h"

namespace sotto::testing {
namespace {

Words begin(const TestFolder& folder) {
  write_small_run(folder, "0.5", "-0.25", 2, 2);
  return small_run({"--checkpoint-every", "1", "--out", "out"});
}

// All names below a folder, those of temporary files without the number of their process.
std::set<std::string> names_in(const fs::path& folder) {
  std::set<std::string> names;
  if (!fs::exists(folder)) return names;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    std::string name = fs::relative(entry.path(), folder);
    if (name.ends_with(".tmp")) name.erase(name.find_first_of("0123456789", name.find("/.")));
    names.insert(name + (entry.is_regular_file() && entry.file_size() > 0 ? " +" : ""));
  }
  return names;
}

void expect_complete(const TestFolder& folder) {
  const fs::path out = folder.path() / "out";
  EXPECT_EQ(json::parse(contents(out / "run.json")).at("status"), "complete");
  EXPECT_FALSE(fs::exists(out / "state.new"));
}

// Resumed where there is a state, begun again where there is none. True where it was resumed.
bool goes_on(const TestFolder& folder, const Words& words) {
  SottoProcess resume(folder, {"bandit", "--resume", "out"});
  const bool resumed = resume.wait() == 0;
  if (resumed) {
    expect_complete(folder);
  } else {
    expect_end(resume, 2, "is begun again, in the same folder");
  }
  SottoProcess again(folder, words);
  EXPECT_EQ(again.wait(), resumed ? 2 : 0) << again.err();
  expect_complete(folder);
  return resumed;
}

TEST(Begin, ALauncherThatIsKilledAtAnyInstantLeavesWhatCanGoOn) {
  std::set<std::set<std::string>> seen;
  std::size_t resumed = 0;
  std::size_t begun_again = 0;
  for (std::size_t n = 0;; ++n) {
    const TestFolder folder;
    const Words words = begin(folder);
    const Traced end = run_until_change(folder, words, n);
    if (end == Traced::cannot_be_traced) GTEST_SKIP() << "processes cannot be traced here";
    ASSERT_NE(end, Traced::ended);
    ASSERT_LT(n, 1000u);
    // What looks the same is the same to whoever comes next.
    if (seen.insert(names_in(folder.path() / "out")).second) {
      SCOPED_TRACE(n);
      ++(goes_on(folder, words) ? resumed : begun_again);
    }
    if (end == Traced::came_to_its_children) break;
  }
  EXPECT_GE(resumed, 1u);
  EXPECT_GE(begun_again, 10u);
}

// Its own folder is no place for two at once.
TEST(Begin, WhatAnotherProcessBeginsIsLeftAlone) {
  const TestFolder folder;
  const Words words = begin(folder);
  fs::create_directories(folder.path() / "out" / "state.new");
  folder.write("out/state.new/theirs", "x");
  const Words holding{"flock", "-x", (folder.path() / "out" / "state.new").string()};
  expect_refused(folder, words, "another process begins a run here", 6, {holding, {}});
  EXPECT_EQ(contents(folder.path() / "out" / "state.new" / "theirs"), "x");
  succeed(folder, words);
  expect_complete(folder);
}

}  // namespace
}  // namespace sotto::testing
