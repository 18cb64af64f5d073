#include "apps/prepare/tables/doubts.h"
#include "apps/kit/files/json.h"
#include "apps/prepare/tables/prepare_party.h"
#include "apps/prepare/tables/recipe.h"
#include "apps/prepare/tables/table_rows.h"
#include "tests/apps/prepare/tables/tables.h"

namespace sotto::apps::prepare {
namespace {

using DoubtsNumbers = InFolder;
using Cells = std::vector<std::string>;

std::string with_other(const std::string& name, const Cells& cells) {
  std::string text = name + ";beside\n";
  for (std::size_t i = 0; i < cells.size(); ++i) text += cells[i] + (i % 2 == 0 ? ";1\n" : ";2.5\n");
  return text;
}

TEST_F(DoubtsNumbers, ThatMayHaveMarksOfThousands) {
  // The first two cells mean 950 and 1,200. Read as a decimal number, "1.200" would be 1.2, the smallest of the column.
  EXPECT_THAT(refusal_of(folder, with_other("income", {"950", "1.200", "33.167", "120"})),
              AllOf(StartsWith("t.csv:3:1: column 'income': this number has a point and three digits behind it, as 2 "
                               "of 4 values have"),
                    HasSubstr("save the table without it"), HasSubstr("--number income says so")));
  FitOptions asked;
  asked.numbers = {"income"};
  const FittedRecipe decimals = fit_recipe(table_of(folder, with_other("income", {"950", "1.200", "33.167"})), asked);
  EXPECT_DOUBLE_EQ(decimals.recipe.columns[0].centre, (950 + 1.2 + 33.167) / 3);
  EXPECT_THAT(decimals.warnings, ElementsAre());
  // All values have the mark of thousands, so the order of the values is the same with either meaning of the mark.
  const Cells marked{"1.200", "33.167", "2.500", "100.000"};
  EXPECT_THAT(
      fit_recipe(table_of(folder, with_other("income", marked)), {}).warnings,
      ElementsAre(StartsWith("column 'income': each value has a point and three digits behind it, and is read as "
                             "a decimal number. If the point separates thousands, save the table without")));
  for (const Cells& plain : {Cells{"0.125", "950", "1.200"}, Cells{"1.5", "1.250", "7"}, Cells{"1234", "1.250"}}) {
    EXPECT_THAT(fit_recipe(table_of(folder, with_other("x", plain)), {}).warnings, ElementsAre());
  }
  EXPECT_THAT(refusal_of(folder, with_other("x", {"950", "\u00a01.200"})), HasSubstr("has a point and three digits"));
  FitOptions commas;
  commas.form.decimal_comma = true;
  EXPECT_THAT(refusal_of(folder, "x;y\n950;1,5\n1,200;2,5\n", commas),
              StartsWith("t.csv:3:1: column 'x': this number has a comma and three digits behind it"));
}

// 33,167 may mean 33167 or 33.167, and both are equally probable. No advice may lead to a division of such a number by
// 1,000.
TEST_F(DoubtsNumbers, AndAdvisesNoneThatWouldDivideThem) {
  const std::string thousands = refusal_of(folder, with_other("income", {"950", "1,200", "33,167"}));
  EXPECT_THAT(thousands, HasSubstr("where commas are between thousands, save the table without them; where they are "
                                   "decimal marks, --decimal-comma"));
  EXPECT_THAT(refusal_of(folder, with_other("x", {"950", "1,200", "33,5"})),
              HasSubstr("--decimal-comma reads commas as decimal marks"));
  FitOptions commas;
  commas.form.decimal_comma = true;
  EXPECT_THAT(refusal_of(folder, with_other("x", {"950", "1.200", "33,5"}), commas),
              AllOf(HasSubstr("with --decimal-comma, save the table with commas"), Not(HasSubstr("reads commas"))));
  EXPECT_THAT(refusal_of(folder, with_other("x", {"33.167", "1.234.567"})),
              HasSubstr("a number with marks between its thousands where a number is expected (1 of 2 values); save"));
}

TEST_F(DoubtsNumbers, WithBlanksThatDoNotBreakOrMarksOfMoneyAreRefused) {
  for (const std::string thousands : {"1\u2019234", "12\u2007345", "1'234'567"}) {
    EXPECT_THAT(refusal_of(folder, with_other("x", {thousands, thousands})),
                AllOf(StartsWith("t.csv:2:1: column 'x': a number with marks between its thousands"),
                      HasSubstr("--one-hot x makes categories of it")));
  }
  EXPECT_THAT(
      refusal_of(folder, with_other("x", {"12\u202f345", "1\u00a0200"})),
      StartsWith("t.csv:2:1: column 'x': a number with marks between its thousands where a number is expected"));
  EXPECT_THAT(refusal_of(folder, with_other("price", {"\u20ac 12", "\u20ac 13", "\u20ac 12"})),
              AllOf(StartsWith("t.csv:2:1: column 'price': a number with a mark of money where a number is expected"),
                    HasSubstr("save the table with the numbers alone")));
  EXPECT_THAT(refusal_of(folder, with_other("price", {"12,50 EUR", "13,20 EUR"})), HasSubstr("a mark of money"));
}

std::vector<std::pair<double, std::size_t>> far_of(std::vector<double> numbers) {
  std::vector<std::pair<double, std::size_t>> found;
  for (const FarValue& far : far_values(numbers)) found.emplace_back(far.value, far.count);
  return found;
}

TEST(FarValues, AreThoseThatRepeatFarFromAllOthers) {
  const auto with = [](std::initializer_list<double> more) {
    std::vector<double> numbers;
    for (int i = 0; i < 100; ++i) numbers.push_back(18 + i % 60);
    numbers.insert(numbers.end(), more);
    return numbers;
  };
  using Found = std::vector<std::pair<double, std::size_t>>;
  EXPECT_EQ(far_of(with({-999, -999})), (Found{{-999, 2}}));
  EXPECT_EQ(far_of(with({-999, 9999, -999, 9999, 9999})), (Found{{9999, 3}, {-999, 2}}));
  EXPECT_EQ(far_of(with({-999, -998, -999, -998})), (Found{{-999, 2}, {-998, 2}}));
  EXPECT_EQ(far_of(with({123456, 123456})), (Found{{123456, 2}}));
  EXPECT_EQ(far_of(with({-1, -1, -1})), (Found{{-1, 3}}));
  EXPECT_EQ(far_of(with({999, 999})), (Found{{999, 2}}));
  EXPECT_EQ(far_of(with({})), Found{});
  EXPECT_EQ(far_of(with({-999})), Found{}) << "one row may be as far as it is";
  EXPECT_EQ(far_of(with({99, 99})), Found{}) << "an age";
  EXPECT_EQ(far_of({0, 0, 100, 110, 120, 130}), Found{}) << "nothing is a usual amount";
  EXPECT_EQ(far_of({1, 2, 2, 1, 9, 9}), Found{});
  EXPECT_EQ(far_of({1, 2, 2, 1, 99, 99}), (Found{{99, 2}}));
  EXPECT_EQ(far_of({-1, 1, -1, 1, -1}), Found{});
  EXPECT_EQ(far_of({7, 7, 7}), Found{});
}

TEST_F(DoubtsNumbers, ThatStandForMissingOnes) {
  Cells cells;
  for (int i = 0; i < 60; ++i) cells.push_back(i % 6 == 3 ? "-999" : std::to_string(20 + i));
  const TextTable table = table_of(folder, with_other("age", cells));
  const FittedRecipe fitted = fit_recipe(table, {});
  ASSERT_EQ(fitted.warnings.size(), 1U);
  EXPECT_THAT(fitted.warnings[0],
              AllOf(StartsWith("column 'age': its least value occurs 10 times (first in "),
                    HasSubstr("t.csv:5:1) and is far from the others; where it stands for a missing "
                              "one, --missing age=VALUE says so")));
  EXPECT_THAT(fitted.warnings[0], Not(HasSubstr("999")));
  FitOptions told;
  told.form.missing = {"age=-999"};
  const FittedRecipe mended = fit_recipe(table, told);
  EXPECT_THAT(mended.warnings, ElementsAre());
  EXPECT_GT(mended.recipe.columns[0].centre, 20);
  EXPECT_THAT(mended.recipe.names(), ElementsAre("age", "age missing", "beside"));
  const RowMaker maker(parse_recipe(recipe_text(mended.recipe), "recipe.toml"));
  RowNotes notes;
  const auto batch = make_rows(table_of(folder, "age;beside\n-999;1\n"), maker, notes);
  EXPECT_EQ(batch, maker.make(nlohmann::json{{"age", -999}, {"beside", 1}}));
  EXPECT_EQ(batch, maker.make(nlohmann::json{{"age", nullptr}, {"beside", 1}}));
  EXPECT_NE(maker.make(nlohmann::json{{"age", 30}, {"beside", -999}}),
            maker.make(nlohmann::json{{"age", 30}, {"beside", nullptr}}));
}

using DoubtsWords = InFolder;

// Nine stalls in ten have the cell "None". In this table "None" is a kind of stall, not a missing value.
TEST_F(DoubtsWords, ForMissingValuesThatAreValues) {
  Cells cells;
  for (int i = 0; i < 60; ++i) cells.push_back(i % 10 != 3 ? "None" : i % 20 == 3 ? "open" : "closed");
  const TextTable table = table_of(folder, with_other("stall", cells));
  const FittedRecipe fitted = fit_recipe(table, {});
  EXPECT_EQ(fitted.columns[0].done, "2 categories; 54 missing (54 None), and a feature that says so");
  EXPECT_THAT(fitted.warnings, ElementsAre("column 'stall': 54 of 60 rows have None, which counts as a missing value; "
                                           "where it is a value, --not-missing stall=None keeps it"));
  for (const std::string word : {"None", "stall=None"}) {
    FitOptions kept;
    kept.form.values = {word};
    const FittedRecipe mended = fit_recipe(table, kept);
    EXPECT_EQ(mended.columns[0].done, "3 categories");
    EXPECT_THAT(mended.recipe.names(), ElementsAre("stall=None", "stall=closed", "stall=open", "beside"));
    EXPECT_THAT(mended.warnings, ElementsAre());
    const RowMaker maker(parse_recipe(recipe_text(mended.recipe), "recipe.toml"));
    EXPECT_EQ(maker.make(nlohmann::json{{"stall", "None"}, {"beside", 1}}).front(), 1);
  }
  FitOptions both;
  both.form.values = {"stall=NA"};
  both.form.missing = {"stall=NA"};
  EXPECT_THAT(refusal_of(folder, with_other("stall", cells), both), StartsWith("--not-missing: the same word"));
}

TEST_F(DoubtsWords, OfOneColumnAlone) {
  const TextTable table = table_of(folder, "a,b=c,x\nNA,7,1\ngold,8,2\nNA,9,5\n-,10,6\n");
  FitOptions options;
  options.form.values = {"a=NA"};
  options.form.missing = {"b=c=8", "9"};
  const FittedRecipe fitted = fit_recipe(table, options);
  EXPECT_THAT(fitted.recipe.names(), ElementsAre("a=NA", "a=gold", "a missing", "b=c", "b=c missing", "x"));
  EXPECT_EQ(fitted.columns[1].done, "number, standardised; 2 missing (1 8, 1 9): the mean, and a feature that says so");
}

TEST_F(DoubtsWords, OfLabelsAreNamed) {
  const TextTable table = table_of(folder, "y,x\nNone,1\ngold,2\n");
  EXPECT_EQ(message_of<InputError>(folder, [&] { (void)read_labels(table, 0, {}); }),
            "t.csv:2:1: no value where a label is expected (column 'y'); None counts as a missing value, and "
            "--not-missing y=None makes an arm of it");
  EXPECT_THAT(read_labels(table, 0, {false, {}, {"None"}}).texts, ElementsAre("None", "gold"));
}

TEST_F(DoubtsWords, OfLabelsAreNoneOfAFlagBesideARecipe) {
  const TextTable table = table_of(folder, "y,x\nNone,1\ngold,2\n");
  EXPECT_EQ(message_of<InputError>(folder,
                                   [&] {
                                     (void)read_labels(table, 0, {}, Cells{"gold", "tin"});
                                   }),
            "t.csv:2:1: no value where a label is expected (column 'y'); the recipe takes None for a missing value: "
            "leave the row out, or make a recipe of this table");
}

TEST_F(DoubtsWords, OfAColumnThatIsWrittenOtherwise) {
  FitOptions options;
  options.form.missing = {"agee=-999"};
  EXPECT_EQ(refusal_of(folder, "age,x\n7,1\n8,2\n", options),
            "--missing: there is no column 'agee'; did you mean age?");
  options.form = {};
  options.form.values = {"plna=None"};
  EXPECT_THAT(refusal_of(folder, "plan,x\ngold,1\ntin,2\n", options), StartsWith("--not-missing: there is no column"));
  options.form = {};
  options.form.missing = {"a=b", "age=agee=1"};
  EXPECT_EQ(fit_recipe(table_of(folder, "age,x\n7,1\n8,2\n"), options).recipe.form.missing, Cells{"a=b"});
}

using DoubtsCodes = InFolder;

TEST_F(DoubtsCodes, ThatLookLikeNumbers) {
  const Cells zips{"01067", "10115", "01067", "20095", "1067"};
  const FittedRecipe fitted = fit_recipe(table_of(folder, with_other("zip", zips)), {});
  EXPECT_THAT(fitted.recipe.names(), ElementsAre("zip=01067", "zip=10115", "zip=1067", "zip=20095", "beside"));
  EXPECT_THAT(fitted.warnings,
              ElementsAre("column 'zip': 2 of 5 values have leading zeros, an exponent or more than 15 "
                          "digits as codes have, so all are texts; --number zip reads numbers"));
  FitOptions numbers;
  numbers.numbers = {"zip"};
  EXPECT_THAT(fit_recipe(table_of(folder, with_other("zip", zips)), numbers).recipe.names(),
              ElementsAre("zip", "beside"));
  // One of three codes looks like a float.
  EXPECT_THAT(fit_recipe(table_of(folder, with_other("c", {"12E3", "12000", "77", "12E3"})), {}).recipe.names(),
              ElementsAre("c=12E3", "c=12000", "c=77", "beside"));
  EXPECT_THAT(fit_recipe(table_of(folder, with_other("c", {"0A", "01", "1B", "0A"})), {}).recipe.names(),
              ElementsAre("c=0A", "c=01", "c=1B", "beside"));
  EXPECT_THAT(fit_recipe(table_of(folder, with_other("n", {"0.5", "1e9", "2.5"})), {}).recipe.names(),
              ElementsAre("n", "beside"));
  FitOptions one_hot;
  one_hot.one_hot = {"zip"};
  EXPECT_THAT(fit_recipe(table_of(folder, with_other("zip", zips)), one_hot).recipe.columns[0].categories,
              ElementsAre("01067", "10115", "1067", "20095"));
}

TEST_F(DoubtsCodes, OfLabelsStayTexts) {
  EXPECT_THAT(read_labels(table_of(folder, "y,x\n01,1\n1,2\n02,3\n"), 0, {}).texts, ElementsAre("01", "02", "1"));
}

using PreparedAgain = InFolder;

// The cells have 21 kinds, and the recipe gives a feature to only 16 of them. The other kinds share the feature
// "other", so they are no drift.
TEST_F(PreparedAgain, TheSameTableHasNoDrift) {
  Cells cells;
  for (int i = 0; i < 200; ++i) cells.push_back("kind " + std::to_string(i * i % 41));
  PreparePartyOptions options;
  options.table = folder.put("t.csv", with_other("kind", cells));
  options.output = folder.path() / "out";
  const PreparePartyResult first = prepare_party(options);
  EXPECT_GT(first.notes.unknown, 0U);
  EXPECT_THAT(first.warnings, ElementsAre());
  options.recipe = *first.recipe_file;
  options.output = folder.path() / "again";
  EXPECT_THAT(prepare_party(options).warnings, ElementsAre());
  options.table = folder.put("new.csv", with_other("kind", Cells(50, "kind x")));
  EXPECT_THAT(prepare_party(options).warnings,
              ElementsAre(StartsWith("column 'kind': 50 of 50 values are of no category that the recipe knows")));
}

// Read as decimal numbers, all cells would be near 0.
TEST_F(PreparedAgain, MarksOfThousandsAreRefusedWhereTheRecipeHadNone) {
  PreparePartyOptions options;
  options.table = folder.put("t.csv", with_other("income", {"33167", "28500", "950", "61000", "12000"}));
  options.output = folder.path() / "out";
  const PreparePartyResult first = prepare_party(options);
  const auto again = [&](const Cells& cells) {
    options.recipe = *first.recipe_file;
    options.output = folder.path() / "again";
    options.table = folder.put("new.csv", with_other("income", cells));
    return error_of<InputError>([&] { return prepare_party(options); });
  };
  for (const Cells& cells : {Cells{"33.167", "28.500"}, Cells{"950", "28.500"}, Cells{"12.000"}}) {
    EXPECT_THAT(again(cells),
                AllOf(HasSubstr("column 'income': this number has a point and three digits behind it, and "
                                "the recipe's table had larger ones"),
                      HasSubstr("write a fourth digit"), Not(HasSubstr("--"))));
  }
  for (const Cells& cells : {Cells{"33.1670", "28.500"}, Cells{"950", "120"}}) EXPECT_EQ(again(cells), "");
  const PreparePartyResult decimals = [&] {
    options.recipe.reset();
    options.table = folder.put("t.csv", with_other("income", {"33.1", "28.5", "61.25"}));
    return prepare_party(options);
  }();
  options.recipe = *decimals.recipe_file;
  options.table = folder.put("new.csv", with_other("income", {"33.167", "28.500"}));
  EXPECT_NO_THROW((void)prepare_party(options));
}

TEST_F(PreparedAgain, DamagedIdsAreNamed) {
  PreparePartyOptions options;
  options.table = folder.put("t.csv", "id,x\n17.0,1\n18.0,2\n");
  options.fit.id = {"id"};
  options.output = folder.path() / "out";
  EXPECT_THAT(prepare_party(options).warnings, ElementsAre(HasSubstr("2 ids with .0 at the end")));
}

class DamagedIds : public InFolder {
 protected:
  std::vector<std::string> of(const std::vector<std::string>& ids) {
    std::string text = "id;x\n";
    for (const std::string& id : ids) text += id + ";1\n";
    std::vector<std::string> found = damaged_ids(table_of(folder, text), {0});
    for (std::string& line : found) line = replaced(line, folder.path().string() + "/", "");
    return found;
  }
};

std::vector<std::string> numbers_from(std::uint64_t first, std::size_t count, std::uint64_t step) {
  std::vector<std::string> ids;
  for (std::size_t i = 0; i < count; ++i) ids.push_back(std::to_string(first + i * step));
  return ids;
}

TEST_F(DamagedIds, AreNamedByTheirCountAndFirstPlace) {
  EXPECT_THAT(
      of({"a1", "17.0", "18.0"}),
      ElementsAre("column 'id': 2 ids with .0 at the end, as a spreadsheet writes numbers (first in t.csv:3:1); "
                  "export the ids as texts"));
  EXPECT_THAT(of({"123", "1.23E+11"}),
              ElementsAre(StartsWith("column 'id': 1 id with an exponent such as E+11, by which a spreadsheet drops "
                                     "digits (first in t.csv:3:1)")));
  EXPECT_THAT(of({"1,23E+11"}), ElementsAre(HasSubstr("1 id with an exponent such as E+11")));
  EXPECT_THAT(of({"1234567890123450", "1234567890123500"}),
              ElementsAre(StartsWith("column 'id': 2 ids with only zeros behind 15 digits")));
  // Some ids of five digits begin with 0. A spreadsheet has turned 01067 into 1067.
  auto cut = numbers_from(1067, 90, 1109);
  EXPECT_THAT(of(cut), ElementsAre(StartsWith("column 'id': 9 ids with fewer digits than the others, as where a "
                                              "spreadsheet drops leading zeros (first in t.csv:2:1)")));
  for (const std::string& line : of(cut)) EXPECT_THAT(line, Not(HasSubstr("1067")));
}

TEST_F(DamagedIds, AreNoneThatAreWhole) {
  EXPECT_THAT(of(numbers_from(1, 3000, 1)), ElementsAre());
  EXPECT_THAT(of(numbers_from(1, 9999, 1)), ElementsAre()) << "they count";
  EXPECT_THAT(of(numbers_from(100'000, 200, 7919)), ElementsAre()) << "six and seven digits";
  EXPECT_THAT(of({"01067", "10115", "00017"}), ElementsAre());
  EXPECT_THAT(of({"1.5", "10.0.0.1", "v1.0", "1e5", "12E3", "1234567890123456", "1234567890123450"}), ElementsAre());
  EXPECT_THAT(of({"0a1b", "12345678901234567890123456789012", "c485910"}), ElementsAre());
}

}  // namespace
}  // namespace sotto::apps::prepare
