#include "sotto/apps/kit/data/criteo.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tests/apps/kit/data/criteo_sample.h"
#include "tests/apps/kit/data/test_files.h"

namespace sotto::apps {
namespace {

using testing::HasSubstr;

// Label, 13 integers and 26 categories.
std::string row(const std::string& label = "1", const std::string& integer = "5",
                const std::string& category = "0a1b2c3d") {
  std::string text = label;
  for (int i = 0; i < 13; ++i) text += "\t" + integer;
  for (int i = 0; i < 26; ++i) text += "\t" + category;
  return text;
}

TEST(Criteo, ReadsARow) {
  const CriteoRow read = parse_criteo_row(
      "0\t1\t-3\t\t9223372036854775807\t0\t0\t0\t0\t0\t0\t0\t0\t12\t68fd1e64\t\tffffffff\tA" +
          std::string(22, '\t'),
      "f", 1);
  EXPECT_FALSE(read.clicked);
  EXPECT_EQ(read.integers[0], 1);
  EXPECT_EQ(read.integers[1], -3);
  EXPECT_FALSE(read.integers[2]);
  EXPECT_EQ(read.integers[3], INT64_MAX);
  EXPECT_EQ(read.integers[12], 12);
  EXPECT_EQ(read.categories[0], 0x68fd1e64U);
  EXPECT_FALSE(read.categories[1]);
  EXPECT_EQ(read.categories[2], 0xffffffffU);
  EXPECT_EQ(read.categories[3], 10U);
  EXPECT_FALSE(read.categories[25]);
}

TEST(Criteo, StreamsAFileWithEitherLineEndAndWithoutTheLast) {
  const TestFolder folder;
  CriteoReader reader(folder.put("log.txt", row("1") + "\r\n" + row("0") + "\n" + row("1")));
  for (const bool clicked : {true, false, true}) {
    const auto read = reader.next();
    ASSERT_TRUE(read);
    EXPECT_EQ(read->clicked, clicked);
    EXPECT_EQ(read->categories[25], 0x0a1b2c3dU);
  }
  EXPECT_EQ(reader.line(), 3u);
  EXPECT_FALSE(reader.next());
  EXPECT_FALSE(reader.next());
}

std::string fault_of(const std::string& contents) {
  const TestFolder folder;
  const auto path = folder.put("log.txt", contents);
  return message_of<InputError>(folder, [&] {
    CriteoReader reader(path);
    while (reader.next()) {
    }
  });
}

TEST(Criteo, NamesTheLineOfWhatIsWrong) {
  const std::string good = row() + "\n";
  EXPECT_THAT(fault_of(good + row("2") + "\n"), HasSubstr("log.txt:2:1: the label is neither"));
  EXPECT_THAT(fault_of(good + good + row("")), HasSubstr("log.txt:3:1"));
  EXPECT_THAT(fault_of(row("1", "1.5")), HasSubstr("log.txt:1:2: not an integer"));
  EXPECT_THAT(fault_of(row("1", "99999999999999999999")), HasSubstr("log.txt:1:2"));
  EXPECT_THAT(fault_of(row("1", "1", "xyz")), HasSubstr("log.txt:1:15: not a category"));
  EXPECT_THAT(fault_of(row("1", "1", "123456789")), HasSubstr("log.txt:1:15"));
  EXPECT_THAT(fault_of(row("1", "1", "-1")), HasSubstr("log.txt:1:15"));
  EXPECT_THAT(fault_of(good + "\n" + good), HasSubstr("log.txt:2: 1 column separated by tabs"));
  EXPECT_THAT(fault_of(row().substr(2)), HasSubstr("without labels"));
  EXPECT_THAT(fault_of(row() + "\t"), HasSubstr("log.txt:1: 41 columns"));
  EXPECT_THAT(fault_of("a,b,c\n"), HasSubstr("log.txt:1: 1 column "));
  EXPECT_THAT(fault_of(std::string(100'000, 'a')), HasSubstr("log.txt:1: the line is longer"));
  EXPECT_THAT(fault_of(""), HasSubstr("log.txt: the file is empty"));
  EXPECT_THAT(fault_of("\x1f\x8b\x08"), HasSubstr("compressed"));
}

TEST(Criteo, NamesTheFileThatCannotBeRead) {
  const TestFolder folder;
  EXPECT_THAT(message_of<InputError>(folder, [&] { CriteoReader(folder.path() / "none"); }),
              HasSubstr("none: cannot read the file"));
  EXPECT_THAT(message_of<InputError>(folder, [&] { CriteoReader(folder.path()); }),
              HasSubstr("folder"));
}

RC_GTEST_PROP(Criteo, RefusesOrReadsAnyBytes, (const std::string& text)) {
  try {
    (void)parse_criteo_row(text, "f", 1);
  } catch (const InputError& error) {
    RC_ASSERT(std::string(error.what()).starts_with("f:1"));
  }
}

TEST(Criteo, ReadsTheGeneratedSample) {
  const TestFolder folder;
  CriteoReader reader(folder.put("log.txt", criteo_sample(500, 1)));
  std::size_t rows = 0, clicks = 0, missing = 0;
  while (const auto read = reader.next()) {
    ++rows;
    clicks += read->clicked ? 1 : 0;
    missing += read->integers[5] ? 0 : 1;
  }
  EXPECT_EQ(rows, 500u);
  EXPECT_GT(clicks, 50u);
  EXPECT_GT(missing, 20u);
}

}  // namespace
}  // namespace sotto::apps
