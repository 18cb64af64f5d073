#include "sotto/apps/kit/files/atomic_file.h"
#include "tests/apps/support.h"

#include <fcntl.h>
#include <sys/sysmacros.h>
#include <unistd.h>

namespace sotto::apps {
namespace {

std::size_t files_in(const fs::path& folder) {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), {}));
}

using WriteFile = InFolder;

TEST_F(WriteFile, WritesAndReplacesWholeFiles) {
  const auto path = folder.path() / "out.json";
  write_file(path, "first, and longer");
  write_file(path, "second");
  EXPECT_EQ(slurp(path), "second");
  write_file(path, "");
  EXPECT_EQ(slurp(path), "");
  EXPECT_EQ(files_in(folder.path()), 1U) << "no temporary file is left";
}

TEST_F(WriteFile, ObeysTheUmask) {
  const mode_t before = ::umask(027);
  write_file(folder.path() / "f", "x");
  ::umask(before);
  EXPECT_EQ(static_cast<unsigned>(fs::status(folder.path() / "f").permissions()), 0640U);
}

TEST_F(WriteFile, NamesThePathThatFails) {
  EXPECT_EQ(message_of<ResourceError>(folder, [&] { write_file(folder.path() / "no/f", "x"); }),
            "cannot write no/f: No such file or directory");
  fs::create_directory(folder.path() / "taken");
  EXPECT_THAT(message_of<ResourceError>(folder, [&] { write_file(folder.path() / "taken", "x"); }),
              StartsWith("cannot write taken: "));
  EXPECT_EQ(files_in(folder.path()), 1U) << "no temporary file is left";
}

TEST_F(WriteFile, ReplacesWhatALinkLeadsTo) {
  fs::create_directory(folder.path() / "there");
  (void)folder.put("there/file", "old");
  fs::create_symlink("there/second", folder.path() / "first");
  fs::create_symlink("file", folder.path() / "there/second");
  write_file(folder.path() / "first", "new");
  EXPECT_EQ(slurp(folder.path() / "there/file"), "new");
  EXPECT_TRUE(fs::is_symlink(folder.path() / "first"));
  EXPECT_TRUE(fs::is_symlink(folder.path() / "there/second"));
  // By rename: who has the old file open keeps it whole.
  std::ifstream open_before(folder.path() / "first");
  write_file(folder.path() / "first", "third");
  std::string word;
  open_before >> word;
  EXPECT_EQ(word, "new");
  // What a link leads to need not be there yet.
  fs::create_symlink("there/none", folder.path() / "dangling");
  write_file(folder.path() / "dangling", "made");
  EXPECT_EQ(slurp(folder.path() / "there/none"), "made");
  EXPECT_TRUE(fs::is_symlink(folder.path() / "dangling"));
  EXPECT_EQ(files_in(folder.path() / "there"), 3U) << "no temporary file is left";
}

TEST_F(WriteFile, RefusesLinksThatLeadNowhere) {
  fs::create_symlink("loop", folder.path() / "loop");
  EXPECT_EQ(message_of<ResourceError>(folder, [&] { write_file(folder.path() / "loop", "x"); }),
            "cannot write loop: Too many levels of symbolic links");
  fs::create_symlink("no/file", folder.path() / "lost");
  EXPECT_EQ(message_of<ResourceError>(folder, [&] { write_file(folder.path() / "lost", "x"); }),
            "cannot write lost: No such file or directory");
  EXPECT_EQ(files_in(folder.path()), 2U);
}

TEST_F(WriteFile, WritesThroughAFifo) {
  const auto fifo = folder.path() / "fifo";
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  fs::create_symlink("fifo", folder.path() / "link");
  for (const auto& path : {fifo, folder.path() / "link"}) {
    // Opened here for both, so that neither end waits where the other never comes.
    const int held = ::open(fifo.c_str(), O_RDWR | O_CLOEXEC);
    ASSERT_GE(held, 0);
    write_file(path, "a report");
    char text[64];
    const ssize_t got = ::read(held, text, sizeof text);
    EXPECT_EQ(std::string_view(text, static_cast<std::size_t>(std::max<ssize_t>(got, 0))), "a report");
    ::close(held);
    EXPECT_TRUE(fs::is_fifo(fifo));
  }
  EXPECT_TRUE(fs::is_symlink(folder.path() / "link"));
  EXPECT_EQ(files_in(folder.path()), 2U);
}

// As /dev/null, but one of the test's own: root could remove it.
TEST_F(WriteFile, WritesThroughADevice) {
  const auto null = folder.path() / "null";
  const auto full = folder.path() / "full";
  if (::mknod(null.c_str(), S_IFCHR | 0666, ::makedev(1, 3)) != 0 ||
      ::mknod(full.c_str(), S_IFCHR | 0666, ::makedev(1, 7)) != 0) {
    GTEST_SKIP() << "only root makes devices";
  }
  if (const int usable = ::open(null.c_str(), O_WRONLY | O_CLOEXEC); usable >= 0) {
    ::close(usable);
  } else {
    GTEST_SKIP() << "devices cannot be used here";
  }
  write_file(null, "x");
  EXPECT_EQ(message_of<ResourceError>(folder, [&] { write_file(full, "x"); }),
            "cannot write full: No space left on device");
  EXPECT_TRUE(fs::is_character_file(null));
  EXPECT_TRUE(fs::is_character_file(full));
  EXPECT_EQ(files_in(folder.path()), 2U);
}

// /dev/stdout, as a shell gives it: a file that others write to as well, from where it stands.
TEST_F(WriteFile, WritesThroughAFileThatIsOpen) {
  const auto log = folder.put("log", "");
  const int open = ::open(log.c_str(), O_WRONLY | O_CLOEXEC);
  ASSERT_GE(open, 0);
  ASSERT_EQ(::write(open, "before ", 7), 7);
  const std::string number = std::to_string(open);
  write_file("/proc/self/fd/" + number, "one ");
  write_file("/dev/fd/" + number, "two ");
  fs::create_symlink("/dev/fd/" + number, folder.path() / "link");
  write_file(folder.path() / "link", "three ");
  ASSERT_EQ(::write(open, "after", 5), 5);
  EXPECT_EQ(slurp(log), "before one two three after");
  // Nor is it made again where its name is gone.
  fs::remove(log);
  write_file("/dev/fd/" + number, ".");
  EXPECT_EQ(::lseek(open, 0, SEEK_CUR), 27);
  EXPECT_FALSE(fs::exists(log));
  ::close(open);
  EXPECT_THROW(write_file("/dev/fd/" + number, "x"), ResourceError);
}

}  // namespace
}  // namespace sotto::apps
