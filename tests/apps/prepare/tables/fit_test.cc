#include "apps/prepare/tables/fit.h"
#include "apps/prepare/tables/column_profile.h"
#include "apps/prepare/tables/table_rows.h"
#include "tests/apps/prepare/tables/tables.h"

namespace sotto::apps::prepare {
namespace {

using FitsRecipes = InFolder;

std::vector<std::string> texts_of(std::size_t count, const std::function<std::string(std::size_t)>& text) {
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < count; ++i) texts.push_back(text(i));
  return texts;
}

std::vector<double> features_of(const TextTable& table, const FittedRecipe& fitted) {
  RowNotes notes;
  return make_rows(table, RowMaker(fitted.recipe), notes);
}

TEST_F(FitsRecipes, NumbersByMeanAndDeviation) {
  const TextTable table = table_of(folder, "a,b\n1,10\n2,10\n3,40\n");
  const FittedRecipe fitted = fit_recipe(table, {});
  EXPECT_DOUBLE_EQ(fitted.recipe.columns[0].centre, 2);
  EXPECT_DOUBLE_EQ(fitted.recipe.columns[0].spread, std::sqrt(2.0 / 3));
  EXPECT_DOUBLE_EQ(fitted.recipe.columns[1].centre, 20);
  EXPECT_DOUBLE_EQ(fitted.recipe.columns[1].spread, std::sqrt(200.0));
  const auto values = features_of(table, fitted);
  EXPECT_DOUBLE_EQ(values[0], -std::sqrt(1.5));
  EXPECT_DOUBLE_EQ(values[2], 0);
  EXPECT_DOUBLE_EQ(values[5], std::sqrt(2.0));
  EXPECT_EQ(fitted.columns[0].done, "number, standardised");
}

TEST_F(FitsRecipes, RobustlyOneValueSwaysNothing) {
  auto cells = texts_of(101, [](std::size_t i) { return std::to_string(i) + ".5"; });
  cells[100] = "1e9";
  const FittedRecipe plain = fitted_column(folder, "income", cells);
  EXPECT_THAT(plain.warnings, ElementsAre(StartsWith("column 'income': one value has 99% of its variance")));
  FitOptions robust;
  robust.robust = true;
  const FittedRecipe fitted = fitted_column(folder, "income", cells, robust);
  EXPECT_DOUBLE_EQ(fitted.recipe.columns[0].centre, 50.5);
  EXPECT_NEAR(fitted.recipe.columns[0].spread, 50 / 1.349, 0.01);
  EXPECT_THAT(fitted.warnings, ElementsAre());
  EXPECT_EQ(fitted.columns[0].done, "number, standardised by median and quartiles");
  // More than half of the values are equal, so the quartiles are equal too.
  const FittedRecipe mostly =
      fitted_column(folder, "n", texts_of(100, [](std::size_t i) { return i < 90 ? "0" : std::to_string(i); }), robust);
  EXPECT_GT(mostly.recipe.columns[0].spread, 1);
}

TEST_F(FitsRecipes, MissingValuesAreTheMeanAndAFeature) {
  const TextTable table = table_of(folder, "a,b\n1,5\nNA,6\n3,7\n,8\n");
  const FittedRecipe fitted = fit_recipe(table, {});
  EXPECT_THAT(fitted.recipe.names(), ElementsAre("a", "a missing", "b"));
  const auto values = features_of(table, fitted);
  EXPECT_THAT(std::vector<double>(values.begin(), values.begin() + 6), ElementsAre(-1, 0, values[2], 0, 1, values[5]));
  EXPECT_EQ(fitted.columns[0].done,
            "number, standardised; 2 missing (1 empty, 1 NA): the mean, and a feature that says so");
}

TEST_F(FitsRecipes, TextsBecomeCategories) {
  const TextTable table = table_of(folder, "plan,x\ngold,1\nsilver,2\ngold,3\n\"a, b\",4\nNA,5\nzinc,6\n");
  FitOptions two;
  two.categories = 2;
  const FittedRecipe fitted = fit_recipe(table, two);
  EXPECT_THAT(fitted.recipe.names(), ElementsAre("plan=gold", "plan=a, b", "plan=other", "plan missing", "x"));
  const auto values = features_of(table, fitted);
  const auto row = [&](std::size_t r) { return std::vector<double>(&values[5 * r], &values[5 * r] + 4); };
  EXPECT_THAT(row(0), ElementsAre(1, 0, 0, 0));
  EXPECT_THAT(row(1), ElementsAre(0, 0, 1, 0));
  EXPECT_THAT(row(3), ElementsAre(0, 1, 0, 0));
  EXPECT_THAT(row(4), ElementsAre(0, 0, 0, 1));
  EXPECT_EQ(fitted.columns[0].done,
            "2 categories, and one for the other 2; 1 missing (1 NA), and a feature that says so");
}

TEST_F(FitsRecipes, FlagsDecideWhatAColumnIs) {
  FitOptions options;
  options.one_hot = {"code"};
  options.drop = {"note"};
  options.percent = {"rate"};
  options.id = {"key"};
  options.form.missing = {"-1"};
  const TextTable table = table_of(folder, "key,code,note,rate,n\na,1,u,5%,3\nb,1.0,v,7,-1\nc,2,w,NA,4\nd,2,x,9 %,5\n");
  const FittedRecipe fitted = fit_recipe(table, options);
  EXPECT_THAT(fitted.recipe.names(), ElementsAre("code=1", "code=2", "rate", "rate missing", "n", "n missing"));
  EXPECT_EQ(fitted.columns[0].done, "the id; no feature");
  EXPECT_EQ(fitted.columns[2].done, "left out: asked for");
  EXPECT_DOUBLE_EQ(fitted.recipe.columns[3].centre, 7);
}

TEST_F(FitsRecipes, WithoutStandardisingNumbersStayAsTheyAre) {
  FitOptions options;
  options.standardise = false;
  const TextTable table = table_of(folder, "id,one\n1,7\n2,7\n3,7\n");
  EXPECT_THAT(features_of(table, fit_recipe(table, options)), ElementsAre(1, 7, 2, 7, 3, 7));
}

TEST_F(FitsRecipes, LeavesOutWhatIsNoFeature) {
  const auto done = [&](const std::string& name, const std::vector<std::string>& cells) {
    const FittedRecipe fitted = fitted_column(folder, name, cells);
    EXPECT_EQ(fitted.recipe.columns[0].use == ColumnUse::left_out, fitted.columns[0].done.starts_with("left out"));
    return fitted.columns[0].done + " | " + (fitted.warnings.empty() ? "" : fitted.warnings[0]);
  };
  EXPECT_EQ(done("x", texts_of(30, [](std::size_t) { return "3"; })), "left out: constant | ");
  EXPECT_EQ(done("x", texts_of(30, [](std::size_t) { return "yes"; })), "left out: constant | ");
  EXPECT_EQ(done("x", texts_of(30, [](std::size_t) { return "NA"; })), "left out: all values are missing (30 NA) | ");
  EXPECT_THAT(done("x", texts_of(30, [](std::size_t i) { return std::to_string(1000 + (7 * i) % 30); })),
              StartsWith("left out: it looks like an id | column 'x': it looks like an id, so it was left out; --id "
                         "names the column of ids, --number x keeps this one"));
  EXPECT_THAT(done("customer_id", texts_of(30, [](std::size_t i) { return std::to_string(i * i); })),
              StartsWith("left out: it looks like an id"));
  EXPECT_THAT(done("paid", texts_of(30, [](std::size_t i) { return std::to_string(i * i); })), StartsWith("number"));
  EXPECT_THAT(done("x", texts_of(30, [](std::size_t i) { return "user" + std::to_string(i); })),
              StartsWith("left out: it looks like an id or free text | "));
  EXPECT_THAT(done("since", texts_of(30, [](std::size_t i) { return "2026-11-" + std::to_string(10 + i % 19); })),
              StartsWith("left out: it looks like a date | column 'since': it looks like a date, so it was left out; "
                         "make a number of it"));
  EXPECT_THAT(done("x", texts_of(30, [](std::size_t i) { return repeated("word ", 60) + std::to_string(i % 2); })),
              StartsWith("left out: it holds long texts"));
}

TEST_F(FitsRecipes, WarnsOfWhatLooksWrong) {
  const auto warning = [&](const std::string& name, const std::vector<std::string>& cells,
                           const std::vector<std::uint32_t>& labels = {}) {
    const auto warnings = fitted_column(folder, name, cells, {}, labels).warnings;
    return warnings.empty() ? std::string() : warnings[0];
  };
  const auto one_of_200 = [](std::size_t i) { return i == 7 ? "2.5" : "3.5"; };
  EXPECT_EQ(warning("x", texts_of(200, one_of_200)),
            "column 'x': one value is that of 199 of 200 rows; it says next to nothing");
  EXPECT_EQ(warning("x", texts_of(200, [](std::size_t i) { return i == 7 ? "no" : "yes"; })),
            "column 'x': one value is that of 199 of 200 rows; it says next to nothing");
  EXPECT_THAT(warning("day", texts_of(60, [](std::size_t i) { return std::to_string(20261100 + 1 + i % 30); })),
              StartsWith("column 'day': it looks like a date or a time"));
  EXPECT_THAT(warning("t", texts_of(60, [](std::size_t i) { return std::to_string(1'700'000'000 + i * i * 977); })),
              StartsWith("column 't': it looks like a date or a time"));
  EXPECT_THAT(warning("reward_0", texts_of(60, [](std::size_t i) { return i % 3 == 0 ? "1" : "0"; })),
              StartsWith("column 'reward_0': its name is that of an outcome"));
  EXPECT_EQ(warning("x", texts_of(60, [](std::size_t i) { return std::to_string(i % 7); })), "");

  std::vector<std::uint32_t> labels;
  for (std::uint32_t i = 0; i < 200; ++i) labels.push_back(i * 7919 % 31 % 4);
  const auto leak = [&](std::size_t i) { return "arm" + std::to_string(labels[i]); };
  const std::string leaks = "column 'x': it nearly tells the label by itself";
  EXPECT_THAT(warning("x", texts_of(200, leak), labels), StartsWith(leaks));
  const auto number = [&](std::size_t i) { return std::to_string(10 * labels[i] + i % 5); };
  EXPECT_THAT(warning("x", texts_of(200, number), labels), StartsWith(leaks));
  const auto half = [&](std::size_t i) { return std::to_string(labels[i] / 2 * 100 + i % 11); };
  EXPECT_EQ(warning("x", texts_of(200, half), labels), "");

  const TextTable numbers = table_of(folder, "3,4.5\n1,2\n7,1\n");
  EXPECT_THAT(fit_recipe(numbers, {}).warnings, ElementsAre(StartsWith("all names of columns are numbers")));
}

TEST_F(FitsRecipes, DescribesACellThatIsNoNumberAndDoesNotShowIt) {
  const std::pair<const char*, const char*> cases[] = {
      {"Zorro",
       "t.csv:3:1: column 'my age': a text where a number is expected (1 of 2 values); --one-hot 'my age' "
       "makes categories of the column, --missing WORD"},
      {"12%",
       "t.csv:3:1: column 'my age': a percentage where a number is expected (1 of 2 values); --percent 'my age'"},
      {"\"7,5\"",
       "t.csv:3:1: column 'my age': a number with the other decimal mark where a number is expected (1 of 2 "
       "values); --decimal-comma"},
      {"\"1,234,567\"", "t.csv:3:1: column 'my age': a number with marks between its thousands"},
      {"1e31", "t.csv:3:1: column 'my age': a number that is infinite or larger in size than 1e30"},
      {"2026-11-23", "t.csv:3:1: column 'my age': a date where a number is expected"},
  };
  for (const auto& [cell, says] : cases) {
    const std::string said = refusal_of(folder, std::string("my age,x\n7,1\n") + cell + ",2\nNA,3\n");
    EXPECT_THAT(said, StartsWith(says));
    EXPECT_THAT(said, Not(HasSubstr(cell)));
  }
  EXPECT_THAT(refusal_of(folder, "rate\n5%\n6%\n"), StartsWith("t.csv:2:1: column 'rate': a percentage"));
}

TEST_F(FitsRecipes, RefusesOptionsThatDoNotFit) {
  const auto refusal = [&](auto change) {
    FitOptions options;
    change(options);
    return refusal_of(folder, "a,b\n1,2\n3,5\n", options);
  };
  using Options = FitOptions;
  EXPECT_THAT(refusal([](Options& o) { o.id = {"c"}; }), StartsWith("t.csv:1: there is no column 'c' (--id)"));
  EXPECT_THAT(refusal([](Options& o) { o.one_hot = {"c"}; }), HasSubstr("'c' (--one-hot)"));
  EXPECT_THAT(refusal([](Options& o) { o.drop = o.percent = {"a"}; }), StartsWith("--percent: the column 'a' has"));
  EXPECT_THAT(refusal([](Options& o) { o.components = 3; }), StartsWith("--components: 3 components asked for"));
  EXPECT_THAT(refusal([](Options& o) { o.drop = {"a", "b"}; }), StartsWith("t.csv: no column makes a feature"));
  EXPECT_THAT(refusal_of(folder, "a,b\n1,x\n"), StartsWith("t.csv: one row has nothing to compare"));
  EXPECT_THAT(refusal_of(folder, "a,b\nNA,\n,?\n"), StartsWith("t.csv: no column makes a feature"));
}

TEST_F(FitsRecipes, ScalesToTheNorm) {
  std::string text = "a,b\n";
  std::mt19937 random(5);
  std::normal_distribution<double> normal;
  for (int i = 0; i < 400; ++i)
    text += std::to_string(normal(random)) + "," + std::to_string(1e4 * normal(random)) + "\n";
  const TextTable table = table_of(folder, text);
  FitOptions options;
  options.norm = 0.5;
  const FittedRecipe fitted = fit_recipe(table, options);
  RowNotes notes;
  const auto values = make_rows(table, RowMaker(fitted.recipe), notes);
  std::size_t at_norm = 0;
  for (std::size_t r = 0; r < 400; ++r) {
    const double norm = std::hypot(values[2 * r], values[2 * r + 1]);
    EXPECT_LE(norm, 0.5 * (1 + 1e-12));
    at_norm += norm > 0.5 * (1 - 1e-12) ? 1 : 0;
  }
  EXPECT_NEAR(static_cast<double>(at_norm), 20, 2) << "one in twenty is as long as may be, or was longer";
  EXPECT_NEAR(static_cast<double>(notes.shortened), 20, 1);
  options.unit = true;
  const auto unit = make_rows(table, RowMaker(fit_recipe(table, options).recipe), notes);
  for (std::size_t r = 0; r < 400; ++r) EXPECT_NEAR(std::hypot(unit[2 * r], unit[2 * r + 1]), 0.5, 1e-12);
}

TEST_F(FitsRecipes, AConstantIsAPartOfTheUsualLength) {
  const TextTable table = table_of(folder, "a,b\n1,7\n2,3\n3,5\n");
  FitOptions options;
  options.constant = 0.5;
  const FittedRecipe fitted = fit_recipe(table, options);
  EXPECT_THAT(fitted.recipe.names(), ElementsAre("a", "b", "constant"));
  const double usual = std::sqrt(2.0);
  EXPECT_NEAR(features_of(table, fitted)[5], 0.5 * usual, 1e-12);
  options.unit = true;
  options.norm = 1;
  const auto values = features_of(table, fit_recipe(table, options));
  EXPECT_NEAR(values[2] / values[0], -0.5 * usual / std::sqrt(1.5), 1e-12) << "rows of one norm keep their proportions";
}

TEST_F(FitsRecipes, ComponentsKeepTheVarianceThatTheySay) {
  std::string text = "a,b,c\n";
  std::mt19937 random(6);
  std::normal_distribution<double> normal;
  for (int i = 0; i < 300; ++i) {
    const double common = normal(random);
    for (int c = 0; c < 3; ++c) text += std::to_string(common + 0.1 * normal(random)) + (c < 2 ? "," : "\n");
  }
  const TextTable table = table_of(folder, text);
  FitOptions options;
  options.components = 1;
  const FittedRecipe fitted = fit_recipe(table, options);
  EXPECT_THAT(fitted.recipe.names(), ElementsAre("pc_0"));
  RowNotes notes;
  const auto values = make_rows(table, RowMaker(fitted.recipe), notes);
  double squares = 0;
  for (const double value : values) squares += value * value / 300;
  // Three standardised columns have a total variance of 3.
  EXPECT_NEAR(squares / 3, fitted.kept_variance.value(), 1e-9);
  EXPECT_GT(*fitted.kept_variance, 0.98);
}

using ReadsLabels = InFolder;

TEST_F(ReadsLabels, OfAnyKind) {
  const auto labels = [&](const std::string& cells) { return read_labels(table_of(folder, "y,x\n" + cells), 0, {}); };
  const ArmLabels zero = labels("2,a\n0,b\n1,c\n2,d\n");
  EXPECT_THAT(zero.arms, ElementsAre(2, 0, 1, 2));
  EXPECT_EQ(zero.count, 3U);
  EXPECT_TRUE(zero.texts.empty());
  EXPECT_EQ(zero.warning, "");
  // If the labels were arms, the arms 1 to 9 and 11 to 19 would have no event.
  const ArmLabels tens = labels("20,a\n0,b\n10,c\n0,d\n");
  EXPECT_THAT(tens.arms, ElementsAre(2, 0, 1, 0));
  EXPECT_EQ(tens.count, 3U);
  EXPECT_THAT(tens.texts, ElementsAre("0", "10", "20"));
  EXPECT_THAT(tens.warning, StartsWith("column 'y': its labels are no numbers from 0 without gaps"));
  const ArmLabels one = labels("3,a\n1,b\n2,c\n10,d\n");
  EXPECT_THAT(one.arms, ElementsAre(2, 0, 1, 3)) << "by size, not by the alphabet";
  EXPECT_THAT(one.texts, ElementsAre("1", "2", "3", "10"));
  const ArmLabels signs = labels("1,a\n-1,b\n");
  EXPECT_THAT(signs.arms, ElementsAre(1, 0));
  const ArmLabels texts = labels("pear,a\napple,b\n7,c\npear,d\n");
  EXPECT_THAT(texts.arms, ElementsAre(2, 1, 0, 2));
  EXPECT_THAT(texts.texts, ElementsAre("7", "apple", "pear"));
}

TEST_F(ReadsLabels, RefusesWhatIsNone) {
  const auto refusal = [&](const std::string& cells, const std::optional<std::vector<std::string>>& known = {}) {
    const TextTable table = table_of(folder, "x,y\n" + cells);
    return message_of<InputError>(folder, [&] { (void)read_labels(table, 1, {}, known); });
  };
  std::string many;
  for (int i = 0; i < 1025; ++i) many += "1,label" + std::to_string(i) + "\n";
  EXPECT_THAT(refusal("1,0\n1,\n"), StartsWith("t.csv:3:2: no value where a label is expected"));
  EXPECT_THAT(refusal("1,4\n1,0.5\n"), StartsWith("t.csv:3:2: the label is not a whole number"));
  EXPECT_THAT(refusal(many), StartsWith("t.csv:2:2: 1025 different labels are in column 'y', and 1024 arms"));
  EXPECT_THAT(refusal("1,a\n1,c\n", std::vector<std::string>{"a", "b"}),
              StartsWith("t.csv:3:2: a label that the recipe"));
  EXPECT_THAT(refusal("1,a\n", std::vector<std::string>{}), StartsWith("t.csv:2:2: the recipe has labels"));
  const TextTable later = table_of(folder, "x,y\n1,3\n1,2\n");
  EXPECT_THAT(read_labels(later, 1, {}, std::vector<std::string>{}).arms, ElementsAre(3, 2));
}

}  // namespace
}  // namespace sotto::apps::prepare
