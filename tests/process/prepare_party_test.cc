#include "tests/process/sotto_process.h"

namespace sotto::testing {
namespace {

// Customers whose best offer depends on the quadrant of visits and tenure. The columns have scales from 1 to 10^5.
struct Customers {
  std::string shop = "customer_id,age,visits\n";
  std::string bank = "customer_id,income,tenure,best_offer\n";

  explicit Customers(std::size_t count, unsigned seed = 7) {
    std::mt19937 random(seed);
    const auto normal = [&] {
      double sum = -6;
      for (int i = 0; i < 12; ++i) sum += static_cast<double>(random()) / 4294967296.0;
      return sum;
    };
    const char* const offers[] = {"bonus", "credit", "gift", "travel"};
    for (std::size_t i = 0; i < count; ++i) {
      const double visits = normal();
      const double tenure = normal();
      const std::string id = "c" + std::to_string(100'000 + i);
      shop += id + "," + std::to_string(std::lround(45 + 13 * normal())) + "," + std::to_string(12 + 4 * visits) + "\n";
      bank += id + "," + std::to_string(52'000 + 100'000 * normal()) + "," + std::to_string(3 + tenure) + "," +
              offers[(visits > 0 ? 1 : 0) + (tenure > 0 ? 2 : 0)] + "\n";
    }
  }
};

using PreparesParties = InFolder;

TEST_F(PreparesParties, AndTheBanditLearnsFromBoth) {
  const Customers customers(3000);
  folder.write("shop.csv", customers.shop);
  folder.write("bank.csv", customers.bank);
  const json shop = result_of(folder, words_of("prepare party shop.csv --id customer_id --out shop --json"));
  const json bank =
      result_of(folder, words_of("prepare party bank.csv --id customer_id --label best_offer --out bank --json"));
  EXPECT_EQ(shop.at("features"), json({"age", "visits", "constant"}));
  EXPECT_EQ(shop.at("environment"), nullptr);
  EXPECT_EQ(bank.at("features"), json({"income", "tenure", "constant"}));
  EXPECT_EQ(bank.at("labels"), json({"bonus", "credit", "gift", "travel"}));
  EXPECT_EQ(bank.at("warnings"), json::array());
  const json run = result_of(folder, words_of("bandit --party shop/rows.csv --party bank/rows.csv --environment "
                                              "bank/environment.csv --max-norm 1 --insecure-seed 1 --json"));
  EXPECT_GE(run.at("average_reward").get<double>(), 0.87);
}

TEST_F(PreparesParties, AndTheOneFileWayLearnsAsWell) {
  const Customers customers(3000);
  const auto bank = folder.write("bank.csv", customers.bank);
  std::istringstream left(customers.shop);
  std::istringstream right(customers.bank);
  std::string joined_rows;
  for (std::string a, b; std::getline(left, a) && std::getline(right, b);)
    joined_rows += a + b.substr(b.find(',')) + "\n";
  folder.write("joint.csv", joined_rows);
  const json made = result_of(
      folder, words_of("prepare csv joint.csv --id customer_id --label-column best_offer --out joint --json"));
  EXPECT_EQ(made.at("arms"), 4);
  const json run =
      result_of(folder, words_of("bandit --party joint/party_0.csv --party joint/party_1.csv --environment "
                                 "joint/environment.csv --max-norm 1 --insecure-seed 1 --json"));
  EXPECT_GE(run.at("average_reward").get<double>(), 0.85);
}

TEST_F(PreparesParties, SayingWhatWasDone) {
  folder.write("t.csv",
               "id,age,plan,since,same\n1,40,gold,2026-01-01,x\n2,NA,tin,2026-01-02,x\n3,50,gold,2026-01-03,x\n");
  const std::string said = succeed(folder, words_of("prepare party t.csv --id id --parties 4 --out out"));
  EXPECT_THAT(said, HasSubstr("rows         out/rows.csv (3 rows, 5 features, norm at most 0.5)\n"));
  EXPECT_THAT(said, HasSubstr("recipe       out/recipe.toml (keep it as the table)\n"));
  EXPECT_THAT(said, HasSubstr("  id     the id; no feature\n"));
  EXPECT_THAT(said,
              HasSubstr("  age    number, standardised; 1 missing (1 NA): the mean, and a feature that says so\n"));
  EXPECT_THAT(said, HasSubstr("  plan   2 categories\n"));
  EXPECT_THAT(said, HasSubstr("  same   left out: constant\n"));
  EXPECT_THAT(said, HasSubstr("warning      column 'since': it looks like a date, so it was left out; make a number"));
  EXPECT_THAT(said, HasSubstr("  sotto prepare party NEW.csv --recipe out/recipe.toml --out out/new\n"));
  folder.write("new.csv", "id,age,plan,since,same\n4,41,zinc,2026-01-04,x\n");
  EXPECT_THAT(succeed(folder, words_of("prepare party new.csv --recipe out/recipe.toml --out new")),
              HasSubstr("warning      column 'plan': 1 of 1 value is of no category that the recipe knows\n"));
}

TEST_F(PreparesParties, AndAWarningsAdviceIsTaken) {
  std::string text = "zip,age,stall\n";
  for (int i = 0; i < 40; ++i) {
    text += (i % 2 == 0 ? "01067," : "10115,") + std::to_string(i % 4 == 1 ? -999 : 20 + i) +
            (i % 4 == 0   ? ",box"
             : i % 4 == 1 ? ",open"
                          : ",None") +
            "\n";
  }
  folder.write("t.csv", text);
  const json first = result_of(folder, words_of("prepare party t.csv --out first --json"));
  EXPECT_EQ(first.at("warnings").size(), 3U);
  const json second = result_of(folder, words_of("prepare party t.csv --number zip --missing age=-999 --not-missing "
                                                 "stall=None --out second --json"));
  EXPECT_EQ(second.at("warnings"), json::array());
  EXPECT_EQ(second.at("missing"), 10);
  EXPECT_EQ(second.at("features"),
            json({"zip", "age", "age missing", "stall=None", "stall=box", "stall=open", "constant"}));
  expect_refused(folder, words_of("prepare party t.csv --recipe second/recipe.toml --not-missing None --out x"),
                 "--not-missing: the recipe of --recipe has decided that");
}

TEST_F(PreparesParties, AndLaterTablesByTheRecipe) {
  const Customers customers(200);
  folder.write("shop.csv", customers.shop);
  (void)succeed(folder, words_of("prepare party shop.csv --id customer_id --out first"));
  std::istringstream lines(customers.shop);
  std::string line;
  std::string later = "visits,customer_id,new,age\n";
  for (int i = 0; std::getline(lines, line); ++i) {
    if (i <= 190) continue;
    const std::size_t first = line.find(',');
    const std::size_t last = line.rfind(',');
    later +=
        line.substr(last + 1) + "," + line.substr(0, first) + ",1," + line.substr(first + 1, last - first - 1) + "\n";
  }
  folder.write("later.csv", later);
  const json made =
      result_of(folder, words_of("prepare party later.csv --recipe first/recipe.toml --out later --json"));
  EXPECT_EQ(made.at("rows"), 10);
  EXPECT_EQ(made.at("recipe"), nullptr);
  EXPECT_THAT(made.at("warnings").dump(), HasSubstr("column 'new': the recipe does not know it"));
  const std::string all = contents(folder.path() / "first/rows.csv");
  const std::string some = contents(folder.path() / "later/rows.csv");
  const std::string rows = some.substr(some.find('\n') + 1);
  EXPECT_EQ(all.substr(all.size() - rows.size()), rows) << "the same rows, digit for digit";
  expect_refused(folder, words_of("prepare party later.csv --recipe first/recipe.toml --robust --out x"),
                 "--robust: the recipe of --recipe has decided that");
  const Words text = words_of("prepare party text.csv --recipe first/recipe.toml --out text");
  folder.write("text.csv", "customer_id,age,visits\nc1,forty,3\nc2,41,2\n");
  expect_refused(folder, text,
                 "text.csv:2:2: column 'age': a text where a number is expected; the recipe's table had numbers here: "
                 "give one, or leave the value empty where it is not known");
  folder.write("text.csv", "customer_id,age,visits\nc1,,3\nc2,41,2\n");
  EXPECT_EQ(result_of(folder, joined(text, {"--json"})).at("missing"), 1);
  (void)succeed(folder, words_of("prepare party shop.csv --drop customer_id --out without"));
  expect_refused(
      folder, words_of("prepare party text.csv --recipe without/recipe.toml --sort --out x"),
      "--sort: the recipe has no column of ids; make one that has by `sotto prepare party TABLE --id COLUMN`");
  folder.write("other.csv", "customer_id,age\nc1,40\n");
  expect_refused(folder, words_of("prepare party other.csv --recipe first/recipe.toml --out x"),
                 "other.csv:1: there is no column 'visits', which the recipe needs");
}

TEST_F(PreparesParties, AndRefusesWithoutATrace) {
  folder.write("twice.csv", "id,x\n" + secret_digits + ",1\n8,2\n" + secret_digits + ",3\n");
  folder.write("gap.csv", "id,x\n1,1\n,2\n");
  folder.write("text.csv", "id,x\n1,1\n2,a" + secret_digits + "\n");
  folder.write("plain.csv", "id,x\n1,1\n2,3\n");
  fs::create_directories(folder.path() / "held");
  folder.write("held/rows.csv", "x\n1\n");
  const Refusals refusals{
      {"twice.csv --id id", "twice.csv:4:1: the id of row twice.csv:2 stands here again; each id needs one row"},
      {"gap.csv --id id", "gap.csv:3:1: no value where an id is expected"},
      {"text.csv --id id", "text.csv:3:2: column 'x': a text where a number is expected (1 of 2 values); --one-hot x"},
      {"plain.csv --id key", "plain.csv:1: there is no column 'key' (--id)"},
      {"plain.csv --sort", "--sort: name the column of the ids with --id"},
      {"plain.csv --share 2", "--share: must be above 0 and at most --max-norm, 1"},
      {"plain.csv --max-norm 9", "norm"},
      {"plain.csv --parties 9", "--parties"},
      {"plain.csv --recipe text.csv", "text.csv:1"},
      {"plain.csv --recipe none.toml", "none.toml: cannot read the file"},
  };
  for (const auto& [words, says] : refusals) {
    expect_refused(folder, words_of("prepare party " + words + " --out out"), says);
    EXPECT_FALSE(fs::exists(folder.path() / "out")) << words;
  }
  expect_refused(folder, words_of("prepare party plain.csv --out held"),
                 "--out: held/rows.csv exists already: choose another, or write over it with --overwrite");
  fs::create_directories(folder.path() / "out/recipe.toml");
  expect_refused(folder, words_of("prepare party plain.csv --out out"), "cannot write out/recipe.toml", 6);
  EXPECT_FALSE(fs::exists(folder.path() / "out/rows.csv"));
}

TEST_F(PreparesParties, SortedByIdsTwoTablesGoTogether) {
  folder.write("a.csv", "id,x\nk3,3\nk1,1\nk2,2\n");
  folder.write("b.csv", "id,y\nk2,20\nk3,30\nk1,10\n");
  for (const char* const name : {"a", "b"}) {
    (void)succeed(folder, words_of("prepare party " + std::string(name) + ".csv --id id --sort --out " + name));
  }
  const std::string a = contents(folder.path() / "a/rows.csv");
  const std::string b = contents(folder.path() / "b/rows.csv");
  EXPECT_EQ(a.substr(1), b.substr(1)) << "x and y / 10 are the same of one id";
}

TEST_F(PreparesParties, AndLeaveWhomRowsAreAbout) {
  folder.write("a.csv", "visit,x,customer\nk3,3,Zoe\nk1,1,Ann\nk2,2,Zoe\n");
  const auto subjects = [&](const std::string& words) {
    (void)succeed(folder, words_of("prepare party a.csv --overwrite --out a " + words));
    const std::filesystem::path file = folder.path() / "a/rows.csv.subjects";
    if (!std::filesystem::exists(file)) return std::string("none");
    const std::string text = contents(file);
    EXPECT_THAT(text, ::testing::StartsWith("# subjects of sha256:"));
    return text.substr(text.find('\n') + 1);
  };
  EXPECT_EQ(subjects("--id visit --drop customer --sort"), "k1\nk2\nk3\n");
  EXPECT_EQ(subjects("--id visit --subject customer --sort"), "Ann\nZoe\nZoe\n");
  EXPECT_THAT(contents(folder.path() / "a/rows.csv"), ::testing::Not(HasSubstr("customer"))) << "it is no feature";
  EXPECT_EQ(subjects("--recipe a/recipe.toml"), "Zoe\nAnn\nZoe\n") << "the recipe knows whom rows are about";
  folder.write("without.csv", "visit,x\nk3,3\n");
  expect_refused(folder, words_of("prepare party without.csv --recipe a/recipe.toml --out b"),
                 "there is no column 'customer'");
  EXPECT_EQ(subjects("--drop visit --drop customer"), "none") << "those of an earlier table are gone";
  expect_refused(folder, words_of("prepare party a.csv --subject nobody --out b"), "--subject");
  folder.write("aligned.csv", "subject,x\n0a,3\n0b,1\n0c,2\n");
  folder.write("aligned.csv.subjects", "k3\nk1\nk2\n");
  (void)succeed(folder, words_of("prepare party aligned.csv --id subject --out c"));
  EXPECT_THAT(contents(folder.path() / "c/rows.csv.subjects"), ::testing::EndsWith("\nk3\nk1\nk2\n"));
}

// A run with rows in different orders would learn nothing.
TEST_F(PreparesParties, RowsThatDoNotBelongTogetherAreRefused) {
  folder.write("a.csv", "id,x\nk3,3\nk1,1\nk2,2\n");
  folder.write("b.csv", "id,y,best\nk2,20,0\nk3,30,1\nk1,10,1\n");
  const auto prepare = [&](const std::string& words) { (void)succeed(folder, words_of("prepare party " + words)); };
  prepare("a.csv --id id --out a");
  prepare("b.csv --id id --label best --out b");
  const Words run = words_of(
      "bandit --party a/rows.csv --party b/rows.csv --environment b/environment.csv --max-norm 1 "
      "--steps 6 --json");
  const std::string refusal =
      "the rows of party 0 and of party 1 are about other cases, or in another order: row t must";
  expect_refused(folder, run, refusal, 5);
  prepare("a.csv --id id --sort --out a --overwrite");
  expect_refused(folder, run, refusal, 5);
  prepare("b.csv --id id --label best --sort --out b --overwrite");
  EXPECT_EQ(result_of(folder, run).at("status"), "complete");
  folder.write("other.csv", "id,y,best\nk1,20,0\nk2,30,1\nk4,10,1\n");
  prepare("other.csv --id id --label best --sort --out other");
  expect_refused(folder,
                 words_of("bandit --party a/rows.csv --party b/rows.csv --environment other/environment.csv "
                          "--max-norm 1 --steps 6 --json"),
                 "its rows are about other cases than the parties'");
  prepare("a.csv --drop id --out a --overwrite");
  EXPECT_EQ(result_of(folder, run).at("status"), "complete");
  folder.write("b/rows.csv", "z" + contents(folder.path() / "b/rows.csv").substr(1));
  expect_refused(folder, run, "this is the order of another file");
}

TEST_F(PreparesParties, AndWhatIsPrintedNextRuns) {
  const json few = result_of(folder, words_of("prepare digits --shuffle 1 --limit 8 --components 0 --out few --json"));
  const auto next = few.at("next").get<std::string>();
  EXPECT_TRUE(has(next, " --arms " + std::to_string(few.at("arms").get<int>())));
  EXPECT_EQ(result_of(folder, words_of(next.substr(std::string("sotto ").size()) + " --json")).at("status"),
            "complete");
  const json all = result_of(folder, words_of("prepare digits --out all --json"));
  EXPECT_FALSE(has(all.at("next").get<std::string>(), "--arms"));
}

}  // namespace
}  // namespace sotto::testing
