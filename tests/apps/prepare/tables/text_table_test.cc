#include "apps/prepare/tables/text_table.h"
#include "apps/kit/files/table.h"
#include "apps/prepare/tables/cell.h"
#include "tests/apps/prepare/tables/tables.h"
#include "tests/apps/support.h"
#include "tests/properties.h"

namespace sotto::apps::prepare {
namespace {

using ReadsTextTables = InFolder;

TEST_F(ReadsTextTables, CellsOfAnyKind) {
  const TextTable table =
      table_of(folder, "\xef\xbb\xbfid, \"the, plan\" ,n\r\n7,\"gold \"\"1\"\"\", 1.5 \r\n8, \" a \",\r\n\r\n");
  EXPECT_THAT(table.columns(), ElementsAre("id", "the, plan", "n"));
  EXPECT_EQ(table.rows(), 2U);
  EXPECT_EQ(table.cell(0, 1), "gold \"1\"");
  EXPECT_EQ(table.cell(0, 2), "1.5");
  EXPECT_EQ(table.cell(1, 1), "a");
  EXPECT_EQ(table.cell(1, 2), "");
  EXPECT_EQ(table.separator(), ',');
  EXPECT_THAT(table.where(1, 2), EndsWith("t.csv:3:3"));
}

TEST_F(ReadsTextTables, FramesAsTheirFiles) {
  const TextTable file = table_of(folder, "id,\"the, plan\"\n7,\" gold \"\n8,\n");
  const TextTable frame = TextTable::of_frame({" id", "the, plan"}, {{"7", "8"}, {" gold ", ""}});
  EXPECT_EQ(frame.columns(), file.columns());
  ASSERT_EQ(frame.rows(), file.rows());
  for (std::size_t r = 0; r < frame.rows(); ++r) {
    for (std::size_t c = 0; c < frame.columns().size(); ++c) EXPECT_EQ(frame.cell(r, c), file.cell(r, c));
  }
  EXPECT_EQ(frame.where(1, 1), "row 1, column 'the, plan'");
  EXPECT_EQ(frame.where(1), "1");
  EXPECT_EQ(frame.where_names(), "the frame");
}

TEST_F(ReadsTextTables, RefusesFramesByRowAndColumn) {
  const auto refusal = [&](std::vector<std::string> names, const std::vector<std::vector<std::string>>& columns) {
    return message_of<InputError>(folder, [&] { (void)TextTable::of_frame(std::move(names), columns); });
  };
  EXPECT_THAT(refusal({"x", "x "}, {{"1"}, {"2"}}),
              StartsWith("the frame's column 1: a second column of the name 'x'"));
  EXPECT_THAT(refusal({"x", ""}, {{"1"}, {"2"}}), StartsWith("the frame's column 1: its name is empty"));
  EXPECT_THAT(refusal({"x"}, {{}}), StartsWith("the frame: there is no row"));
  EXPECT_THAT(refusal({}, {}), StartsWith("the frame: there is no row, or no column"));
  EXPECT_THAT(refusal({"x"}, {{"1", "secret\nsecret"}}), StartsWith("row 1, column 'x': a text of several lines"));
  EXPECT_THAT(refusal({"x"}, {{"\xff"}}), StartsWith("row 0, column 'x': a text that is not in UTF-8"));
  EXPECT_THAT(refusal(std::vector<std::string>(most_table_columns + 1, "x"), {}),
              StartsWith("the frame: 16385 columns, and 16384 is the most"));
  EXPECT_THROW((void)TextTable::of_frame({"x", "y"}, {{"1"}, {}}), std::invalid_argument);
  EXPECT_THROW((void)TextTable::of_frame({"x", "y"}, {{"1"}}), std::invalid_argument);
}

TEST_F(ReadsTextTables, SemicolonsAndTabsWhereThereAreNoCommas) {
  const TextTable semicolons = table_of(folder, "a;b\n1,5;x\n");
  EXPECT_EQ(semicolons.separator(), ';');
  EXPECT_EQ(semicolons.cell(0, 0), "1,5");
  const TextTable tabs = table_of(folder, "a\tb\tc\n\t\"x\ty\"\t\n\t\t\n");
  EXPECT_EQ(tabs.rows(), 2U);
  EXPECT_EQ(tabs.cell(0, 0), "");
  EXPECT_EQ(tabs.cell(0, 1), "x\ty");
  EXPECT_EQ(tabs.cell(1, 2), "");
}

TEST_F(ReadsTextTables, WhateverSeparatesOutsideOfQuotes) {
  const TextTable quoted = table_of(folder, "\"a, b\";c;\"d,e,f\"\n1,5;x;2\n");
  EXPECT_THAT(quoted.columns(), ElementsAre("a, b", "c", "d,e,f"));
  EXPECT_EQ(quoted.cell(0, 0), "1,5");
  const TextTable pipes = table_of(folder, "a|b|c\n1,5|x;y|\"p|q\"\n");
  EXPECT_EQ(pipes.separator(), '|');
  EXPECT_EQ(pipes.cell(0, 2), "p|q");
  // One name contains a comma, and another contains a pipe. The next line decides which of these characters is the
  // separator.
  EXPECT_EQ(table_of(folder, "age, years;income\n41;100\n").separator(), ';');
  EXPECT_EQ(table_of(folder, "a|b,c\n1,2\n").separator(), ',');
  EXPECT_EQ(table_of(folder, "a;b;c;d;e, f\n1,5;2;3;4;5\n").separator(), ';') << "most cells by far";
}

TEST_F(ReadsTextTables, AfterALineThatNamesTheSeparator) {
  for (const std::string line : {"sep=;", "\"sep=;\"", "SEP=;", "\xef\xbb\xbfsep=;;"}) {
    const TextTable table = table_of(folder, line + "\r\na, x;b\r\n1,5;7\r\n2;8\r\n");
    EXPECT_THAT(table.columns(), ElementsAre("a, x", "b")) << line;
    EXPECT_EQ(table.cell(0, 0), "1,5");
    EXPECT_TRUE(table.has_header());
    EXPECT_THAT(table.where(1, 1), EndsWith("t.csv:4:2"));
  }
  for (const std::string line : {"sep=\t", " \"sep=\t\" ", "sep=\t\t"}) {
    EXPECT_THAT(table_of(folder, line + "\r\na;b,c\tb\r\n1\t7\r\n").columns(), ElementsAre("a;b,c", "b")) << line;
  }
  EXPECT_EQ(table_of(folder, "sep=; \na, x;b\n1;7\n").separator(), ';');
  const TextTable rows = table_of(folder, "sep=|\n1|2\n", false);
  EXPECT_EQ(rows.rows(), 1U);
  EXPECT_FALSE(rows.has_header());
}

TEST_F(ReadsTextTables, WithOneFormOfEachName) {
  const TextTable table = table_of(folder, "Gro\u0308\u00dfe,\u00a0n\n1,2\n");
  EXPECT_THAT(table.columns(), ElementsAre("Gr\u00f6\u00dfe", "n"));
  EXPECT_EQ(table.find_column("Gro\u0308\u00dfe"), 0U);
  EXPECT_EQ(table.column("Gr\u00f6\u00dfe", "--id"), 0U);
}

TEST_F(ReadsTextTables, WithoutAHeaderTheFirstLineIsARow) {
  const TextTable table = table_of(folder, "3,x\n4,y\n", false);
  EXPECT_THAT(table.columns(), ElementsAre("column_1", "column_2"));
  EXPECT_EQ(table.rows(), 2U);
  EXPECT_EQ(table.cell(0, 1), "x");
  EXPECT_THAT(table.where(0, 1), EndsWith("t.csv:1:2"));
}

TEST_F(ReadsTextTables, RefusesWhatIsNoTableAndSaysWhere) {
  std::string wide = "c0";
  for (int i = 1; i < 1'000'000; ++i) wide += ",c" + std::to_string(i);
  const std::pair<std::string, const char*> cases[] = {
      {"", "t.csv: the file is empty"},
      {"\n1\n", "t.csv:1: the first line is blank"},
      {"a,b\n", "t.csv:1: there is no row below"},
      {"a,\n1,2\n", "t.csv:1:2: this column has no name"},
      {",a,b\n0,1,2\n", "t.csv:1:1: the first column has no name, as row numbers have none; name it in the header"},
      {"\"\",\"a\"\n1,2\n", "t.csv:1:1: the first column has no name"},
      {"age, years;income\n5,5;100\n",
       "t.csv:1: this line has commas and semicolons; put names that have either into quotes, or write which"},
      {"Customers\na;b\n1;2\n", "t.csv:1: this line is one name, and semicolons separate the cells of the next"},
      {"age   income\n41    100\n", "t.csv:1: blanks separate the cells"},
      {"age income visits\n41 100 7\n", "t.csv:1: blanks separate the cells"},
      {"sep=x\na;b\n1;2\n", "t.csv:1: sep= names none of commas, semicolons, tabs and pipes"},
      {"sep=;\n", "t.csv:1: there is no header line below this one"},
      {"\u00e9,e\u0301\n1,2\n", "t.csv:1:2: a second column of the same name"},
      {"a,b,a\n1,2,3\n", "t.csv:1:3: a second column of the same name"},
      {"a,\"b\n1,2\n", "t.csv:1:2: the quotes of this column name do not match"},
      {"a,b\x07\n1,2\n", "t.csv:1:2: this column name has a control character"},
      {"a,b\n1,2\n1\n", "t.csv:3: 1 cell, but the first line has 2 columns (missing from column 'b')"},
      {"a,b\n1,secret,3\n", "t.csv:2:3: more cells than the 2 columns of the first line"},
      {"a,b\n1,\"secret\n2,3\n", "t.csv:2:2: the quotes of this cell do not match, or it spans lines"},
      {"a,b\n1,2\n\n3,4\n", "t.csv:3: a blank line between rows"},
      {"a,b\n1,M\xfcller\n", "t.csv:2: not in UTF-8, as Latin-1"},
      {"M\xfcller,b\n1,2\n", "t.csv:1: not in UTF-8, as Latin-1"},
      {std::string("a,b\n1,\0", 7), "t.csv:2: there is a NUL byte"},
      {"\x1f\x8b\x08more", "t.csv: this file is compressed by gzip; unpack it first"},
      {"PK\x03\x04more", "t.csv: this file is a zip archive, as workbooks of Excel are"},
      {std::string("\xff\xfe"
                   "a\0\n\0",
                   6),
       "t.csv: this text is in UTF-16"},
      {std::string("\xfe\xff\0a\0\n", 6), "t.csv: this text is in UTF-16"},
      {wide + "\n", "t.csv:1: 1000000 columns, and 16384 is the most"},
  };
  for (const auto& [text, says] : cases) {
    const auto path = folder.put("t.csv", text);
    const std::string said = message_of<InputError>(folder, [&] { (void)TextTable::read(path); });
    EXPECT_THAT(said, StartsWith(says));
    EXPECT_THAT(said, Not(HasSubstr("secret")));
  }
}

TEST_F(ReadsTextTables, NamesANearColumn) {
  const TextTable table = table_of(folder, "customer_id,age\n1,2\n");
  EXPECT_THAT(message_of<InputError>(folder, [&] { (void)table.column("custmer_id", "--id"); }),
              StartsWith("t.csv:1: there is no column 'custmer_id' (--id); did you mean customer_id?"));
}

PROPERTY(CsvCellsOfALine, AreThoseThatWereJoined) {
  const char separator = draw_one_of({',', ';', '\t', '|'});
  const auto texts = draw_vector(draw_length(1), [&] { return draw_text(std::string("ab \"") + separator); });
  std::string line;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (i > 0) line += separator;
    line += '"';
    for (const char c : texts[i]) line += c == '"' ? std::string("\"\"") : std::string(1, c);
    line += '"';
  }
  CsvCells cells(line, separator);
  for (const std::string& text : texts) {
    HOLDS(!cells.done());
    HOLDS(unquoted_cell(cells.next()) == text);
  }
  HOLDS(cells.done());
}

TableCell text_cell(std::string_view what) {
  TableCell cell;
  cell.text = what;
  return cell;
}

TableCell number_cell(double what) {
  TableCell cell;
  cell.number = what;
  return cell;
}

TEST(CellKinds, AreThoseOfTables) {
  const std::pair<const char*, CellKind> cases[] = {
      {"", CellKind::missing},
      {"NA", CellKind::missing},
      {"n/a", CellKind::missing},
      {"NaN", CellKind::missing},
      {"?", CellKind::missing},
      {"-", CellKind::missing},
      {"0", CellKind::number},
      {"-1.5e3", CellKind::number},
      {"+7", CellKind::number},
      {"1e30", CellKind::number},
      {"1e31", CellKind::not_finite},
      {"-inf", CellKind::not_finite},
      {"Infinity", CellKind::not_finite},
      {"1e999", CellKind::not_finite},
      {"12%", CellKind::percentage},
      {"12.5 %", CellKind::percentage},
      {"%", CellKind::text},
      {"1,5", CellKind::decimal_comma},
      {"-0,25", CellKind::decimal_comma},
      {"1,234,567", CellKind::grouped},
      {"1.234,5", CellKind::grouped},
      {"1'234", CellKind::grouped},
      {"12 345 678", CellKind::grouped},
      {"12\u00a0345", CellKind::grouped},
      {"12\u202f345,50", CellKind::grouped},
      {"12,5\u00a0%", CellKind::text},
      {"12.5\u202f%", CellKind::percentage},
      {"$12", CellKind::currency},
      {"-$1,200.50", CellKind::currency},
      {"7,50\u00a0\u20ac", CellKind::currency},
      {"CHF 1'200", CellKind::currency},
      {"12 kr", CellKind::currency},
      {"EUR", CellKind::text},
      {"US$ much", CellKind::text},
      {"01067", CellKind::number},
      {"\u00a0 7\u2003", CellKind::number},
      {"\u00a0", CellKind::missing},
      {"10.0.0.1", CellKind::text},
      {"1.2.3", CellKind::text},
      {"030 1234 567", CellKind::text},
      {"2026-11-23", CellKind::date},
      {"23.11.2026", CellKind::date},
      {"11/23/26", CellKind::date},
      {"2026-11-23T10:15:00Z", CellKind::date},
      {"2026-11-23 10:15", CellKind::date},
      {"2026-11", CellKind::text},
      {"2026-11-23x", CellKind::text},
      {"gold", CellKind::text},
      {"0x10", CellKind::text},
      {"12a", CellKind::text},
      {"+", CellKind::text},
  };
  for (const auto& [what, kind] : cases) EXPECT_EQ(described(kind_of(text_cell(what), {})), described(kind)) << what;
}

TEST(CellKinds, DecimalCommas) {
  const CellForm form{true, {}};
  EXPECT_EQ(number_in(text_cell("1,5"), form), 1.5);
  EXPECT_EQ(number_in(text_cell("-3"), form), -3);
  EXPECT_EQ(number_in(text_cell("1.5"), form), std::nullopt);
  EXPECT_EQ(kind_of(text_cell("1.5"), form), CellKind::decimal_comma);
  EXPECT_EQ(number_in(text_cell("1.234,5"), form), std::nullopt);
  EXPECT_EQ(number_in(text_cell("1,5,"), form), std::nullopt);
}

TEST(CellKinds, WordsForMissingValuesAndPercent) {
  const CellForm form{false, {"unknown", "-1"}};
  EXPECT_TRUE(is_missing(text_cell("unknown"), form));
  EXPECT_TRUE(is_missing(text_cell("-1"), form));
  EXPECT_TRUE(is_missing(number_cell(-1), form)) << "as a later row has it";
  EXPECT_TRUE(is_missing(text_cell("-1.0"), form));
  EXPECT_FALSE(is_missing(text_cell("-1.5"), form));
  EXPECT_FALSE(is_missing(text_cell("-1"), {}));
  EXPECT_EQ(number_in(text_cell("12 %"), form, true), 12);
  EXPECT_EQ(number_in(text_cell("12"), form, true), 12);
  EXPECT_EQ(number_in(text_cell("12%"), form), std::nullopt);
  EXPECT_EQ(number_in(text_cell("%"), form, true), std::nullopt);
  EXPECT_EQ(kind_of(number_cell(1e31), form), CellKind::not_finite);
}

TEST(CellKinds, WordsThatAreValues) {
  const CellForm form{false, {"unknown"}, {"None", "0"}};
  EXPECT_FALSE(is_missing(text_cell("None"), form));
  EXPECT_TRUE(is_missing(text_cell("NA"), form));
  EXPECT_TRUE(is_missing(text_cell(""), form));
  EXPECT_TRUE(is_missing({.text = {}, .number = {}, .is_null = true}, form));
  const CellForm accents{false, {"\u00e9t\u00e9"}};
  EXPECT_TRUE(is_missing(text_cell("e\u0301te\u0301"), accents));
}

TEST(CellKinds, CodesThatWouldBeOtherNumbers) {
  for (const char* code : {"01067", "00", "007", "12E3", "1e30", "1234567890123456", "0E1"}) {
    EXPECT_TRUE(is_code(code)) << code;
  }
  for (const char* none : {"0", "1067", "0.5", "00.5", "-01", "1.5E3", "1E+11", "1e-3", "123456789012345", "12E", "E3",
                           "12E3x", "", "x01"}) {
    EXPECT_FALSE(is_code(none)) << none;
  }
}

TEST(CellKinds, NumbersWhoseMarkMayBeBetweenThousands) {
  for (const char* group : {"33.167", "1.200", "-999.000", "+1.000"}) {
    EXPECT_EQ(shape_of(group, '.'), NumberShape::one_group) << group;
  }
  for (const char* whole : {"0", "950", "-7"}) EXPECT_EQ(shape_of(whole, '.'), NumberShape::short_whole) << whole;
  for (const char* plain : {"0.123", "1.5", "1.2000", "1234.567", "1234", "1,200", "1e3", "", "-"}) {
    EXPECT_EQ(shape_of(plain, '.'), NumberShape::plain) << plain;
  }
  EXPECT_EQ(shape_of("1,200", ','), NumberShape::one_group);
}

TEST(CellKinds, OfTheFirstVersion) {
  const CellForm form{.missing = {"-1"}, .first_version = true};
  EXPECT_FALSE(is_missing(number_cell(-1), form));
  EXPECT_FALSE(is_missing(text_cell("-1.0"), form));
  EXPECT_FALSE(is_missing(text_cell("\u00a0"), form));
  EXPECT_EQ(category_of(text_cell("01067"), form), "1067");
  EXPECT_EQ(category_of(text_cell("12E3"), form), "12000");
  EXPECT_EQ(category_of(text_cell("Zoe\u0308"), form), "Zoe\u0308");
  EXPECT_EQ(number_in(text_cell("\u00a07"), form), std::nullopt);
}

TEST(Categories, OfCodesAndOfTextsInAnyUnicodeForm) {
  EXPECT_EQ(category_of(text_cell("01067"), {}), "01067");
  EXPECT_EQ(category_of(text_cell("12E3"), {}), "12E3");
  EXPECT_EQ(category_of(text_cell("12345678901234567"), {}), "12345678901234567");
  EXPECT_EQ(category_of(text_cell("Zoe\u0308"), {}), "Zo\u00eb");
  EXPECT_EQ(category_of(text_cell("\u00a0gold\u2003"), {}), "gold");
}

TEST(Categories, OfEqualNumbersAreEqual) {
  EXPECT_EQ(category_of(text_cell("1.0"), {}), "1");
  EXPECT_EQ(category_of(number_cell(1), {}), "1");
  EXPECT_EQ(category_of(text_cell("-0"), {}), "0");
  EXPECT_EQ(category_of(text_cell("0.1"), {}), category_of(number_cell(0.1), {}));
  EXPECT_EQ(category_of(text_cell("TRUE"), {}), "true");
  EXPECT_EQ(category_of(text_cell("Gold"), {}), "Gold");
}

}  // namespace
}  // namespace sotto::apps::prepare
