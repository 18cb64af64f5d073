#include "apps/prepare/tables/recipe.h"
#include "apps/kit/files/json.h"
#include "apps/kit/files/table.h"
#include "apps/prepare/tables/doubts.h"
#include "apps/prepare/tables/table_rows.h"
#include "tests/apps/prepare/tables/tables.h"
#include "tests/properties.h"

namespace sotto::apps::prepare {
namespace {

struct RandomTable {
  std::vector<std::string> names;
  std::vector<std::vector<std::string>> rows;
  FitOptions options;
};

std::string random_cell(std::mt19937& random, std::size_t kind, double scale) {
  if (random() % 9 == 0) return random() % 2 == 0 ? "" : "NA";
  if (kind == 0) return std::to_string(std::normal_distribution<double>(3, 2)(random) * scale);
  if (kind == 1) return std::to_string(random() % 4);
  if (kind == 3) return (random() % 2 == 0 ? "0" : "") + std::to_string(random() % 4);
  return "level \"" + std::to_string(random() % 6) + "\", \xc3\xbc";
}

RandomTable random_table(std::uint32_t seed) {
  std::mt19937 random(seed);
  RandomTable table;
  const std::size_t columns = 2 + random() % 5;
  const std::size_t rows = 5 + random() % 60;
  table.rows.resize(rows);
  for (std::size_t c = 0; c < columns; ++c) {
    table.names.push_back("column, \xc3\xbc " + std::to_string(c));
    const std::size_t kind = c == 0 ? 0 : random() % 4;
    const double scale = std::pow(10.0, static_cast<double>(random() % 11) - 5);
    for (auto& row : table.rows) row.push_back(random_cell(random, kind, scale));
    if (kind == 1 && random() % 2 == 0) table.options.one_hot.push_back(table.names.back());
  }
  table.rows[0][0] = "1";
  table.rows[1][0] = "2";
  table.options.robust = random() % 2 == 0;
  table.options.unit = random() % 3 == 0;
  table.options.clip = random() % 2 == 0 ? 2 : 0;
  table.options.categories = 1 + random() % 6;
  table.options.components = random() % 2;
  table.options.constant = random() % 2 == 0 ? 0.3 : 0;
  table.options.norm = 0.7;
  return table;
}

std::string csv_of(const std::vector<std::string>& names, const std::vector<std::vector<std::string>>& rows) {
  std::string text;
  const auto add = [&](const std::vector<std::string>& cells) {
    for (std::size_t c = 0; c < cells.size(); ++c) text += (c == 0 ? "" : ",") + csv_cell(cells[c]);
    text += '\n';
  };
  add(names);
  for (const auto& row : rows) add(row);
  return text;
}

// Writes each u with dots as two characters (the letter and the dots).
std::string decomposed(std::string text) {
  const std::string composed = "\xc3\xbc";
  for (std::size_t at = text.find(composed); at != std::string::npos; at = text.find(composed)) {
    text.replace(at, composed.size(), "u\xcc\x88");
  }
  return text;
}

// Returns the row as JSON: numbers as JSON numbers, missing values as null, codes and texts as strings. The strings are
// in another Unicode form than the table.
nlohmann::json json_row(const std::vector<std::string>& names, const std::vector<std::string>& cells) {
  nlohmann::json row;
  for (std::size_t c = 0; c < names.size(); ++c) {
    TableCell cell;
    cell.text = cells[c];
    const auto number = is_code(cells[c]) ? std::nullopt : number_in(cell, {});
    row[decomposed(names[c])] = is_missing(cell, {}) ? nlohmann::json()
                                : number             ? nlohmann::json(*number)
                                                     : nlohmann::json(decomposed(cells[c]));
  }
  return nlohmann::json::parse(row.dump());
}

bool same_bits(std::span<const double> a, std::span<const double> b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size_bytes()) == 0;
}

// Makes each row in three ways. The recipe in memory makes the row from the whole table. The recipe that is read from
// its file makes the row from JSON, and from one line of a CSV. The three rows must equal the row of the written file.
PROPERTY(RecipesOfRandomTables, MakeTheSameRowBitForBit) {
  const TestFolder folder;
  const RandomTable random = random_table(draw<std::uint32_t>());
  const TextTable table = table_of(folder, csv_of(random.names, random.rows));
  const FittedRecipe fitted = fit_recipe(table, random.options);
  RowNotes notes;
  const RowMaker maker(fitted.recipe);
  const auto batch = make_rows(table, maker, notes);
  const RowMaker later(parse_recipe(recipe_text(fitted.recipe), "recipe.toml"));
  const std::size_t width = later.width();
  HOLDS(width == maker.width());
  HOLDS(later.recipe().names() == maker.recipe().names());
  for (std::size_t r = 0; r < table.rows(); ++r) {
    const auto row = std::span(batch).subspan(r * width, width);
    HOLDS(same_bits(row, later.make(json_row(random.names, random.rows[r]))));
    const TextTable single = table_of(folder, csv_of(random.names, {random.rows[r]}));
    HOLDS(same_bits(row, make_rows(single, later, notes)));
    double square = 0;
    for (const double value : row) square += value * value;
    HOLDS(square <= 0.49 * (1 + 1e-12));
  }
  write_csv(folder.path() / "rows.csv", later.recipe().names(), batch);
  HOLDS(same_bits(batch, read_csv(folder.path() / "rows.csv").values));
}

class KnowsARecipe : public ::testing::Test {
 protected:
  KnowsARecipe() : maker(parse_recipe(text, "recipe.toml")) {}

