// Inputs that do not end, or are no text: every reader of data names them for what they are, with the memory of a
// piece.
#include "sotto/apps/kit/files/input_file.h"

#include <fcntl.h>

#include <csignal>
#include <thread>

#include "sotto/apps/kit/data/criteo.h"
#include "sotto/apps/kit/data/environment.h"
#include "sotto/apps/kit/data/idx.h"
#include "sotto/apps/kit/data/multi_label.h"
#include "sotto/apps/kit/files/table.h"
#include "tests/apps/support.h"

namespace sotto::apps {
namespace {

// Writes `text` into a FIFO until the reader has gone.
class EndlessPipe {
 public:
  EndlessPipe(const TestFolder& folder, std::string text) : path_(folder.path() / "pipe"), text_(std::move(text)) {
    std::signal(SIGPIPE, SIG_IGN);
    if (::mkfifo(path_.c_str(), 0600) != 0) throw std::runtime_error("no FIFO");
    writer_ = std::thread([this] {
      const int out = ::open(path_.c_str(), O_WRONLY | O_CLOEXEC);
      while (::write(out, text_.data(), text_.size()) > 0) continue;
      ::close(out);
    });
  }
  ~EndlessPipe() { writer_.join(); }
  EndlessPipe(const EndlessPipe&) = delete;
  EndlessPipe& operator=(const EndlessPipe&) = delete;
  [[nodiscard]] const fs::path& path() const { return path_; }

 private:
  fs::path path_;
  std::string text_;
  std::thread writer_;
};

TEST(InputFile, HandsOutAllBytesInPieces) {
  const TestFolder folder;
  InputFile file(folder.put("a", "abcde"), 5);
  std::array<char, 3> piece{};
  EXPECT_EQ(file.read(piece.data(), piece.size()), 3U);
  EXPECT_EQ(std::string(piece.data(), 3), "abc");
  EXPECT_EQ(file.read(piece.data(), piece.size()), 2U);
  EXPECT_EQ(file.read(piece.data(), piece.size()), 0U);
}

TEST(InputFile, StopsAtItsLimit) {
  const TestFolder folder;
  InputFile file(folder.put("a", "abcde"), 4);
  std::array<char, 8> piece{};
  EXPECT_EQ(message_of<InputError>(folder, [&] { (void)file.read(piece.data(), piece.size()); }),
            "a: the file is larger than 4 bytes");
}

TEST(InputFile, AnEndlessPipeIsReadUpToTheLimit) {
  const TestFolder folder;
  const EndlessPipe pipe(folder, std::string(4096, 'x'));
  EXPECT_EQ(message_of<InputError>(folder, [&] { (void)read_file(pipe.path(), 1'000'000); }),
            "pipe: the file is larger than 1000000 bytes");
}

TEST(ReadFile, ReadsWhatIsAsLargeAsItsLimit) {
  const TestFolder folder;
  const std::string text(200'000, 'x');
  EXPECT_EQ(read_file(folder.put("a", text), text.size()), text);
  EXPECT_THROW((void)read_file(folder.path() / "a", text.size() - 1), InputError);
  EXPECT_EQ(read_file(folder.put("empty", ""), 0), "");
}

// A table that grows for ever.
TEST(ReadCsv, AnEndlessPipeOfRowsEndsAtTheMemoryOfATable) {
  const TestFolder folder;
  const EndlessPipe pipe(folder, "1,2\n3,4\n");
  const TableLimits limits{.most_memory = 1'000'000};
  EXPECT_THAT(message_of<InputError>(folder, [&] { (void)read_csv(pipe.path(), Header::optional, {}, limits); }),
              StartsWith("pipe:62501: the table takes more than 1000000 bytes of memory up to this row"));
}

TEST(ReadCsv, TextsCountToTheMemoryOfATable) {
  const TestFolder folder;
  std::string text = "user,x\n";
  for (int i = 0; i < 100; ++i) text += std::to_string(i) + std::string(1000, 'u') + ",1\n";
  const auto path = folder.put("t.csv", text);
  const auto is_user = [](std::string_view name) { return name == "user"; };
  EXPECT_NO_THROW((void)read_csv(path, Header::required, is_user, {.most_memory = 300'000}));
  EXPECT_THAT(message_of<InputError>(
                  folder, [&] { (void)read_csv(path, Header::required, is_user, {.most_memory = 100'000}); }),
              HasSubstr("the table takes more than"));
}

struct Reader {
  const char* name;
  std::function<void(const fs::path&)> read;
};

class EveryReader : public ::testing::TestWithParam<Reader> {
 protected:
  std::string refusal(const fs::path& path) {
    return message_of<InputError>(folder_, [&] { GetParam().read(path); });
  }
  TestFolder folder_;
};

// Of text.
TEST_P(EveryReader, NamesNulBytesForWhatTheyAre) {
  EXPECT_THAT(refusal("/dev/zero"),
              StartsWith("/dev/zero:1: there is a NUL byte, so this is no text, or not in UTF-8; "));
  // As a spreadsheet saves "Unicode text".
  EXPECT_THAT(refusal(folder_.put("utf16", std::string_view("\xff\xfe"
                                                            "a\0,\0b\0\n\0",
                                                            10))),
              StartsWith("utf16:1: there is a NUL byte"));
}

TEST_P(EveryReader, NamesTheFileThatCannotBeRead) {
  EXPECT_THAT(refusal(folder_.path() / "none"), StartsWith("none: cannot read the file: No such file or directory"));
  fs::create_directory(folder_.path() / "below");
  EXPECT_THAT(refusal(folder_.path() / "below"), StartsWith("below: this is a folder"));
}

TEST_P(EveryReader, StopsInALineWithoutEnd) {
  const EndlessPipe pipe(folder_, std::string(65536, '1'));
  EXPECT_THAT(refusal(pipe.path()), StartsWith("pipe:1: the line is longer than "));
}

template <class R, class... Arguments>
Reader rows_of(const char* name, Arguments... arguments) {
  return {name, [arguments...](const fs::path& path) {
            R reader(path, arguments...);
            MultiLabelRow row;
            while (reader.next(row)) continue;
          }};
}

INSTANTIATE_TEST_SUITE_P(
    Data, EveryReader,
    ::testing::Values(Reader{"csv", [](const auto& path) { (void)read_csv(path); }},
                      Reader{"number_rows", [](const auto& path) { (void)read_csv(path, Header::optional); }},
                      Reader{"environment", [](const auto& path) { (void)Environment::read(path); }},
                      rows_of<LibsvmReader>("libsvm"), rows_of<ArffReader>("arff", LabelColumns{1}),
                      Reader{"criteo",
                             [](const auto& path) {
                               CriteoReader reader(path);
                               while (reader.next()) continue;
                             }}),
    [](const auto& one) { return std::string(one.param.name); });

TEST(Idx, DevicesAndPipesWithoutEndAreRefused) {
  const TestFolder folder;
  EXPECT_THAT(message_of<InputError>(folder, [&] { (void)read_idx_images("/dev/zero"); }),
              StartsWith("/dev/zero: the file begins with 00000000"));
  // 2 labels are promised.
  const EndlessPipe pipe(folder, std::string("\0\0\x08\x01\0\0\0\2", 8));
  EXPECT_THAT(message_of<InputError>(folder, [&] { (void)read_idx_labels(pipe.path()); }),
              HasSubstr("it was added to"));
}

}  // namespace
}  // namespace sotto::apps
