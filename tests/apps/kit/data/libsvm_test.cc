#include "sotto/apps/kit/data/libsvm.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tests/apps/kit/data/multi_label_sample.h"
#include "tests/apps/kit/data/test_files.h"

namespace sotto::apps {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

TEST(Libsvm, ReadsLabelsAndFeaturesFromZero) {
  const TestFolder folder;
  LibsvmReader reader(folder.put("data.svm", "5,0,12 1:0.5 3:-2 1048576:1e3\n"));
  MultiLabelRow row;
  ASSERT_TRUE(reader.next(row));
  EXPECT_THAT(row.labels, ElementsAre(0, 5, 12));
  EXPECT_THAT(row.features, ElementsAre(Pair(0, .5), Pair(2, -2), Pair(1048575, 1000)));
  EXPECT_FALSE(reader.next(row));
}

TEST(Libsvm, ReadsRowsWithoutLabelsOrFeaturesCommentsAndEitherLineEnd) {
  const TestFolder folder;
  LibsvmReader reader(folder.put(
      "data.svm", "\xEF\xBB\xBF# a comment\r\n 2:1\r\n3:1 # behind\n7\n7 \t 1:+2\n\n \n"));
  MultiLabelRow row;
  ASSERT_TRUE(reader.next(row));
  EXPECT_THAT(row.labels, IsEmpty());
  EXPECT_THAT(row.features, ElementsAre(Pair(1, 1)));
  ASSERT_TRUE(reader.next(row));
  EXPECT_THAT(row.labels, IsEmpty());
  EXPECT_THAT(row.features, ElementsAre(Pair(2, 1)));
  ASSERT_TRUE(reader.next(row));
  EXPECT_THAT(row.labels, ElementsAre(7));
  EXPECT_THAT(row.features, IsEmpty());
  ASSERT_TRUE(reader.next(row));
  EXPECT_THAT(row.features, ElementsAre(Pair(0, 2)));
  EXPECT_FALSE(reader.next(row));
}

TEST(Libsvm, CountsFromZeroBelowAHeader) {
  const TestFolder folder;
  LibsvmReader reader(folder.put("data.txt", "2 4 3\n0,2 0:1 3:2\n 1:5\n"));
  MultiLabelRow row;
  ASSERT_TRUE(reader.next(row));
  EXPECT_THAT(row.labels, ElementsAre(0, 2));
  EXPECT_THAT(row.features, ElementsAre(Pair(0, 1), Pair(3, 2)));
  ASSERT_TRUE(reader.next(row));
  EXPECT_THAT(row.features, ElementsAre(Pair(1, 5)));
  EXPECT_FALSE(reader.next(row));
}

std::string fault_of(const std::string& contents) {
  const TestFolder folder;
  const auto path = folder.put("f.svm", contents);
  return message_of<InputError>(folder, [&] {
    LibsvmReader reader(path);
    MultiLabelRow row;
    while (reader.next(row)) {
    }
  });
}

TEST(Libsvm, NamesThePlaceOfWhatIsWrong) {
  EXPECT_THAT(fault_of("1 1:1\nx 1:1\n"), HasSubstr("f.svm:2:1: not a label"));
  EXPECT_THAT(fault_of("1,,2 1:1\n"), HasSubstr("f.svm:1:1: not a label"));
  EXPECT_THAT(fault_of("-1 1:1\n"), HasSubstr("f.svm:1:1: not a label"));
  EXPECT_THAT(fault_of("4,4 1:1\n"), HasSubstr("f.svm:1:1: a label is there twice"));
  EXPECT_THAT(fault_of("65536 1:1\n"), HasSubstr("f.svm:1:1: a label is not below 65536"));
  EXPECT_THAT(fault_of("1 1:1 2\n"), HasSubstr("f.svm:1:3: not a feature"));
  EXPECT_THAT(fault_of("1 a:1\n"), HasSubstr("f.svm:1:2: not a feature"));
  EXPECT_THAT(fault_of("1 1:nan\n"), HasSubstr("f.svm:1:2: the value is not"));
  EXPECT_THAT(fault_of("1 1:1e999\n"), HasSubstr("f.svm:1:2: the value is not"));
  EXPECT_THAT(fault_of("1 1:1e308\n"), HasSubstr("f.svm:1:2: the value is not"));
  EXPECT_THAT(fault_of("1 1:\n"), HasSubstr("f.svm:1:2: the value is not"));
  EXPECT_THAT(fault_of("1 0:1\n"), HasSubstr("f.svm:1:2: indices count from 1"));
  EXPECT_THAT(fault_of("1 2:1 2:1\n"), HasSubstr("f.svm:1:3: indices must ascend"));
  EXPECT_THAT(fault_of("1 99999999999:1\n"), HasSubstr("f.svm:1:2: the index is beyond"));
  EXPECT_THAT(fault_of("1 1:1\n\n2 1:1\n"), HasSubstr("f.svm:2: the line is blank"));
  EXPECT_THAT(fault_of("1 4 3\n0 4:1\n"), HasSubstr("f.svm:2:2: the index is beyond the 4"));
  EXPECT_THAT(fault_of("1 4 3\n3 1:1\n"), HasSubstr("f.svm:2:1: a label is not below 3"));
  EXPECT_THAT(fault_of("3 4 3\n1 1:1\n"),
              HasSubstr("f.svm: the header promises 3 rows, there are 1"));
  EXPECT_THAT(fault_of("3 4 99999\n1 1:1\n"), HasSubstr("f.svm:1: the header promises more than"));
  EXPECT_THAT(fault_of(""), HasSubstr("f.svm: the file is empty"));
  EXPECT_THAT(fault_of("# nothing\n"), HasSubstr("f.svm: there is no row"));
  EXPECT_THAT(fault_of("\x1f\x8b\x08"), HasSubstr("f.svm: this file is compressed"));
}

TEST(Libsvm, NamesTheFileThatCannotBeRead) {
  const TestFolder folder;
  EXPECT_THAT(message_of<InputError>(folder, [&] { LibsvmReader(folder.path() / "none"); }),
              HasSubstr("none: cannot read the file"));
  EXPECT_THAT(message_of<InputError>(folder, [&] { LibsvmReader(folder.path()); }),
              HasSubstr("this is a folder"));
}

RC_GTEST_PROP(Libsvm, ReadsBackWhatWasWritten, ()) {
  const MultiLabelSample sample =
      multi_label_sample(*rc::gen::inRange(1, 20), 12, 7, *rc::gen::inRange(0, 1 << 20));
  const TestFolder folder;
  LibsvmReader reader(folder.put("sample.svm", sample.libsvm()));
  MultiLabelRow row;
  for (std::size_t r = 0; r < sample.rows.size(); ++r) {
    RC_ASSERT(reader.next(row));
    RC_ASSERT(row.labels == sample.rows[r].labels);
    RC_ASSERT(row.features == sample.rows[r].features);
  }
  RC_ASSERT(!reader.next(row));
}

RC_GTEST_PROP(Libsvm, RefusesOrReadsAnyBytes, (const std::string& text)) {
  const TestFolder folder;
  const auto path = folder.put("f", text);
  try {
    LibsvmReader reader(path);
    MultiLabelRow row;
    while (reader.next(row)) {
      for (std::size_t i = 1; i < row.features.size(); ++i) {
        RC_ASSERT(row.features[i - 1].first < row.features[i].first);
      }
    }
  } catch (const InputError& error) {
    RC_ASSERT(std::string(error.what()).starts_with(path.string() + ":"));
  }
}

}  // namespace
}  // namespace sotto::apps
