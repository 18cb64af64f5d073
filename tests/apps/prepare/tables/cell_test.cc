#include "apps/prepare/tables/cell.h"
#include "tests/apps/support.h"

namespace sotto::apps::prepare {
namespace {

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

// A recipe of version 1 compares what is written.
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
