#include "sotto/apps/kit/files/number_rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "tests/apps/kit/data/test_files.h"

namespace sotto::apps {
namespace {

using testing::ElementsAre;
using testing::EndsWith;
using testing::StartsWith;

Table read_text(std::string_view text) {
  const TestFolder folder;
  return read_number_rows(folder.put("n.csv", text));
}

TEST(NumberRows, AFirstLineOfNumbersIsData) {
  const Table table = read_text("1,-2.5\n3e2,+4\n");
  EXPECT_EQ(table.rows, 2U);
  EXPECT_THAT(table.columns, ElementsAre("1", "2"));
  EXPECT_THAT(table.values, ElementsAre(1, -2.5, 300, 4));
  EXPECT_THAT(table.where(0), EndsWith("n.csv:1"));
  EXPECT_THAT(table.where(1, 1), EndsWith("n.csv:2:2"));
}

TEST(NumberRows, AFirstLineWithAWordIsAHeader) {
  const Table table = read_text("1,b\n3,4\n");
  EXPECT_EQ(table.rows, 1U);
  EXPECT_THAT(table.columns, ElementsAre("1", "b"));
  EXPECT_THAT(table.values, ElementsAre(3, 4));
  EXPECT_THAT(table.where(0), EndsWith("n.csv:2"));
}

TEST(NumberRows, OneNumberIsARow) {
  const Table table = read_text("7");
  EXPECT_EQ(table.rows, 1U);
  EXPECT_THAT(table.values, ElementsAre(7));
}

TEST(NumberRows, AcceptsWhatSpreadsheetsWrite) {
  EXPECT_THAT(read_text("\xEF\xBB\xBF\"1\", 2\r\n3,4\r\n\r\n").values, ElementsAre(1, 2, 3, 4));
}

struct BadRows {
  std::string_view text;
  std::string_view message;
};

class ReadBadRows : public testing::TestWithParam<BadRows> {};

TEST_P(ReadBadRows, NamesThePlaceAndTheFault) {
  const TestFolder folder;
  const auto path = folder.put("bad.csv", GetParam().text);
  EXPECT_THAT(message_of<InputError>(folder, [&] { (void)read_number_rows(path); }),
              StartsWith(std::string(GetParam().message)));
}

INSTANTIATE_TEST_SUITE_P(
    Corpus, ReadBadRows,
    testing::Values(
        BadRows{"", "bad.csv: the file is empty; a CSV file with rows of numbers is needed"},
        BadRows{"a,b\n", "bad.csv:1: there is no row below"},
        BadRows{"1,2\n3\n", "bad.csv:2: 1 cell, but the first line has 2 columns"},
        BadRows{"1,2\n3,4,5\n", "bad.csv:2:3: more cells than the first line's 2 columns"},
        BadRows{"a,b\n3\n", "bad.csv:2: 1 cell, but the header has 2 columns"},
        BadRows{"nan,1\n2,3\n", "bad.csv:1:1: not a finite number"},
        BadRows{"1,2\n3,inf\n", "bad.csv:2:2: not a finite number"},
        BadRows{"1,1e999\n", "bad.csv:1:2: the number does not fit a double"},
        BadRows{"1,2\n3,x\n", "bad.csv:2:2: not a number (column '2')"},
        BadRows{"1,\n", "bad.csv:1:2: this column has no name"},
        BadRows{"1,2\n\n3,4\n", "bad.csv:2: a blank line between rows"}));

RC_GTEST_PROP(NumberRows, ReadsWhatWasWritten, ()) {
  const auto columns = *rc::gen::inRange<std::size_t>(1, 5);
  const auto rows = *rc::gen::inRange<std::size_t>(1, 20);
  const auto values = *rc::gen::container<std::vector<double>>(
      columns * rows,
      rc::gen::map(rc::gen::arbitrary<std::int32_t>(), [](std::int32_t x) { return x / 1024.0; }));
  std::string text;
  for (std::size_t i = 0; i < values.size(); ++i) {
    text += std::to_string(values[i]) + ((i + 1) % columns == 0 ? "\n" : ",");
  }
  const Table table = read_text(text);
  RC_ASSERT(table.rows == rows);
  RC_ASSERT(table.columns.size() == columns);
  for (std::size_t i = 0; i < values.size(); ++i) {
    RC_ASSERT(std::abs(table.values[i] - values[i]) < 1e-6);
  }
}

}  // namespace
}  // namespace sotto::apps
