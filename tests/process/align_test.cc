#include "tests/process/role_runs.h"

namespace sotto::testing {
namespace {

class Aligns : public InFolder {
 protected:
  Processes start(const Words& keys, const Words& flags = {}) {
    Processes processes;
    for (const std::string& key : keys) processes[key] = start_one(key, flags);
    return processes;
  }
  std::unique_ptr<SottoProcess> start_one(const std::string& key, const Words& flags = {}) {
    RolePlan& plan = plans.at(key);
    plan.command = "align";
    const Words own{(folder.path() / (key + "_table.csv")).string(), "--id", "id", "--out", out(key).string()};
    return testing::start(folder, key, plan, joined(own, flags));
  }
  void table(const std::string& key, const std::string& text) const { folder.write(key + "_table.csv", text); }
  [[nodiscard]] fs::path out(const std::string& key) const { return folder.path() / ("aligned_" + key); }
  [[nodiscard]] std::string aligned(const std::string& key) const { return contents(out(key) / "aligned.csv"); }

  RunPlan plans = plan_run(folder);
  const Words both{"party_0", "party_1"};
};

std::map<std::string, Words> rows_of(const std::string& text) {
  std::map<std::string, Words> rows;
  std::istringstream in(text);
  std::string line;
  std::getline(in, line);
  while (std::getline(in, line)) {
    Words cells;
    std::istringstream of(line);
    for (std::string cell; std::getline(of, cell, ',');) cells.push_back(cell);
    EXPECT_TRUE(rows.emplace(cells.at(0), Words(cells.begin() + 1, cells.end())).second);
  }
  return rows;
}

TEST_F(Aligns, TwoTablesInTheSameOrderAndThenARunOnThem) {
  table("party_0", "id,x\nk9,9\nk1,1\nk4,4\nk2,2\n");
  table("party_1", "y,id,label\n10, k1 ,0\n20,k2,1\n30,k3,0\n40,k4,1\n");
  auto processes = start(both);
  expect_ends(end_all(processes), 0);
  const auto first = rows_of(aligned("party_0"));
  EXPECT_EQ(first.size(), 3U);
  std::istringstream in(aligned("party_1"));
  std::string line;
  std::getline(in, line);
  EXPECT_EQ(line, "y,subject,label");
  for (const auto& [subject, cells] : first) {
    ASSERT_TRUE(std::getline(in, line));
    EXPECT_EQ(line.substr(0, line.rfind(',')), cells.at(0) + "0," + subject) << "the same case in the same row";
  }
  const std::string pseudonyms = contents(out("party_1") / "pseudonyms.csv");
  EXPECT_THAT(pseudonyms, ::testing::StartsWith("id,subject\n"));
  for (const auto& [id, cells] : rows_of(pseudonyms)) EXPECT_TRUE(first.contains(cells.at(0))) << id;

  for (const std::string& key : both) {
    const std::string label = key == "party_1" ? " --label label" : "";
    (void)succeed(folder, words_of("prepare party " + (out(key) / "aligned.csv").string() + " --id subject --out " +
                                   key + label));
  }
  EXPECT_EQ(result_of(folder, words_of("bandit --party party_0/rows.csv --party party_1/rows.csv --environment "
                                       "party_1/environment.csv --max-norm 1 --steps 6 --json"))
                .at("status"),
            "complete");
}

TEST_F(Aligns, ThreePartiesAndTheActor) {
  plans = plan_run(folder, {.parties = 3});
  table("party_0", "id,x\na@x.org,1\nB@x.org,2\nc@x.org,3\n");
  table("party_1", "id,y\nb@X.ORG,1\na@x.org,2\nd@x.org,3\n");
  table("party_2", "id\nA@x.org\nb@x.org\n");
  table("actor", "name,id\nAnn,a@x.org\nBob, b @x.org\nZoe,z@x.org\n");
  auto processes = start({"party_0", "party_1", "party_2", "actor"},
                         {"--also", "actor", "--case", "fold", "--blanks", "none", "--json"});
  for (auto& [key, process] : processes) {
    ASSERT_EQ(process->wait(), 0) << key << process->err();
    expect_fields(process->json(), {{"status", "complete"},
                                    {"common", 2},
                                    {"ids", {{"party_0", 3}, {"party_1", 3}, {"party_2", 2}, {"actor", 3}}},
                                    {"insecure", json::array()}});
    for (const std::string part : {"@", "Ann", "Bob"}) EXPECT_FALSE(has(process->out() + process->err(), part)) << key;
  }
  const auto first = rows_of(aligned("party_0"));
  EXPECT_EQ(first.size(), 2U);
  EXPECT_THAT(aligned("party_2"), ::testing::StartsWith("subject\n"));
  for (const auto& [id, cells] : rows_of(contents(out("actor") / "pseudonyms.csv"))) {
    EXPECT_TRUE(first.contains(cells.at(0))) << id;
  }
}

// The actor's table is a log, in which a customer occurs in several events. The actor aligns the log itself (--log).
// Afterwards the parties prepare one row for each event of the log.
TEST_F(Aligns, ALogOfManyEventsACustomer) {
  table("party_0", "id,x\nk1,1\nk2,-1\nk3,2\n");
  table("party_1", "id,y\nk3,3\nk1,1\nk2,5\n");
  table("actor", "arm,id,reward\ngift,k2,1\ncard,k1,0\ngift,k9,1\ncard,k2,1\ngift,k1,\n");
  const Words also{"--also", "actor"};
  Processes processes = start(both, also);
  processes["actor"] = start_one("actor", joined(also, {"--log", "--json"}));
  for (auto& [key, process] : processes) ASSERT_EQ(process->wait(), 0) << key << process->err();
  expect_fields(processes.at("actor")->json(),
                {{"common", 2}, {"events", 4}, {"ids", {{"party_0", 3}, {"party_1", 3}, {"actor", 3}}}});
  EXPECT_EQ(rows_of(aligned("party_0")).size(), 2U) << "k3 is in no event";
  std::map<std::string, std::string> pseudonym;
  for (const auto& [id, cells] : rows_of(contents(out("actor") / "pseudonyms.csv"))) pseudonym[id] = cells.at(0);
  EXPECT_EQ(pseudonym.size(), 2U);
  EXPECT_EQ(aligned("actor"), "arm,subject,reward\ngift," + pseudonym["k2"] + ",1\ncard," + pseudonym["k1"] +
                                  ",0\ncard," + pseudonym["k2"] + ",1\ngift," + pseudonym["k1"] + ",\n");
  EXPECT_FALSE(fs::exists(out("actor") / "aligned.csv.subjects"));

  (void)succeed(folder, words_of("prepare log " + (out("actor") / "aligned.csv").string() +
                                 " --id subject --missing-reward 0 --out log"));
  for (const std::string& key : both) {
    (void)succeed(folder, words_of("prepare party " + (out(key) / "aligned.csv").string() +
                                   " --id subject --events log/events.csv --out " + key));
  }
  EXPECT_THAT(contents(folder.path() / "party_0/rows.csv.subjects"), ::testing::EndsWith("\nk2\nk1\nk2\nk1\n"));
  EXPECT_EQ(result_of(folder, words_of("bandit --party party_0/rows.csv --party party_1/rows.csv --log log/log.csv "
                                       "--max-norm 1 --json"))
                .at("status"),
            "complete");
}

TEST_F(Aligns, CompaniesThatCompareOtherwiseAreRefused) {
  for (const std::string& key : both) table(key, "id,x\na,1\nb,2\n");
  Processes processes;
  processes["party_0"] = start_one("party_0", {"--case", "fold"});
  processes["party_1"] = start_one("party_1");
  expect_ends(end_all(processes), 5, "align_case = ");
  processes["party_0"] = start_one("party_0");
  plans.at("party_1").config.id_unicode = apps::UnicodeForm::nfkc;
  processes["party_1"] = start_one("party_1");
  expect_ends(end_all(processes), 5, "align_unicode = ");
  for (const std::string& key : both) EXPECT_FALSE(fs::exists(out(key)));
}

TEST_F(Aligns, TablesWithoutACommonIdLeaveNothing) {
  table("party_0", "id,x\na,1\nb,2\n");
  table("party_1", "id,x\nc,1\n");
  auto processes = start(both);
  expect_ends(end_all(processes), 5, "the tables of party 0, party 1 have no id in common, and nothing was written");
  for (const std::string& key : both) EXPECT_FALSE(fs::exists(out(key)));
}

TEST_F(Aligns, ARoleThatRunsMeetsNoAlignment) {
  table("party_0", "id,x\na,1\n");
  plans.at("party_1").config.connect_deadline_seconds = 5;
  Processes processes;
  processes["party_0"] = start_one("party_0");
  processes["party_1"] = testing::start(folder, "party_1", plans.at("party_1"));
  const Ends ends = end_all(processes);
  EXPECT_EQ(ends.at("party_0").code, 5) << ends.at("party_0").output;
  EXPECT_THAT(ends.at("party_0").error, HasSubstr("program = sotto align 1 here"));
}

TEST_F(Aligns, ACompanyThatNeverComesIsNamed) {
  table("party_0", "id,x\na,1\n");
  plans.at("party_0").config.connect_deadline_seconds = 0.2;
  const auto alone = start_one("party_0");
  expect_end(*alone, 3, "party 1");
  EXPECT_FALSE(fs::exists(out("party_0")));
}

TEST_F(Aligns, BadTablesAreRefusedBeforeAnybodyIsWaitedFor) {
  const std::string id = "secret-" + secret_digits;
  const std::pair<std::string, std::string> cases[] = {
      {"customer,x\n1,2\n", "party_0_table.csv:1: there is no column 'id' (--id)"},
      {"id,x\n" + id + ",1\nb,2\n" + id + ",3\n", "party_0_table.csv:4:1: the id of row"},
      {"id,x\na,1\n,2\n", "party_0_table.csv:3:1: no value where an id is expected"},
      {"id,x\nM\xfcller,1\n", "party_0_table.csv:2: not in UTF-8"},
      {"id,subject\na,b\n", "party_0_table.csv:1:2: a column 'subject' is there already"},
      {"id,x\n", "party_0_table.csv:1: there is no row below"},
  };
  for (const auto& [text, says] : cases) {
    table("party_0", text);
    const auto process = start_one("party_0");
    expect_end(*process, 2, says);
    EXPECT_FALSE(has(process->err(), secret_digits));
    EXPECT_FALSE(fs::exists(out("party_0")));
  }
  table("party_0", "id\na\n");
  expect_end(*start_one("party_0", {"--also", "acter"}), 2,
             "no role of this run other than parties and dealer; did you mean actor");
  fs::create_directory(out("party_0"));
  std::ofstream(out("party_0") / "pseudonyms.csv") << "id,subject\n";
  expect_end(*start_one("party_0"), 2, "pseudonyms.csv exists already");
}

TEST_F(Aligns, RolesWithoutATableAreToldSo) {
  for (const std::string key : {"dealer", "actor"}) {
    table(key, "id\na\n");
    expect_end(*start_one(key), 2, "which has no table to align: party 0, party 1 have");
  }
}

TEST_F(Aligns, TheDoctorTriesIt) {
  // The data is made later, from the aligned tables.
  for (const std::string& key : both) fs::remove(plans.at(key).config.data);
  Processes doctors;
  for (const std::string& key : both) {
    plans.at(key).command = "doctor";
    doctors[key] = testing::start(folder, key, plans.at(key), {"--align", "--wait", "60s"});
  }
  for (auto& [key, doctor] : doctors) {
    EXPECT_EQ(doctor->wait(), 0) << doctor->out() << doctor->err();
  }
  EXPECT_THAT(doctors.at("party_0")->out(), HasSubstr("its doctor reaches this one"));
  EXPECT_THAT(doctors.at("party_1")->out(), HasSubstr("the same run"));
}

TEST_F(Aligns, WhatItWouldDoIsPrinted) {
  table("party_0", "id\na\n");
  const auto process = start_one("party_0", {"--case", "fold", "--print-config"});
  EXPECT_EQ(process->wait(), 0) << process->err();
  EXPECT_THAT(process->out(),
              ::testing::AllOf(HasSubstr("[align]\nunicode = \"nfc\"  # default\ncase = \"fold\"  # --case"),
                               HasSubstr("protocol = \"align\"")));
  EXPECT_FALSE(has(process->out(), "dealer"));
}

}  // namespace
}  // namespace sotto::testing
