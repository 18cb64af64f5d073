// `sotto prepare log` and `sotto prepare party --events`: logs and tables as companies have them. One customer is in
// many events, arms have names, some rewards never came, and a company lacks some customers.
#include <algorithm>
#include <array>
#include <random>
#include <vector>

#include "tests/process/sotto_process.h"

namespace sotto::testing {
namespace {

using PreparesLogs = InFolder;

// Customers whose best offer depends on the shop's age and the bank's income, and events in which offers were drawn
// uniformly. The bank lacks each twentieth customer.
struct Visits {
  std::string shop = "customer_id,age\n";
  std::string bank = "income,customer_id\n";
  std::string log = "day;customer_id;offer;bought;chance\n";

  Visits(std::size_t customers, std::size_t events) {
    std::mt19937 random(11);
    const std::array<std::string, 3> offers{"card", "gift", "sale"};
    std::vector<std::array<double, 2>> features(customers);
    for (std::size_t i = 0; i < customers; ++i) {
      features[i] = {18 + static_cast<double>(random() % 60), 10 + static_cast<double>(random() % 60)};
      shop += fmt::format("c{},{:g}\n", i, features[i][0]);
      if (i % 20 != 0) bank += fmt::format("{:g},c{}\n", features[i][1], i);
    }
    for (std::size_t event = 0; event < events; ++event) {
      const std::size_t i = random() % customers;
      const std::size_t arm = random() % 3;
      const std::size_t best = features[i][0] > 48 ? 0 : features[i][1] > 40 ? 1 : 2;
      const bool buys = random() % 100 < (arm == best ? 70 : 10);
      log += fmt::format("{};c{};{};{};0.3333\n", event, i, offers[arm], buys ? "1" : "");
    }
  }
};

TEST_F(PreparesLogs, AndTheBanditLearnsFromEventsOfTheSameCustomers) {
  const Visits visits(300, 6000);
  folder.write("shop.csv", visits.shop);
  folder.write("bank.csv", visits.bank);
  folder.write("visits.csv", visits.log);
  const json log = result_of(folder, words_of("prepare log visits.csv --id customer_id --arm offer --reward bought "
                                              "--propensity chance --missing-reward 0 --out log --json"));
  EXPECT_EQ(log.at("events"), 6000);
  EXPECT_EQ(log.at("ids"), 300);
  EXPECT_EQ(log.at("arm_names"), json({"card", "gift", "sale"}));
  EXPECT_GT(log.at("missing_rewards").get<int>(), 3000);
  const json shop =
      result_of(folder, words_of("prepare party shop.csv --id customer_id --events log/events.csv --out shop --json"));
  EXPECT_EQ(shop.at("rows"), 6000);
  expect_refused(folder, words_of("prepare party bank.csv --id customer_id --events log/events.csv --out bank"),
                 "bank.csv has no row with this id (");
  const json bank = result_of(folder, words_of("prepare party bank.csv --id customer_id --events log/events.csv "
                                               "--absent-missing --out bank --json"));
  EXPECT_GT(bank.at("absent").get<int>(), 200);
  const json run = result_of(folder, words_of("evaluate --party shop/rows.csv --party bank/rows.csv --log log/log.csv "
                                              "--max-norm 1 --account-epsilon 20 --insecure-seed 1 --json"));
  std::vector<std::string> names;
  double model = 0;
  double of_log = 0;
  for (const json& policy : run.at("evaluation").at("policies")) {
    names.push_back(policy.at("policy"));
    if (names.back() == "model") model = policy.at("value").at("value");
    if (names.back() == "log") of_log = policy.at("value").at("value");
  }
  EXPECT_THAT(names, ::testing::ElementsAre("model", "arm card", "arm gift", "arm sale", "log"));
  EXPECT_GT(model, of_log + .15);
  // The account knows that one customer is in several rows.
  const int most = run.at("evaluation").at("noise").at(0).at("rows_per_subject");
  EXPECT_GT(most, 5);
}

TEST_F(PreparesLogs, WithIdsOfSeveralColumns) {
  folder.write("log.csv", "customer,day,arm,reward\nb,1,0,1\na,1,1,0\nb,2,1,1\n");
  folder.write("by_customer.csv", "customer,x\na,1\nb,5\n");
  folder.write("by_day.csv", "day,y,customer\n2,7,b\n1,3,a\n1,4,b\n");
  (void)succeed(folder, words_of("prepare log log.csv --id customer --id day --out log"));
  EXPECT_EQ(contents(folder.path() / "log/events.csv"), "customer,day\nb,1\na,1\nb,2\n");
  EXPECT_EQ(contents(folder.path() / "log/log.csv"), "arm,reward,id\n0,1,b|1\n1,0,a|1\n1,1,b|2\n");
  const Words raw = words_of("--components 0 --constant 0 --no-normalise --events log/events.csv");
  (void)succeed(folder, joined(words_of("prepare party by_customer.csv --id customer --out a"), raw));
  (void)succeed(folder, joined(words_of("prepare party by_day.csv --id customer --id day --out b"), raw));
  const auto order = [&](const std::string& file) {
    const std::string text = contents(folder.path() / file);
    return text.substr(0, text.find("file"));
  };
  EXPECT_EQ(order("a/rows.csv.order"), order("b/rows.csv.order"));
  EXPECT_THAT(contents(folder.path() / "a/rows.csv.subjects"), ::testing::EndsWith("\nb\na\nb\n"));
  EXPECT_THAT(contents(folder.path() / "b/rows.csv.subjects"), ::testing::EndsWith("\nb|1\na|1\nb|2\n"));
  // Without --events, the ids are made in the order of the --id flags, whatever the order of the columns in a table.
  folder.write("days.csv", "customer,z,day\nb,1,2\na,2,1\nb,2,1\n");
  (void)succeed(folder, words_of("prepare party by_day.csv --id customer --id day --sort --out d"));
  (void)succeed(folder, words_of("prepare party days.csv --id customer --id day --sort --out e"));
  EXPECT_EQ(order("d/rows.csv.order"), order("e/rows.csv.order"));
  const Words run = words_of("bandit --party a/rows.csv --party b/rows.csv --max-norm 1 --json --log");
  EXPECT_EQ(result_of(folder, joined(run, {"log/log.csv"})).at("status"), "complete");
  // The best offer of a table is no feature of rows of events, also if a recipe names it.
  folder.write("offers.csv", "customer,x,best\na,1,gift\nb,5,card\n");
  (void)succeed(folder, words_of("prepare party offers.csv --id customer --label best --out offers"));
  const json without = result_of(folder, words_of("prepare party offers.csv --recipe offers/recipe.toml --events "
                                                  "log/events.csv --out of_events --json"));
  EXPECT_EQ(without.at("features"), json({"x", "constant"}));
  EXPECT_EQ(without.at("rows"), 3);
  EXPECT_EQ(without.at("environment"), nullptr);
  // The recipe names both id columns, so this command needs no --id.
  (void)succeed(folder, words_of("prepare party by_day.csv --recipe b/recipe.toml --events log/events.csv --out c"));
  EXPECT_EQ(contents(folder.path() / "b/rows.csv"), contents(folder.path() / "c/rows.csv"));
  // A log with the same ids in another order is refused.
  folder.write("log/log.csv", "arm,reward,id\n1,1,b|2\n1,0,a|1\n0,1,b|1\n");
  expect_refused(folder, joined(run, {"log/log.csv"}), "its events are about other cases than the rows of");
}

TEST_F(PreparesLogs, LeavingOutEventsWithoutAReward) {
  folder.write("log.csv", "who,offer,gain\na,gift,\na,card,\"2,5\"\nb,gift,1\nc,card,unknown\n");
  const json log =
      result_of(folder, words_of("prepare log log.csv --id who --arm offer --reward gain --missing unknown "
                                 "--arms sale,gift,card --decimal-comma --missing-reward leave-out "
                                 "--out log --json"));
  EXPECT_EQ(log.at("missing_rewards"), 2);
  EXPECT_EQ(log.at("missing_reward"), "leave-out");
  EXPECT_EQ(log.at("arms"), 3);
  EXPECT_EQ(contents(folder.path() / "log/log.csv"), "arm,arm_name,reward,id\n2,card,2.5,a\n1,gift,1,b\n");
  EXPECT_EQ(contents(folder.path() / "log/events.csv"), "who\na\nb\n");
  EXPECT_THAT(succeed(folder, words_of("prepare log log.csv --id who --arm offer --reward gain --missing unknown "
                                       "--decimal-comma --missing-reward leave-out --out text")),
              AllOf(HasSubstr("rewards      2 missing, these events were left out"),
                    HasSubstr("sotto prepare party TABLE.csv --id who --events events.csv")));
}

TEST_F(PreparesLogs, AndRefusesWithoutATrace) {
  folder.write("log.csv", "who,offer,gain,p\na,gift,,.5\nb,card,1,1.5\n,card,1,.5\n");
  folder.write("text.csv", "offer,gain\ngift,7" + secret_digits + "x\n");
  folder.write("empty.csv", "arm,reward\n");
  folder.write("table.csv", "who,x\na,1\nb,2\n");
  folder.write("list.csv", "who\na\nz\n");
  folder.write("gap.csv", "who\na\n\"\"\n");
  folder.write("other.csv", "name\na\n");
  const Refusals refusals{
      {"log log.csv --arm offer --reward gain", "log.csv:2:3: column 'gain': no value in 1 event (first here)"},
      {"log log.csv --arm offer --reward gain --missing-reward no",
       "--missing-reward: expected a number, or leave-out"},
      {"log log.csv --arm offer --reward gain --missing-reward 0 --id who", "log.csv:4:1: no value where an id"},
      {"log log.csv --arm offer --reward gain --missing-reward 0 --propensity p", "log.csv:3:4: column 'p': a number "},
      {"log log.csv --arm offer --reward gain --missing-reward 0 --arms card", "log.csv:2:2"},
      {"log log.csv --reward gain", "log.csv:1: there is no column 'arm' (--arm)"},
      {"log log.csv --arm offer --reward gain --keep id", "log.csv:1: there is no column 'id' (--keep)"},
      {"log text.csv --arm offer --reward gain", "text.csv:2:2: column 'gain': a text where a reward, a number,"},
      {"log empty.csv", "empty.csv:1: there is no row below this header line"},
      {"party table.csv --events list.csv", "--events: name the column of the ids with --id"},
      {"party table.csv --id who --events log.csv", "log.csv:2:3: no value where an id is expected"},
      {"party table.csv --id who --events table.csv --sort", "--sort: the rows have the order of the events"},
      {"party table.csv --id who --events list.csv", "list.csv:3:1: table.csv has no row with this id (1 event of 2)"},
      {"party table.csv --id who --events gap.csv", "gap.csv:3:1: no value where an id is expected"},
      {"party table.csv --id who --events other.csv", "other.csv:1: there is no column 'who' (--events)"},
      {"party table.csv --id who --absent-missing", "--events"},
  };
  for (const auto& [words, says] : refusals) {
    expect_refused(folder, words_of("prepare " + words + " --out out"), says);
    EXPECT_FALSE(fs::exists(folder.path() / "out")) << words;
  }
  folder.write("arms.csv", "who,arm,reward\na,0,1\n");
  expect_refused(folder, words_of("prepare party table.csv --id who --events arms.csv --out out"),
                 "arms.csv:1: there is a column 'arm', so this is a log");
}

}  // namespace
}  // namespace sotto::testing
