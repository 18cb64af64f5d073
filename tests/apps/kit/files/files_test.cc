#include <fcntl.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "apps/kit/files/input_file.h"
#include "apps/kit/files/json.h"
#include "apps/kit/files/output_file.h"
#include "apps/kit/files/table.h"
#include "apps/kit/report/human.h"
#include "tests/apps/support.h"
#include "tests/properties.h"

namespace sotto::apps {
namespace {

TEST(Rounded, UpToFourDigits) {
  EXPECT_EQ(advised(std::sqrt(2.0)), "1.415");
  EXPECT_EQ(advised(11.31370849898476), "11.32");
  EXPECT_EQ(advised(1), "1");
  EXPECT_EQ(advised(1.5), "1.5");
  EXPECT_EQ(advised(8 * (1 + 1e-12)), "8");
  EXPECT_EQ(advised(7.99951), "8");
  EXPECT_EQ(advised(0.00012345678), "0.0001235");
  EXPECT_EQ(advised(0), "0");
  EXPECT_EQ(advised(-0.125), "-0.125");
  EXPECT_EQ(advised(std::numeric_limits<double>::infinity()), "inf");
  EXPECT_EQ(rounded_up(0.1234, 2), 0.13);
}

PROPERTY(Rounded, WhatIsAdvisedIsNeverTooLittle) {
  const double value = std::ldexp(1 + draw_in_range(0, 1 << 30) / std::ldexp(1.0, 30), draw_in_range(-100, 100));
  const double read = std::strtod(advised(value).c_str(), nullptr);
  HOLDS(read >= value * (1 - 1e-9));
  HOLDS(read <= value * 1.001 * (1 + 1e-9));
}

using PrivatePath = InFolder;

TEST_F(PrivatePath, IsForTheOwnerAloneWhateverTheUmask) {
  const mode_t before = ::umask(0);
  EXPECT_TRUE(make_private_folder(folder.path() / "folder"));
  EXPECT_TRUE(make_private_file(folder.path() / "file"));
  ::umask(before);
  EXPECT_EQ(mode_of(folder.path() / "folder"), 0700u);
  EXPECT_EQ(mode_of(folder.path() / "file"), 0600u);
}

TEST_F(PrivatePath, KeepsWhatIsThere) {
  const fs::path file = folder.put("file", "kept");
  EXPECT_FALSE(make_private_file(file));
  EXPECT_EQ(slurp(file), "kept");
  EXPECT_FALSE(make_private_folder(folder.path()));
}

TEST_F(PrivatePath, SaysWhatCannotBeMade) {
  const auto inside = [&] { (void)make_private_folder(folder.path() / "missing" / "folder"); };
  EXPECT_EQ(message_of<ResourceError>(folder, inside),
            "missing/folder: the folder cannot be made here: No such file or directory");
  const auto file = [&] { (void)make_private_file(folder.path() / "missing" / "file"); };
  EXPECT_EQ(message_of<ResourceError>(folder, file),
            "missing/file: the file cannot be made here: No such file or directory");
}

TEST_F(PrivatePath, RefusesWhatOthersMayRead) {
  const fs::path file = folder.put("file", "");
  ::chmod(file.c_str(), 0640);
  EXPECT_EQ(message_of<InputError>(folder, [&] { require_private(file, "run `chmod 600` on it"); }),
            "file: others than its owner have access to it (mode 0640): run `chmod 600` on it");
  ::chmod(file.c_str(), 0600);
  EXPECT_NO_THROW(require_private(file, ""));
  EXPECT_NO_THROW(require_private(folder.path() / "missing", ""));
}

std::string json_refusal(std::string_view text, std::size_t most = 1000) {
  const TestFolder folder;
  const auto path = folder.put("j.json", text);
  return message_of<InputError>(folder, [&] { (void)read_json(path, "the report of a role", most); });
}

std::string levels(std::size_t count) { return std::string(count, '[') + std::string(count, ']'); }

TEST(JsonFile, ReadsWhatSottoWrites) {
  const TestFolder folder;
  const auto json =
      read_json(folder.put("j.json", R"({"a": [1, [0.5, null]], "b": {"c": "x"}})"), "the report of a role", 100);
  EXPECT_EQ(json.at("a").at(1).at(0).get<double>(), 0.5);
  EXPECT_EQ(json.at("b").at("c").get<std::string>(), "x");
}

TEST(JsonFile, NamesThePlaceAndNothingOfWhatStandsThere) {
  EXPECT_EQ(json_refusal("{\n \"a\": 31337secret}"), "j.json:2:12: is not the report of a role: this is no JSON");
  EXPECT_THAT(json_refusal(""), StartsWith("j.json:1:1: is not the report of a role"));
  EXPECT_THAT(json_refusal(std::string_view("{\0}", 3)), StartsWith("j.json:1:2: "));
  EXPECT_THAT(json_refusal("[1] \x1b[31m"), Not(HasSubstr("\x1b")));
  EXPECT_EQ(json_refusal("[1e400]"), "j.json: is not the report of a role: a number in it fits no double");
}

TEST(JsonFile, IsBounded) {
  EXPECT_EQ(json_refusal(std::string(1001, ' ')), "j.json: the file is larger than 1000 bytes");
  EXPECT_EQ(json_refusal(levels(18)), "j.json: is not the report of a role: it has more than 16 levels");
  EXPECT_EQ(json_refusal(std::string(100'000, '['), 100'000),
            "j.json: is not the report of a role: it has more than 16 levels");
  const TestFolder folder;
  EXPECT_NO_THROW((void)read_json(folder.put("j.json", levels(16)), "it", 100));
  EXPECT_THAT(message_of<InputError>(folder, [] { (void)read_json("/dev/zero", "it", 1000); }),
              StartsWith("/dev/zero: the file is larger than 1000 bytes"));
}

Table read_number_rows(std::string_view text) {
  const TestFolder folder;
  return read_csv(folder.put("n.csv", text), Header::optional);
}

TEST(NumberRows, AFirstLineOfNumbersIsData) {
  const Table table = read_number_rows("1,-2.5\n3e2,+4\n");
  EXPECT_EQ(table.rows, 2U);
  EXPECT_THAT(table.columns, ElementsAre("1", "2"));
  EXPECT_THAT(table.values, ElementsAre(1, -2.5, 300, 4));
  EXPECT_THAT(table.where(0), EndsWith("n.csv:1"));
  EXPECT_THAT(table.where(1, 1), EndsWith("n.csv:2:2"));
}

TEST(NumberRows, AFirstLineWithAWordIsAHeader) {
  const Table table = read_number_rows("1,b\n3,4\n");
  EXPECT_EQ(table.rows, 1U);
  EXPECT_THAT(table.columns, ElementsAre("1", "b"));
  EXPECT_THAT(table.values, ElementsAre(3, 4));
  EXPECT_THAT(table.where(0), EndsWith("n.csv:2"));
}

TEST(NumberRows, OneNumberIsARow) {
  const Table table = read_number_rows("7");
  EXPECT_EQ(table.rows, 1U);
  EXPECT_THAT(table.values, ElementsAre(7));
}

TEST(NumberRows, AcceptsWhatSpreadsheetsWrite) {
  EXPECT_THAT(read_number_rows("\xEF\xBB\xBF\"1\", 2\r\n3,4\r\n\r\n").values, ElementsAre(1, 2, 3, 4));
}

TEST(NumberRows, AreRefusedByPlaceAndFault) {
  const std::pair<const char*, const char*> cases[] = {
      {"", "bad.csv: the file is empty; a CSV file with rows of numbers is needed"},
      {"a,b\n", "bad.csv:1: there is no row below"},
      {"1,2\n3\n", "bad.csv:2: 1 cell, but the first line has 2 columns"},
      {"1,2\n3,4,5\n", "bad.csv:2:3: more cells than the first line's 2 columns"},
      {"a,b\n3\n", "bad.csv:2: 1 cell, but the header has 2 columns"},
      {"nan,1\n2,3\n", "bad.csv:1:1: not a finite number"},
      {"1,2\n3,inf\n", "bad.csv:2:2: not a finite number"},
      {"1,1e999\n", "bad.csv:1:2: the number does not fit a double"},
      {"1,2\n3,x\n", "bad.csv:2:2: not a number (column '2')"},
      {"1,\n", "bad.csv:1:2: this column has no name"},
      {"1,2\n\n3,4\n", "bad.csv:2: a blank line between rows"},
  };
  const TestFolder folder;
  for (const auto& [text, says] : cases) {
    const auto path = folder.put("bad.csv", text);
    EXPECT_THAT(message_of<InputError>(folder, [&] { (void)read_csv(path, Header::optional); }), StartsWith(says));
  }
}

PROPERTY(NumberRows, ReadsWhatWasWritten) {
  const auto columns = draw_in_range<std::size_t>(1, 5);
  const auto rows = draw_in_range<std::size_t>(1, 20);
  const auto values = draw_vector(columns * rows, [] { return draw<std::int32_t>() / 1024.0; });
  std::string text;
  for (std::size_t i = 0; i < values.size(); ++i) {
    text += std::to_string(values[i]) + ((i + 1) % columns == 0 ? "\n" : ",");
  }
  const Table table = read_number_rows(text);
  HOLDS(table.rows == rows);
  HOLDS(table.columns.size() == columns);
  for (std::size_t i = 0; i < values.size(); ++i) HOLDS(std::abs(table.values[i] - values[i]) < 1e-6);
}

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

TEST_F(WriteFile, FilesThatBelongTogetherAppearTogetherOrNotAtAll) {
  write_files(std::vector<NewFile>{{folder.path() / "a", "1"}, {folder.path() / "b", "2"}});
  EXPECT_EQ(slurp(folder.path() / "a") + slurp(folder.path() / "b"), "12");
  fs::create_directory(folder.path() / "taken");
  for (const char* const bad : {"no/f", "taken"}) {
    const std::vector<NewFile> files{
        {folder.path() / "a", "3"}, {folder.path() / bad, "4"}, {folder.path() / "c", "5"}};
    EXPECT_THAT(message_of<ResourceError>(folder, [&] { write_files(files); }),
                StartsWith(std::string("cannot write ") + bad));
    EXPECT_EQ(slurp(folder.path() / "a"), "1");
    EXPECT_EQ(files_in(folder.path()), 3U) << "neither another file nor a temporary one";
  }
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
  std::ifstream open_before(folder.path() / "first");
  write_file(folder.path() / "first", "third");
  std::string word;
  open_before >> word;
  EXPECT_EQ(word, "new");
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
    // The test opens the FIFO for reading and writing, because open() would otherwise wait for another process.
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

// The test makes a device like /dev/null, because root could remove /dev/null.
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

// A shell may open /dev/stdout as a file. The program must write at the current position of this file, because other
// processes write to the file too.
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
  fs::remove(log);
  write_file("/dev/fd/" + number, ".");
  EXPECT_EQ(::lseek(open, 0, SEEK_CUR), 27);
  EXPECT_FALSE(fs::exists(log));
  ::close(open);
  EXPECT_THROW(write_file("/dev/fd/" + number, "x"), ResourceError);
}

}  // namespace
}  // namespace sotto::apps
