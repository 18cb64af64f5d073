#include "bench/lab/data/multi_label.h"
#include "bench/lab/data/criteo.h"
#include "tests/apps/kit/files/every_reader.h"
#include "tests/apps/support.h"
#include "tests/lab/data/samples.h"
#include "tests/properties.h"

namespace sotto::apps::lab {
namespace {

const std::string header =
    "% a comment\n\n@RELATION 'set of 2'\n"
    "@attribute plain numeric\n"
    "@Attribute 'with \\' quote' REAL\n"
    "@attribute colour {red, green,'light blue'}\n"
    "@attribute \"level\" {0,2,4}\n"
    "@attribute a {0,1}\n@attribute b{0,1}\n@attribute c integer\n@data\n";

using RowLabels = std::vector<std::uint32_t>;
using Features = std::vector<std::pair<std::uint32_t, double>>;

void expect_row(const MultiLabelRow& row, const RowLabels& labels, const Features& features) {
  EXPECT_EQ(row.labels, labels);
  EXPECT_EQ(row.features, features);
}

template <class Reader>
void expect_next(Reader& reader, const RowLabels& labels, const Features& features) {
  MultiLabelRow row;
  ASSERT_TRUE(reader.next(row));
  expect_row(row, labels, features);
}

template <class Reader>
void expect_end(Reader& reader) {
  MultiLabelRow row;
  EXPECT_FALSE(reader.next(row));
}

MultiLabelRow read_one(const std::string& text, const LabelColumns& labels) {
  const TestFolder folder;
  ArffReader reader(folder.put("data.arff", text), labels);
  MultiLabelRow row;
  EXPECT_TRUE(reader.next(row));
  EXPECT_FALSE(reader.next(row)) << "one row";
  return row;
}

TEST(Arff, ReadsDenseRowsOfAllTypes) {
  const MultiLabelRow row = read_one(header + "1.5, -2 ,'light blue',4,1,0,1\n", {3, false});
  expect_row(row, {0, 2}, {{0, 1.5}, {1, -2}, {2, 2}, {3, 4}});
}

TEST(Arff, ReadsSparseRows) {
  const MultiLabelRow row = read_one(header + "% rows\n{1 3, 2 green ,3 2,5 1}\r\n", {3, false});
  expect_row(row, {1}, {{1, 3}, {2, 1}, {3, 2}});
  const MultiLabelRow nothing = read_one(header + "{ }\n", {3, false});
  expect_row(nothing, {}, {});
}

TEST(Arff, TakesTheLabelsFromTheRelationOrTheCaller) {
  const std::string attributes = "@attribute x {0,1}\n@attribute y {0,1}\n@attribute z {0,1}\n@data\n1,0,1\n";
  const MultiLabelRow first = read_one("@relation 'weather: -C 2'\n" + attributes, {});
  expect_row(first, {0}, {{0, 1}});
  const MultiLabelRow last = read_one("@relation 'weather: -C -1 -V'\n" + attributes, {});
  expect_row(last, {0}, {{0, 1}});
  const MultiLabelRow told = read_one("@relation 'weather: -C 2'\n" + attributes, {1, true});
  expect_row(told, {0}, {{1, 1}});
}

template <class Reader, class... Columns>
std::string fault_of_rows(const std::string& name, const std::string& contents, Columns... columns) {
  const TestFolder folder;
  const auto path = folder.put(name, contents);
  return message_of<InputError>(folder, [&] {
    MultiLabelRow row;
    for (Reader reader(path, columns...); reader.next(row);) continue;
  });
}

std::string arff_fault_of(const std::string& contents, const LabelColumns& labels = {3, false}) {
  return fault_of_rows<ArffReader>("f.arff", contents, labels);
}

TEST(Arff, NamesThePlaceOfWhatIsWrong) {
  const std::string good = header + "1,2,red,0,0,0,0\n";
  EXPECT_THAT(arff_fault_of(good + "x,2,red,0,0,0,0\n"), HasSubstr("f.arff:13:1: not a finite number"));
  EXPECT_THAT(arff_fault_of(good + "1,inf,red,0,0,0,0\n"), HasSubstr("f.arff:13:2: not a finite"));
  EXPECT_THAT(arff_fault_of(good + "1,1e308,red,0,0,0,0\n"), HasSubstr("f.arff:13:2: not a finite"));
  EXPECT_THAT(arff_fault_of(good + "1,2,pink,0,0,0,0\n"), HasSubstr("f.arff:13:3: not one of the values"));
  EXPECT_THAT(arff_fault_of(good + "1,2,red,?,0,0,0\n"), HasSubstr("f.arff:13:4: a missing value"));
  EXPECT_THAT(arff_fault_of(good + "1,2,red,0,0,0,2\n"), HasSubstr("f.arff:13:7: a label is neither"));
  EXPECT_THAT(arff_fault_of(good + "1,2,red\n"), HasSubstr("f.arff:13: 3 values"));
  EXPECT_THAT(arff_fault_of(good + "1,2,red,0,0,0,0,1\n"), HasSubstr("f.arff:13: more than 7 values"));
  EXPECT_THAT(arff_fault_of(good + "1,2,'red,0,0,0,0\n"), HasSubstr("f.arff:13:3: a quote"));
  EXPECT_THAT(arff_fault_of(good + "1,2,'red'x,0,0,0,0\n"), HasSubstr("f.arff:13:3: a quote"));
  EXPECT_THAT(arff_fault_of(good + "{1 1\n"), HasSubstr("f.arff:13: a sparse row ends"));
  EXPECT_THAT(arff_fault_of(good + "{1 1,7 1}\n"), HasSubstr("f.arff:13:2: \"index value\""));
  EXPECT_THAT(arff_fault_of(good + "{1 1,1 1}\n"), HasSubstr("f.arff:13:2: indices must ascend"));
  EXPECT_THAT(arff_fault_of(good + "{1 1,}\n"), HasSubstr("f.arff:13:2: a value is missing"));
  EXPECT_THAT(arff_fault_of(header), HasSubstr("f.arff: there is no row"));
}

TEST(Arff, RefusesHeadersThatItDoesNotKnow) {
  EXPECT_THAT(arff_fault_of("1,2,3\n"), HasSubstr("f.arff:1: @relation, @attribute or @data"));
  EXPECT_THAT(arff_fault_of("@relation x\n@attribute a string\n@data\n"), HasSubstr("f.arff:2: the type"));
  EXPECT_THAT(arff_fault_of("@relation x\n@attribute a {0,1\n@data\n"), HasSubstr("f.arff:2: the values"));
  EXPECT_THAT(arff_fault_of("@relation x\n@attribute a\n@data\n"), HasSubstr("f.arff:2: \"@attribute"));
  EXPECT_THAT(arff_fault_of("@relation x\n@attribute 'a numeric\n@data\n"), HasSubstr("f.arff:2: \"@attribute"));
  EXPECT_THAT(arff_fault_of("@relation x\n"), HasSubstr("f.arff: there is no line @data"));
  EXPECT_THAT(arff_fault_of(header + "1\n", {}), HasSubstr("give their number with --labels"));
  EXPECT_THAT(arff_fault_of(header + "1\n", {7, false}), HasSubstr("7 of 7 attributes cannot be labels"));
  EXPECT_THAT(arff_fault_of(""), HasSubstr("f.arff: the file is empty"));
}

PROPERTY(Arff, RefusesOrReadsAnyBytes) {
  const auto text = draw<std::string>();
  const TestFolder folder;
  const auto path = folder.put("f", header + text);
  try {
    ArffReader reader(path, {3, false});
    MultiLabelRow row;
    while (reader.next(row)) {
      for (const auto& [feature, value] : row.features) HOLDS(feature < 4U);
      for (const std::uint32_t label : row.labels) HOLDS(label < 3U);
    }
  } catch (const InputError& error) {
    HOLDS(std::string(error.what()).starts_with(path.string() + ":"));
  }
}

TEST(Libsvm, ReadsLabelsAndFeaturesFromZero) {
  const TestFolder folder;
  LibsvmReader reader(folder.put("data.svm", "5,0,12 1:0.5 3:-2 1048576:1e3\n"));
  expect_next(reader, {0, 5, 12}, {{0, .5}, {2, -2}, {1048575, 1000}});
  expect_end(reader);
}

TEST(Libsvm, ReadsRowsWithoutLabelsOrFeaturesCommentsAndEitherLineEnd) {
  const TestFolder folder;
  LibsvmReader reader(folder.put("data.svm", "\xEF\xBB\xBF# a comment\r\n 2:1\r\n3:1 # behind\n7\n7 \t 1:+2\n\n \n"));
  expect_next(reader, {}, {{1, 1}});
  expect_next(reader, {}, {{2, 1}});
  expect_next(reader, {7}, {});
  expect_next(reader, {7}, {{0, 2}});
  expect_end(reader);
}

TEST(Libsvm, CountsFromZeroBelowAHeader) {
  const TestFolder folder;
  LibsvmReader reader(folder.put("data.txt", "2 4 3\n0,2 0:1 3:2\n 1:5\n"));
  expect_next(reader, {0, 2}, {{0, 1}, {3, 2}});
  expect_next(reader, {}, {{1, 5}});
  expect_end(reader);
}

std::string libsvm_fault_of(const std::string& contents) { return fault_of_rows<LibsvmReader>("f.svm", contents); }

TEST(Libsvm, NamesThePlaceOfWhatIsWrong) {
  EXPECT_THAT(libsvm_fault_of("1 1:1\nx 1:1\n"), HasSubstr("f.svm:2:1: not a label"));
  EXPECT_THAT(libsvm_fault_of("1,,2 1:1\n"), HasSubstr("f.svm:1:1: not a label"));
  EXPECT_THAT(libsvm_fault_of("-1 1:1\n"), HasSubstr("f.svm:1:1: not a label"));
  EXPECT_THAT(libsvm_fault_of("4,4 1:1\n"), HasSubstr("f.svm:1:1: a label is there twice"));
  EXPECT_THAT(libsvm_fault_of("65536 1:1\n"), HasSubstr("f.svm:1:1: a label is not below 65536"));
  EXPECT_THAT(libsvm_fault_of("1 1:1 2\n"), HasSubstr("f.svm:1:3: not a feature"));
  EXPECT_THAT(libsvm_fault_of("1 a:1\n"), HasSubstr("f.svm:1:2: not a feature"));
  EXPECT_THAT(libsvm_fault_of("1 1:nan\n"), HasSubstr("f.svm:1:2: the value is not"));
  EXPECT_THAT(libsvm_fault_of("1 1:1e999\n"), HasSubstr("f.svm:1:2: the value is not"));
  EXPECT_THAT(libsvm_fault_of("1 1:1e308\n"), HasSubstr("f.svm:1:2: the value is not"));
  EXPECT_THAT(libsvm_fault_of("1 1:\n"), HasSubstr("f.svm:1:2: the value is not"));
  EXPECT_THAT(libsvm_fault_of("1 0:1\n"), HasSubstr("f.svm:1:2: indices count from 1"));
  EXPECT_THAT(libsvm_fault_of("1 2:1 2:1\n"), HasSubstr("f.svm:1:3: indices must ascend"));
  EXPECT_THAT(libsvm_fault_of("1 99999999999:1\n"), HasSubstr("f.svm:1:2: the index is beyond"));
  EXPECT_THAT(libsvm_fault_of("1 1:1\n\n2 1:1\n"), HasSubstr("f.svm:2: the line is blank"));
  EXPECT_THAT(libsvm_fault_of("1 4 3\n0 4:1\n"), HasSubstr("f.svm:2:2: the index is beyond the 4"));
  EXPECT_THAT(libsvm_fault_of("1 4 3\n3 1:1\n"), HasSubstr("f.svm:2:1: a label is not below 3"));
  EXPECT_THAT(libsvm_fault_of("3 4 3\n1 1:1\n"), HasSubstr("f.svm: the header promises 3 rows, there are 1"));
  EXPECT_THAT(libsvm_fault_of("3 4 99999\n1 1:1\n"), HasSubstr("f.svm:1: the header promises more than"));
  EXPECT_THAT(libsvm_fault_of(""), HasSubstr("f.svm: the file is empty"));
  EXPECT_THAT(libsvm_fault_of("# nothing\n"), HasSubstr("f.svm: there is no row"));
  EXPECT_THAT(libsvm_fault_of("\x1f\x8b\x08"), HasSubstr("f.svm: this file is compressed"));
}

PROPERTY(MultiLabel, ReadsBackWhatWasWrittenInEitherFormat) {
  const MultiLabelSample sample = multi_label_sample(draw_in_range(1, 20), 12, 7, draw_in_range(0, 1 << 20));
  const TestFolder folder;
  for (const auto& path : {folder.put("sample.ARFF", sample.arff()), folder.put("sample.svm", sample.libsvm())}) {
    const auto reader = open_multi_label(path);
    MultiLabelRow row;
    for (const MultiLabelRow& wanted : sample.rows) {
      HOLDS(reader->next(row));
      HOLDS(row.labels == wanted.labels);
      HOLDS(row.features == wanted.features);
    }
    HOLDS(!reader->next(row));
  }
}

PROPERTY(Libsvm, RefusesOrReadsAnyBytes) {
  const auto text = draw<std::string>();
  const TestFolder folder;
  const auto path = folder.put("f", text);
  try {
    LibsvmReader reader(path);
    MultiLabelRow row;
    while (reader.next(row)) {
      for (std::size_t i = 1; i < row.features.size(); ++i) {
        HOLDS(row.features[i - 1].first < row.features[i].first);
      }
    }
  } catch (const InputError& error) {
    HOLDS(std::string(error.what()).starts_with(path.string() + ":"));
  }
}

template <class R, class... Arguments>
Reader reader_of(const char* name, Arguments... arguments) {
  return {name, [arguments...](const fs::path& path) {
            R reader(path, arguments...);
            MultiLabelRow row;
            while (reader.next(row)) continue;
          }};
}

INSTANTIATE_TEST_SUITE_P(Data, EveryReader,
                         ::testing::Values(reader_of<LibsvmReader>("libsvm"),
                                           reader_of<ArffReader>("arff", LabelColumns{1}),
                                           Reader{"criteo",
                                                  [](const auto& path) {
                                                    CriteoReader reader(path);
                                                    while (reader.next()) continue;
                                                  }}),
                         [](const auto& one) { return std::string(one.param.name); });

}  // namespace
}  // namespace sotto::apps::lab
