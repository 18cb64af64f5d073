#include "sotto/apps/bandit/result.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "sotto/apps/kit/report/run_folder.h"
#include "sotto/core/error/errors.h"

namespace sotto::apps {
namespace {

class Writer : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() /
              ("sotto-writer-" + std::to_string(::getpid()) + "-" +
               testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string read(const std::filesystem::path& path) const {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  }

  std::filesystem::path folder_;
};

TEST_F(Writer, MakesTheFolderAndTwoFiles) {
  const std::filesystem::path run = folder_ / "a" / "b";
  BanditResult result;
  result.steps = 12;
  write_run(run, result);
  EXPECT_EQ(nlohmann::json::parse(read(run / "run.json"))["steps"], 12);
  EXPECT_TRUE(read(run / "report.html").starts_with("<!doctype html>"));
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(run))
    files += entry.is_regular_file() ? 1 : 100;
  EXPECT_EQ(files, 2);
}

TEST_F(Writer, KeepsARunWhoseFileNamesAreNoText) {
  BanditResult result;
  result.command = "sotto bandit --party \xff.csv";
  write_run(folder_, result);
  EXPECT_TRUE(nlohmann::json::accept(read(folder_ / "run.json")));
}

TEST_F(Writer, SaysWhichFolderCannotBeMade) {
  std::ofstream(folder_ / "file") << "x";
  for (const auto& path : {folder_ / "file", folder_ / "file" / "below"}) {
    try {
      write_run(path, BanditResult{});
      FAIL();
    } catch (const ResourceError& error) {
      EXPECT_NE(std::string(error.what()).find(path.string()), std::string::npos);
    }
  }
}

TEST(DefaultRunDirectory, HasTimeAndId) {
  const std::string path = default_run_directory().string();
  EXPECT_THAT(path, testing::MatchesRegex("sotto-runs/[0-9]{8}T[0-9]{6}Z-[0-9a-f]{6}"));
}

}  // namespace
}  // namespace sotto::apps
