#include "apps/kit/files/input_file.h"
#include "apps/kit/files/table.h"
#include "tests/apps/kit/files/every_reader.h"
#include "tests/properties.h"

namespace sotto::apps {
namespace {

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

INSTANTIATE_TEST_SUITE_P(Data, EveryReader,
                         ::testing::Values(Reader{"csv", [](const auto& path) { (void)read_csv(path); }},
                                           Reader{"number_rows",
                                                  [](const auto& path) { (void)read_csv(path, Header::optional); }}),
                         [](const auto& one) { return std::string(one.param.name); });

Table read_table(std::string_view text) {
  const TestFolder folder;
  return read_csv(folder.put("t.csv", text));
}

TEST(ReadCsv, ReadsHeaderAndNumbers) {
  const Table table = read_table("a,b\n1,2.5\n-3e2,+4\n");
  EXPECT_THAT(table.columns, ElementsAre("a", "b"));
  EXPECT_EQ(table.rows, 2U);
  EXPECT_THAT(table.values, ElementsAre(1, 2.5, -300, 4));
  EXPECT_THAT(table.row(1), ElementsAre(-300, 4));
  EXPECT_EQ(table.find_column("b"), 1U);
  EXPECT_EQ(table.find_column("c"), std::nullopt);
  EXPECT_THAT(table.where(1), EndsWith("t.csv:3"));
  EXPECT_THAT(table.where(1, 1), EndsWith("t.csv:3:2"));
}

TEST(ReadCsv, AcceptsWhatSpreadsheetsWrite) {
  const Table expected = read_table("a,b\n1,2\n");
  for (const std::string_view text : {
           "a,b\r\n1,2\r\n",       // CRLF
           "a,b\n1,2",             // no line end at the end
           "a,b\n1,2\n\n \r\n\n",  // blank lines at the end
           "\xEF\xBB\xBF"
           "a,b\n1,2\n",            // byte order mark
           "\"a\",\"b\"\n1,2\n",    // quoted names
           " a ,\tb\n 1 , 2\t\n",   // blanks around cells
           "a,b\n\"1\",\" 2 \"\n",  // quoted numbers
       }) {
    const Table table = read_table(text);
    EXPECT_EQ(table.columns, expected.columns) << text;
    EXPECT_EQ(table.values, expected.values) << text;
    EXPECT_EQ(table.rows, 1U) << text;
  }
  EXPECT_THAT(read_table("\"x, \"\"left\"\"\",y\n1,2\n").columns, ElementsAre("x, \"left\"", "y"));
  EXPECT_THAT(read_table("x\n-0\n").values, ElementsAre(0));
  EXPECT_THAT(read_table("x\n1e30\n-1e30\n").values, ElementsAre(1e30, -1e30));
}

TEST(ReadCsv, NamesThePlaceAndTheFault) {
  const std::pair<std::string_view, const char*> cases[] = {

      {"", "bad.csv: the file is empty"},
      {"\xEF\xBB\xBF\r\n\n", "bad.csv: the file is empty"},
      {"a,b\n", "bad.csv:1: there is no row below"},
      {"a,b\r\n\r\n", "bad.csv:1: there is no row below"},
      {"a,b\n1,2\n3\n", "bad.csv:3: 1 cell, but the header has 2 columns (missing from column 'b')"},
      {"a,b,c\n1,2,\n", "bad.csv:2:3: the cell is empty, a number is needed (column 'c')"},
      {"a,b,c,d\n1,2,\n", "bad.csv:2: 3 cells, but the header has 4 columns"},
      {"a,b\n1,2\n3,4,5\n", "bad.csv:3:3: more cells than the header's 2 columns"},
      {"a,b\n1,2,\n", "bad.csv:2:3: more cells than the header's 2 columns"},
      {"a,b\n1,x\n", "bad.csv:2:2: not a number (column 'b')"},
      {"a,b\n1,2 3\n", "bad.csv:2:2: not a number"},
      {"a\n0x10\n", "bad.csv:2:1: not a number"},
      {"a\n+-1\n", "bad.csv:2:1: not a number"},
      {"a\n--1\n", "bad.csv:2:1: not a number"},
      {"a\n1,5\n", "bad.csv:2:2: more cells"},
      {"a\n\"1\n", "bad.csv:2:1: not a number"},
      {"a\n\"\"\n", "bad.csv:2:1: the cell is empty"},
      {"a,b\n,1\n", "bad.csv:2:1: the cell is empty, a number is needed (column 'a')"},
      {"a\nnan\n", "bad.csv:2:1: not a finite number"},
      {"a\n1\n-NaN\n", "bad.csv:3:1: not a finite number"},
      {"a\ninf\n", "bad.csv:2:1: not a finite number"},
      {"a\n-infinity\n", "bad.csv:2:1: not a finite number"},
      {"a\n1e999\n", "bad.csv:2:1: the number does not fit a double"},
      {std::string_view("a\n1\0\n", 5), "bad.csv:2: there is a NUL byte"},
      {"a,b\n1,1e308\n", "bad.csv:2:2: the number is larger in size than 1e30"},
      {"a\n-1.01e30\n", "bad.csv:2:1: the number is larger in size than 1e30"},
      {"\na\n1\n", "bad.csv:1: the first line is blank"},
      {"\x1f\x8b\x08", "bad.csv: this file is compressed by gzip; unpack it first"},
      {"a\n1\n\n2\n", "bad.csv:3: a blank line between rows"},
      {"a,b\n1,2\n\r\n3,4\n", "bad.csv:3: a blank line between rows"},
      {"a,b,a\n1,2,3\n", "bad.csv:1:3: a second column is named 'a'"},
      {"a,\"a\"\n1,2\n", "bad.csv:1:2: a second column is named 'a'"},
      {"a,,c\n1,2,3\n", "bad.csv:1:2: this column has no name"},
      {"a,b,\n1,2,3\n", "bad.csv:1:3: this column has no name"},
      {"a,\"b\n1,2\n", "bad.csv:1:2: the quotes of this column name do not match"},
      {"\"a\"b\",c\n1,2\n", "bad.csv:1:1: the quotes"},
      {"a;b\n1;2\n", "bad.csv:1: the columns are not separated by commas"},
  };
  const TestFolder folder;
  for (const auto& [text, says] : cases) {
    const auto path = folder.put("bad.csv", text);
    EXPECT_THAT(message_of<InputError>(folder, [&] { (void)read_csv(path); }), StartsWith(says));
  }
}

TEST(ReadCsv, DoesNotShowTheCell) {
  const TestFolder folder;
  const auto path = folder.put("t.csv", "a\n31337secret\n");
  EXPECT_THAT(message_of<InputError>(folder, [&] { (void)read_csv(path); }), Not(HasSubstr("31337")));
}

TEST(ReadCsv, RefusesOverlongLines) {
  const TestFolder folder;
  const auto header = folder.put("h.csv", std::string(max_line_bytes + 1, 'x') + "\n1\n");
  EXPECT_THAT(message_of<InputError>(folder, [&] { (void)read_csv(header); }),
              StartsWith("h.csv:1: the line is longer than"));
  const auto row = folder.put("r.csv", "a\n1\n" + std::string(max_line_bytes + 1, '1') + "\n");
  EXPECT_THAT(message_of<InputError>(folder, [&] { (void)read_csv(row); }),
              StartsWith("r.csv:3: the line is longer than"));
  const auto longest = folder.put("l.csv", "a\n0." + std::string(max_line_bytes - 2, '1') + "\n");
  EXPECT_NEAR(read_csv(longest).values[0], 1.0 / 9, 1e-12);
}

TEST(WriteCsv, RefusesWhatCannotBeRead) {
  const TestFolder folder;
  const auto path = folder.path() / "t.csv";
  const std::vector<std::string> columns{"a", "b"};
  const auto write = [&](std::vector<std::string> names, std::vector<double> values) {
    write_csv(path, names, values);
  };
  EXPECT_THROW(write(columns, {1}), std::invalid_argument);
  EXPECT_THROW(write({}, {}), std::invalid_argument);
  EXPECT_THROW(write(columns, {1, std::nan("")}), std::invalid_argument);
  EXPECT_THROW(write(columns, {1, std::numeric_limits<double>::infinity()}), std::invalid_argument);
  EXPECT_THROW(write(columns, {1, -1e31}), std::invalid_argument);
  EXPECT_THROW(write({"a\nb"}, {1}), std::invalid_argument);
  EXPECT_TRUE(fs::is_empty(folder.path()));
}

TEST(WriteCsv, WritesAsManyDigitsAsAsked) {
  const TestFolder folder;
  const auto path = folder.path() / "t.csv";
  const std::vector<std::string> columns{"a", "b, c"};
  const std::vector<double> values{1.0 / 3, 1, -2e-9, 1e20};
  write_csv(path, columns, values, 9);
  EXPECT_EQ(slurp(path), "a,\"b, c\"\n0.333333333,1\n-2e-09,1e+20\n");
}

TEST(ReadCsv, NumbersTextsInTheOrderInWhichTheyComeUp) {
  const TestFolder folder;
  const auto is_text = [](std::string_view name) { return name == "who"; };
  const auto path = folder.put("t.csv", "x,who\n1,ann\n2,\n3,ann\n4,5\n");
  EXPECT_EQ(read_csv(path, Header::required, is_text).values, (std::vector<double>{1, 0, 2, 1, 3, 0, 4, 2}));
  EXPECT_THROW((void)read_csv(path), InputError);
  const auto other = folder.put("u.csv", "x,who\nann,1\n");
  EXPECT_EQ(message_of<InputError>(folder, [&] { (void)read_csv(other, Header::required, is_text); }),
            "u.csv:2:1: not a number (column 'x')");
  const auto bare = folder.put("v.csv", "1,2\n3,ann\n");
  const auto any = [](std::string_view) { return true; };
  EXPECT_THROW((void)read_csv(bare, Header::optional, any), InputError);
}

PROPERTY(WriteCsv, ReadsBackExactly) {
  const auto names = draw_vector(draw_length(1), [] { return draw_text("ab \",;#'7", 1); });
  const std::set<std::string> distinct(names.begin(), names.end());
  const std::vector<std::string> columns(distinct.begin(), distinct.end());
  const auto rows = draw_in_range<std::size_t>(1, 5);
  const auto bits = draw_vector(rows * columns.size(), draw<std::uint64_t>);
  std::vector<double> values;
  for (const std::uint64_t pattern : bits) {
    const double value = std::bit_cast<double>(pattern * 0x9E3779B97F4A7C15U);
    values.push_back(std::abs(value) <= largest_cell ? value : 0.1);
  }
  const TestFolder folder;
  const auto path = folder.path() / "t.csv";
  // A single column whose name has ';' and no comma looks like another kind of file.
  assume(columns.size() > 1 || columns[0].find(';') == std::string::npos);
  write_csv(path, columns, values);
  const Table table = read_csv(path);
  HOLDS(table.columns == columns);
  HOLDS(table.rows == rows);
  HOLDS(table.values == values);
}

}  // namespace
}  // namespace sotto::apps
