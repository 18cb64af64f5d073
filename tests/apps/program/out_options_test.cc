#include "sotto/apps/kit/program/out_options.h"

#include "sotto/apps/kit/program/command.h"
#include "tests/apps/program_walk.h"
#include "tests/apps/support.h"

namespace sotto::apps {
namespace {

TEST(OutOptions, RefuseAFolderWithAFinishedRun) {
  const TestFolder folder;
  const fs::path& out = folder.path();
  const auto said = [&](bool overwrite) { return error_of([&] { (void)results_folder(out, false, overwrite); }); };
  EXPECT_EQ(said(false), "");  // empty
  (void)folder.put("run.json", R"({"status": "complete"})");
  EXPECT_THAT(said(false), HasSubstr("--overwrite"));
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
    return error_of([&] { check_out_file(out, overwrite); });
  };
  EXPECT_THAT(said(file, false), HasSubstr("exists already"));
  EXPECT_EQ(said(file, true), "");
  EXPECT_EQ(said(folder.path() / "other.md", false), "");
  EXPECT_THAT(said(folder.path(), true), HasSubstr("is a folder"));
  EXPECT_THAT(said(folder.path() / "no" / "page.md", true), HasSubstr("there is no folder"));
  EXPECT_EQ(said("/dev/null", false), "");  // no earlier result
  EXPECT_EQ(said("", false), "");
}

TEST(OutOptions, RefuseAFolderWithAFileOfTheirs) {
  const TestFolder folder;
  (void)folder.put("b.csv", "x\n");
  const auto said = [&](bool overwrite) {
    return error_of([&] { check_out_folder(folder.path(), {"a.csv", "b.csv"}, overwrite); });
  };
  EXPECT_THAT(said(false), HasSubstr("b.csv exists already"));
  EXPECT_EQ(said(true), "");
  EXPECT_EQ(error_of([&] { check_out_folder(folder.path(), {"a.csv"}, false); }), "");
}

// Whoever writes results takes --overwrite; keys and configs are never written over.
TEST(OutOptions, GoWithEveryOut) {
  std::size_t commands = 0;
  walk_program([&](const Command& command, const std::string& name) {
    if (!has_option(command, "--out")) return;
    const bool never = name == "keys new" || name == "init";
    EXPECT_EQ(!has_option(command, "--overwrite"), never) << name;
    ++commands;
  });
  EXPECT_GT(commands, 10U);
}

}  // namespace
}  // namespace sotto::apps