  [[nodiscard]] std::string refusal(const char* row) const {
    return error_of<InputError>([&] { (void)maker.make(nlohmann::json::parse(row)); });
  }

  const std::string text =
      "[recipe]\nversion = 1\nscale = 0.5\nnorm = 1.0\n"
      "[[column]]\nname = \"id\"\nuse = \"id\"\n"
      "[[column]]\nname = \"age\"\nuse = \"number\"\ncentre = 40\nspread = 10\nclip = 3\nfill = 40\nindicator = true\n"
      "[[column]]\nname = \"plan\"\nuse = \"categories\"\ncategories = [\"gold\", \"1\"]\nother = true\n"
      "[[column]]\nname = \"note\"\nuse = \"left out\"\nwhy = \"asked for\"\n";
  const RowMaker maker;
};

TEST_F(KnowsARecipe, AndMakesRowsOfJson) {
  const auto make = [&](const char* row) { return maker.make(nlohmann::json::parse(row)); };
  EXPECT_THAT(maker.recipe().names(), ElementsAre("age", "age missing", "plan=gold", "plan=1", "plan=other"));
  EXPECT_THAT(make(R"({"age": 50, "plan": "gold"})"), ElementsAre(0.5, 0, 0.5, 0, 0));
  EXPECT_THAT(make(R"({"age": "30", "plan": 1, "id": "u7", "note": null})"), ElementsAre(-0.5, 0, 0, 0.5, 0));
  EXPECT_THAT(make(R"({"age": null, "plan": " tin "})"), ElementsAre(0, 0.5, 0, 0, 0.5));
  EXPECT_THAT(make(R"({"age": "NA", "plan": null})"), ElementsAre(0, 0.5, 0, 0, 0));
  // The recipe clips the age to 3 spreads and multiplies by its scale 0.5. The result 1.5 exceeds the allowed norm, so
  // the row is scaled to norm 1.
  EXPECT_THAT(make(R"({"age": 1e9, "plan": null})"), ElementsAre(1, 0, 0, 0, 0));
}

TEST_F(KnowsARecipe, AndRefusesRowsOfAnother) {
  EXPECT_EQ(refusal(R"([1, 2])"), "a row is an object of the recipe's columns");
  EXPECT_EQ(refusal(R"({"age": 50})"), "column 'plan' is not in the row");
  EXPECT_EQ(refusal(R"({"age": 50, "plan": "gold", "plam": 1})"),
            "column 'plam' is not in the recipe; did you mean plan?");
  EXPECT_THAT(refusal(R"({"age": "forty", "plan": "gold"})"),
              AllOf(StartsWith("column 'age': a text where a number is expected; "), Not(HasSubstr("forty"))));
  EXPECT_THAT(refusal(R"({"age": true, "plan": "gold"})"), StartsWith("column 'age': a text where a number"));
  EXPECT_THAT(refusal(R"({"age": [1], "plan": "gold"})"), StartsWith("column 'age': an array where a number"));
  EXPECT_THAT(refusal(R"({"age": 1e31, "plan": "gold"})"), StartsWith("column 'age': a number that is infinite"));
}

TEST_F(KnowsARecipe, AndTablesOfAnotherSchemaAreRefused) {
  const TestFolder folder;
  const auto refused = [&](std::string_view table) {
    const auto path = folder.put("t.csv", table);
    return message_of<InputError>(folder, [&] {
      RowNotes notes;
      (void)make_rows(TextTable::read(path), maker, notes);
    });
  };
  EXPECT_EQ(refused("id,plan\n1,gold\n"),
            "t.csv:1: there is no column 'age', which the recipe needs; is it a recipe of another table?");
  EXPECT_EQ(refused("aged,plan\n1,gold\n"),
            "t.csv:1: there is no column 'age', which the recipe needs; did you mean aged?; is it a recipe of another "
            "table?");
  EXPECT_THAT(refused("plan,x,age\ngold,1,30\ntin,2,young\n"), StartsWith("t.csv:3:3: column 'age': a text where"));
  RowNotes notes;
  EXPECT_THAT(make_rows(table_of(folder, "plan,x,age\ngold,1,50\n"), maker, notes), ElementsAre(0.5, 0, 0.5, 0, 0));
  EXPECT_EQ(notes.unknown, 0U);
}

TEST_F(KnowsARecipe, AndItsFileSaysWhatIsWrongWithIt) {
  const auto fault = [&](const std::string& from, const std::string& to) {
    return error_of<InputError>([&] { (void)RowMaker(parse_recipe(replaced(text, from, to), "r.toml")); });
  };
  EXPECT_THAT(fault("version = 1", "version = 3"),
              StartsWith("r.toml:2:11: version in [recipe] of a recipe must be 1 or 2"));
  EXPECT_THAT(fault("fill = 40", "fill = 40\nusual_part = 2"),
              StartsWith("the recipe: usual_part of column 'age' must"));
  EXPECT_THAT(fault("scale = 0.5\n", ""), HasSubstr("[recipe] of a recipe needs a scale"));
  EXPECT_THAT(fault("scale = 0.5", "scale = \"x\""),
              StartsWith("r.toml:3:9: scale in [recipe] of a recipe must be a nu"));
  EXPECT_THAT(fault("scale = 0.5", "scale = -1"), StartsWith("the recipe: its scale is out of bounds"));
  EXPECT_THAT(fault("scale = 0.5", "scale = nan"), StartsWith("the recipe: its scale is out of bounds"));
  EXPECT_THAT(fault("norm = 1.0", "norm = 0"), StartsWith("the recipe: its norm is out of bounds"));
  EXPECT_THAT(fault("norm = 1.0", "norms = 1.0"),
              HasSubstr("'norms' is no key of [recipe] of a recipe; did you mean norm?"));
  EXPECT_THAT(fault("spread = 10", "spread = 0"), StartsWith("the recipe: the numbers of column 'age' are out of"));
  EXPECT_THAT(fault("centre = 40", "centre = 1e31"), StartsWith("the recipe: the numbers of column 'age' are out of"));
  EXPECT_THAT(fault("\"gold\", \"1\"", "\"1\", \"1\""), StartsWith("the recipe: two categories of column 'plan'"));
  EXPECT_THAT(fault("\"gold\", \"1\"", "\"1\", 1"),
              HasSubstr("categories in a [[column]] of a recipe must be a list of te"));
  EXPECT_THAT(fault("use = \"id\"", "use = \"key\""), HasSubstr("use in a [[column]] of a recipe must be \"number\""));
  EXPECT_THAT(fault("name = \"id\"", "name = \"age\""), StartsWith("the recipe: two columns are named 'age'"));
  EXPECT_THAT(fault("[recipe]", "[receipt]"),
              HasSubstr("'receipt' is no key of the file of a recipe; did you mean recipe?"));
  EXPECT_THAT(error_of<InputError>([] { (void)parse_recipe("column = 3\n", "r.toml"); }),
              StartsWith("r.toml: this is no"));
  EXPECT_THAT(error_of<InputError>([] { (void)parse_recipe(std::string(longest_recipe + 1, ' '), "r.toml"); }),
              StartsWith("r.toml: the file is larger than 4194304 bytes"));
  const std::string components = "[components]\ncount = 1\nmean = [0, 0, 0, 0, 0]\nloadings = [1, 0, 0, 0]\n";
  EXPECT_THAT(error_of<InputError>([&] { (void)RowMaker(parse_recipe(text + components, "r.toml")); }),
              StartsWith("the recipe: the components are not those of its columns"));
}

// A recipe of version 1 compares texts byte by byte, and compares codes such as 01067 as numbers.
TEST_F(KnowsARecipe, OfTheFirstVersionMakesTheSameRowsAsEver) {
  const std::string old = replaced(replaced(text, "\"gold\", \"1\"", "\"u\xcc\x88\", \"1067\""), "norm = 1.0",
                                   "norm = 1.0\nmissing = [\"-1\"]");
  const RowMaker first(parse_recipe(old, "recipe.toml"));
  EXPECT_TRUE(first.recipe().form.first_version);
  EXPECT_THAT(recipe_text(first.recipe()), HasSubstr("version = 1\n"));
  const auto make = [&](const RowMaker& of, const char* row) { return of.make(nlohmann::json::parse(row)); };
  EXPECT_THAT(make(first, R"({"age": 40, "plan": "01067"})"), ElementsAre(0, 0, 0, 0.5, 0));
  EXPECT_THAT(make(first, R"({"age": 40, "plan": "\u00fc"})"), ElementsAre(0, 0, 0, 0, 0.5));
  EXPECT_THAT(make(first, R"({"age": 40, "plan": "u\u0308"})"), ElementsAre(0, 0, 0.5, 0, 0));
  EXPECT_THAT(make(first, R"({"age": "-1", "plan": null})"), ElementsAre(0, 0.5, 0, 0, 0));
  EXPECT_EQ(make(first, R"({"age": -1, "plan": null})")[1], 0) << "a number of JSON was no word";
  const RowMaker second(parse_recipe(replaced(old, "version = 1", "version = 2"), "recipe.toml"));
  EXPECT_THAT(make(second, R"({"age": 40, "plan": "01067"})"), ElementsAre(0, 0, 0, 0, 0.5));
  EXPECT_THAT(make(second, R"({"age": -1, "plan": null})"), ElementsAre(0, 0.5, 0, 0, 0));
}

TEST_F(KnowsARecipe, AndColumnsInAnyUnicodeForm) {
  const RowMaker accents(parse_recipe(replaced(text, "\"age\"", "\"\u00e2ge\""), "recipe.toml"));
  EXPECT_THAT(accents.make(nlohmann::json::parse(R"({"a\u0302ge": 50, "plan": "gold"})")),
              ElementsAre(0.5, 0, 0.5, 0, 0));
  EXPECT_THAT(error_of<InputError>([&] {
                (void)accents.make(nlohmann::json::parse(R"({"a\u0302ge": 50, "\u00e2ge": 50, "plan": "gold"})"));
              }),
              HasSubstr("is not in the recipe"));
}

TEST_F(KnowsARecipe, AndCountsWhatItMeetsByColumn) {
  RowNotes notes;
  for (const char* row : {R"({"age": 1e9, "plan": "tin"})", R"({"age": null, "plan": "gold"})"}) {
    (void)maker.make(nlohmann::json::parse(row), notes);
  }
  EXPECT_EQ(notes.rows, 2U);
  ASSERT_EQ(notes.columns.size(), 4U);
  EXPECT_EQ(notes.columns[1].clipped, 1U);
  EXPECT_EQ(notes.columns[1].missing, 1U);
  EXPECT_EQ(notes.columns[2].unknown, 1U);
  EXPECT_EQ(notes.unknown, 1U);
}

TEST(Drift, IsMoreThanTheTableHad) {
  ColumnRecipe plan{.name = "plan", .use = ColumnUse::categories, .other = true};
  plan.usual_part = 0.1;
  EXPECT_FALSE(has_drifted(plan, {.unknown = 14}, 100));
  EXPECT_FALSE(has_drifted(plan, {.unknown = 1}, 1));
  EXPECT_TRUE(has_drifted(plan, {.unknown = 40}, 100));
  EXPECT_EQ(
      drift_text(plan, {.missing = 20, .unknown = 40}, 120),
      "column 'plan': 40 of 100 values are of no category that the recipe knows (\"other\") (10.0% when the recipe "
      "was made)");
  plan.usual_part = 0;
  EXPECT_TRUE(has_drifted(plan, {.unknown = 1}, 1000)) << "it had a category for each";
  EXPECT_FALSE(has_drifted(plan, {}, 0));
  plan.usual_part.reset();
  EXPECT_FALSE(has_drifted(plan, {.unknown = 1}, 1000)) << "nobody knows how many were of no category";
  const ColumnRecipe age{.name = "age", .use = ColumnUse::number, .clip = 4};
  EXPECT_FALSE(has_drifted(age, {.clipped = 2}, 100));
  EXPECT_TRUE(has_drifted(age, {.clipped = 20}, 100));
}

TEST(Recipes, GiveEveryFeatureANameOfItsOwn) {
  Recipe recipe;
  ColumnRecipe plan{.name = "a", .use = ColumnUse::categories};
  plan.categories = {"other", "x\ry"};
  plan.other = true;
  recipe.columns = {{.name = "a=other", .use = ColumnUse::number}, plan, {.name = "a=x_y", .use = ColumnUse::number}};
  EXPECT_THAT(recipe.names(), ElementsAre("a=other", "a=other (2)", "a=x_y", "a=other (3)", "a=x_y (2)"));
}

TEST(Recipes, StayFiniteWhateverTheRowHolds) {
  Recipe recipe;
  recipe.columns = {{.name = "a", .use = ColumnUse::number, .centre = 1e30, .spread = 1e-30},
                    {.name = "b", .use = ColumnUse::number, .spread = 1e-30}};
  recipe.components = {2, {2e60, -2e60}, {1, 1, 1, -1}};
  recipe.scale = 1e60;
  const RowMaker maker(recipe);
  for (const auto& x : maker.make(nlohmann::json{{"a", -1e30}, {"b", 1e30}})) EXPECT_LE(std::abs(x), 1);
}

}  // namespace
}  // namespace sotto::apps::prepare
