#include "apps/data/atomic_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "tests/apps/data/test_files.h"

namespace sotto::apps {
namespace {

std::size_t files_in(const std::filesystem::path& folder) {
  return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder), {}));
}

TEST(WriteFile, WritesAndReplacesWholeFiles) {
  const TestFolder folder;
  const auto path = folder.path() / "out.json";
  write_file(path, "first, and longer");
  write_file(path, "second");
  EXPECT_EQ(slurp(path), "second");
  write_file(path, "");
  EXPECT_EQ(slurp(path), "");
  EXPECT_EQ(files_in(folder.path()), 1U) << "no temporary file is left";
}

TEST(WriteFile, ObeysTheUmask) {
  const TestFolder folder;
  const mode_t before = ::umask(027);
  write_file(folder.path() / "f", "x");
  ::umask(before);
  EXPECT_EQ(static_cast<unsigned>(std::filesystem::status(folder.path() / "f").permissions()),
            0640U);
}

TEST(WriteFile, NamesThePathThatFails) {
  const TestFolder folder;
  EXPECT_EQ(message_of<ResourceError>(folder, [&] { write_file(folder.path() / "no/f", "x"); }),
            "cannot write no/f: No such file or directory");
  std::filesystem::create_directory(folder.path() / "taken");
  EXPECT_THAT(message_of<ResourceError>(folder, [&] { write_file(folder.path() / "taken", "x"); }),
              testing::StartsWith("cannot write taken: "));
  EXPECT_EQ(files_in(folder.path()), 1U) << "no temporary file is left";
}

}  // namespace
}  // namespace sotto::apps
