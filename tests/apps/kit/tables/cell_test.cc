#include "sotto/apps/kit/tables/cell.h"
#include "tests/apps/support.h"

namespace sotto::apps {
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
  EXPECT_FALSE(is_missing(number_cell(-1), form));
  EXPECT_FALSE(is_missing(text_cell("-1"), {}));
  EXPECT_EQ(number_in(text_cell("12 %"), form, true), 12);
  EXPECT_EQ(number_in(text_cell("12"), form, true), 12);
  EXPECT_EQ(number_in(text_cell("12%"), form), std::nullopt);
  EXPECT_EQ(number_in(text_cell("%"), form, true), std::nullopt);
  EXPECT_EQ(kind_of(number_cell(1e31), form), CellKind::not_finite);
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
}  // namespace sotto::apps
