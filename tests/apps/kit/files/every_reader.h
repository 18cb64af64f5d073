// Every reader of text files must pass these tests. For an endless input, or an input that is no text, the reader must
// throw an error that says what is wrong with the input.
#pragma once

#include <fcntl.h>

#include <csignal>

#include "tests/apps/support.h"

namespace sotto::apps {

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

TEST_P(EveryReader, NamesNulBytesForWhatTheyAre) {
  EXPECT_THAT(refusal("/dev/zero"),
              StartsWith("/dev/zero:1: there is a NUL byte, so this is no text, or not in UTF-8; "));
  EXPECT_THAT(refusal(folder_.put("utf16", std::string_view("\xff\xfe"
                                                            "a\0,\0b\0\n\0",
                                                            10))),
              StartsWith("utf16: this text is in UTF-16; save it in UTF-8"));
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

}  // namespace sotto::apps
