#include "sotto/apps/kit/files/private_path.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "tests/apps/kit/data/test_files.h"

namespace sotto::apps {
namespace {

namespace fs = std::filesystem;

unsigned mode(const fs::path& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 ? status.st_mode & 07777 : 0;
}

TEST(PrivatePath, IsForTheOwnerAloneWhateverTheUmask) {
  const TestFolder folder;
  const mode_t before = ::umask(0);
  EXPECT_TRUE(make_private_folder(folder.path() / "folder"));
  EXPECT_TRUE(make_private_file(folder.path() / "file"));
  ::umask(before);
  EXPECT_EQ(mode(folder.path() / "folder"), 0700u);
  EXPECT_EQ(mode(folder.path() / "file"), 0600u);
}

TEST(PrivatePath, KeepsWhatIsThere) {
  const TestFolder folder;
  const fs::path file = folder.put("file", "kept");
  EXPECT_FALSE(make_private_file(file));
  EXPECT_EQ(slurp(file), "kept");
  EXPECT_FALSE(make_private_folder(folder.path()));
}

TEST(PrivatePath, SaysWhatCannotBeMade) {
  const TestFolder folder;
  const auto inside = [&] { (void)make_private_folder(folder.path() / "missing" / "folder"); };
  EXPECT_EQ(message_of<ResourceError>(folder, inside),
            "missing/folder: the folder cannot be made here: No such file or directory");
  const auto file = [&] { (void)make_private_file(folder.path() / "missing" / "file"); };
  EXPECT_EQ(message_of<ResourceError>(folder, file),
            "missing/file: the file cannot be made here: No such file or directory");
}

TEST(PrivatePath, RefusesWhatOthersMayRead) {
  const TestFolder folder;
  const fs::path file = folder.put("file", "");
  ::chmod(file.c_str(), 0640);
  EXPECT_EQ(message_of<InputError>(folder, [&] { require_private(file, "run `chmod 600` on it"); }),
            "file: others than its owner have access to it (mode 0640): run `chmod 600` on it");
  ::chmod(file.c_str(), 0600);
  EXPECT_NO_THROW(require_private(file, ""));
  EXPECT_NO_THROW(require_private(folder.path() / "missing", ""));
}

}  // namespace
}  // namespace sotto::apps
