#include "sotto/apps/kit/program/out_options.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "sotto/apps/kit/program/command.h"
#include "sotto/core/error/errors.h"
#include "tests/apps/kit/data/test_files.h"
#include "tests/apps/program_walk.h"

namespace sotto::apps {
namespace {

namespace fs = std::filesystem;

template <class Check>
std::string refusal(Check check) {
  try {
    check();
    return {};
  } catch (const InputError& error) {
    return error.what();
  }
}

TEST(OutOptions, RefuseAFolderWithAFinishedRun) {
  const TestFolder folder;
  const fs::path& out = folder.path();
  const auto said = [&](bool overwrite) { return refusal([&] { (void)results_folder(out, false, overwrite); }); };
  EXPECT_EQ(said(false), "");  // empty
  (void)folder.put("run.json", R"({"status": "complete"})");
  EXPECT_NE(said(false).find("--overwrite"), std::string::npos);
  EXPECT_TRUE(said(false).starts_with("--out: " + out.string()));
  EXPECT_EQ(said(true), "");
  (void)folder.put("run.json", "somebody else's");
  EXPECT_NE(said(false), "");
  (void)folder.put("run.json", R"({"status": "failed"})");
  EXPECT_EQ(said(false), "");
}

TEST(OutOptions, RefuseAFileThatIsThere) {
  const TestFolder folder;
  const fs::path file = folder.put("page.md", "a page");
  const auto said = [](const fs::path& out, bool overwrite) {
    return refusal([&] { check_out_file(out, overwrite); });
  };
  EXPECT_NE(said(file, false).find("exists already"), std::string::npos);
  EXPECT_EQ(said(file, true), "");
  EXPECT_EQ(said(folder.path() / "other.md", false), "");
  EXPECT_NE(said(folder.path(), true).find("is a folder"), std::string::npos);
  EXPECT_NE(said(folder.path() / "no" / "page.md", true).find("there is no folder"), std::string::npos);
  EXPECT_EQ(said("/dev/null", false), "");  // no earlier result
  EXPECT_EQ(said("", false), "");
}

TEST(OutOptions, RefuseAFolderWithAFileOfTheirs) {
  const TestFolder folder;
  (void)folder.put("b.csv", "x\n");
  const auto said = [&](bool overwrite) {
    return refusal([&] { check_out_folder(folder.path(), {"a.csv", "b.csv"}, overwrite); });
  };
  EXPECT_NE(said(false).find("b.csv exists already"), std::string::npos);
  EXPECT_EQ(said(true), "");
  EXPECT_EQ(refusal([&] { check_out_folder(folder.path(), {"a.csv"}, false); }), "");
}

// Whoever writes results takes --overwrite; keys and configs are never written over.
TEST(OutOptions, GoWithEveryOut) {
  std::size_t commands = 0;
  const auto has = [](const Command& command, const char* flag) {
    const auto& all = command.options();
    return std::any_of(all.begin(), all.end(), [&](const auto& one) { return one->flag == flag; });
  };
  walk_program([&](const Command& command, const std::string& name) {
    if (!has(command, "--out")) return;
    const bool never = name == "keys new" || name == "init";
    EXPECT_EQ(!has(command, "--overwrite"), never) << name;
    ++commands;
  });
  EXPECT_GT(commands, 10U);
}

}  // namespace
}  // namespace sotto::apps
