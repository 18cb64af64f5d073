#include "apps/o3m/result.h"
#include "apps/kit/files/json.h"
#include "apps/kit/report/publish.h"
#include "apps/o3m/leakage.h"
#include "apps/o3m/role_site.h"
#include "tests/apps/support.h"

namespace sotto::apps::o3m {
namespace {

O3mResult sample() {
  O3mResult result;
  result.version = "1.2.3";
  result.command = "sotto o3m --ap <x>.csv";
  result.parameters.steps = 3;
  result.parameters.arms = 2;
  result.parameters.columns = {4, 5, 6};
  result.parameters.bounds = {1, 1, 2};
  result.inputs = {{"active participant", "<x>.csv", 4, 1},
                   {"passive participant 1", "b.csv", 5, 1},
                   {"passive participant 2", "c.csv", 6, 2}};
  result.environment = "env.csv";
  result.arms = {0, 1, 1};
  result.rewards = {1, 0.5, 0.25};
  result.average_reward = 1.75 / 3;
  result.uniform_average_reward = 0.25;
  result.reward_curve = {{1, 1, {}}, {2, 0.75, {}}, {3, 1.75 / 3, {}}};
  result.cumulative_regret = 2.5;
  result.uniform_regret = 6;
  result.regret_curve = {{1, 0.5}, {2, 1}, {3, 2.5}};
  result.central = CentralComparison{true, std::nullopt, 4.44089e-15, 2e-6, 1.75 / 3};
  result.seconds_per_step = 1e-6;
  result.end_to_end_seconds_per_step = 3e-6;
  result.bytes_per_step = 480;
  result.roles = {{"active participant", 0.5, 1000, 10}};
  return result;
}

TEST(O3mResult, JsonHoldsEverything) {
  const auto json = to_json(sample());
  EXPECT_EQ(json.at("status"), "complete");
  EXPECT_EQ(json.at("algorithm"), "ucb");
  EXPECT_EQ(json.at("steps"), 3);
  EXPECT_EQ(json.at("arm_count"), 2);
  EXPECT_EQ(json.at("dimension"), 15);
  EXPECT_EQ(json.at("mask_generator"), "third-party");
  EXPECT_EQ(json.at("arms"), (std::vector<int>{0, 1, 1}));
  EXPECT_EQ(json.at("rewards"), (std::vector<double>{1, 0.5, 0.25}));
  EXPECT_EQ(json.at("average_reward"), 1.75 / 3);
  EXPECT_EQ(json.at("cumulative_regret"), 2.5);
  EXPECT_EQ(json.at("regret_curve").at(2).at("cumulative_regret"), 2.5);
  EXPECT_EQ(json.at("max_score_difference"), 4.44089e-15);
  EXPECT_EQ(json.at("arms_equal"), true);
  EXPECT_EQ(json.at("seconds_per_step"), 1e-6);
  EXPECT_EQ(json.at("central_seconds_per_step"), 2e-6);
  EXPECT_EQ(json.at("bytes_per_step"), 480);
  EXPECT_EQ(json.at("leakage"), leakage(sample().parameters));
  EXPECT_EQ(json.at("secure_summation"), true);
  EXPECT_FALSE(json.contains("first_difference"));
}

TEST(O3mResult, WhatWasNotMeasuredIsNull) {
  O3mResult result = sample();
  result.central.reset();
  result.cumulative_regret.reset();
  result.regret_curve.clear();
  result.parameters.mask_generator = 2;
  const auto json = to_json(result);
  EXPECT_TRUE(json.at("arms_equal").is_null());
  EXPECT_TRUE(json.at("max_score_difference").is_null());
  EXPECT_TRUE(json.at("central_seconds_per_step").is_null());
  EXPECT_TRUE(json.at("cumulative_regret").is_null());
  EXPECT_FALSE(json.contains("regret_curve"));
  EXPECT_EQ(json.at("mask_generator"), 2);
}

TEST(O3mResult, ThePageIsSelfContainedAndEscaped) {
  const std::string page = report_html(sample());
  EXPECT_THAT(page, AllOf(HasSubstr("&lt;x&gt;.csv"), Not(HasSubstr("<x>"))));
  for (const char* loads : {"<script", "src=", "<link", "@import", "url("}) EXPECT_THAT(page, Not(HasSubstr(loads)));
  EXPECT_THAT(page, AllOf(HasSubstr("Knowledge of each role"), HasSubstr("<h2>Regret</h2>"),
                          HasSubstr("4.4 &middot; 10<sup>&minus;15</sup>"), HasSubstr("This is no encryption")));
}

TEST(O3mResult, InsecureAndFailedRunsAreStamped) {
  O3mResult result = sample();
  result.insecure = {"insecure-blocks"};
  EXPECT_THAT(report_html(result), HasSubstr("Insecure run: insecure-blocks"));
  EXPECT_THAT(summary_text(result, {}), HasSubstr("INSECURE: insecure-blocks."));
  result.status = RunStatus::failed;
  result.error = "a <peer> was lost";
  EXPECT_THAT(report_html(result), AllOf(HasSubstr("a &lt;peer&gt; was lost"), Not(HasSubstr("<h2>Rewards</h2>"))));
  EXPECT_THAT(summary_text(result, {}), HasSubstr("failed: a <peer> was lost"));
  EXPECT_EQ(to_json(result).at("error"), "a <peer> was lost");
}

TEST(O3mResult, ArmFeaturesThatAllKnowAreToldAsLeakage) {
  O3mResult result = sample();
  result.arms_file = "arms.csv";
  result.combine = "concatenate";
  EXPECT_EQ(leakage_of_arm_features(result), "");
  EXPECT_EQ(to_json(result).at("leakage"), leakage(result.parameters));
  result.combine = "sum";
  const std::string words = leakage_of_arm_features(result);
  EXPECT_THAT(words, HasSubstr("difference of two arms"));
  EXPECT_EQ(to_json(result).at("leakage").at("active participant").back(), words);
  EXPECT_THAT(report_html(result), HasSubstr(words));
}

TEST(O3mResult, TheSummarySaysWhatItLeaks) {
  const std::string text = summary_text(sample(), {});
  EXPECT_THAT(text, AllOf(HasSubstr(leakage_headline()), HasSubstr("same arms"),
                          HasSubstr("3 steps of LinUCB, 3 participants, 15 features, 2 arms")));
}

TEST(O3mResult, IsWrittenAsFiles) {
  const TestFolder folder;
  const O3mResult result = sample();
  write_run(folder.path() / "run", result);
  EXPECT_EQ(nlohmann::ordered_json::parse(slurp(folder.path() / "run" / "run.json")), to_json(result));
  EXPECT_EQ(slurp(folder.path() / "run" / "report.html"), report_html(result));
}

O3mRoleReport passive() {
  O3mRoleReport report;
  report.role = "passive participant 1";
  report.insecure = {"insecure-blocks"};
  report.leakage = {{"active participant", "much"}, {"mask generator", "nothing"}};
  report.rounds = 3;
  report.bytes_sent = 1000;
  report.planned_bytes_sent = 1001;
  report.masking_seconds = 0.125;
  report.peak_memory_bytes = 1 << 20;
  return report;
}

O3mRoleReport written_and_read(const O3mRoleReport& report) {
  const TestFolder folder;
  const auto path = folder.path() / "report.json";
  write_o3m_report(path, report);
  const O3mRoleReport back = read_o3m_report(path);
  write_o3m_report(folder.path() / "again.json", back);
  EXPECT_EQ(slurp(folder.path() / "again.json"), slurp(path));
  return back;
}

TEST(O3mRoleReport, SurvivesItsFile) {
  const O3mRoleReport back = written_and_read(passive());
  EXPECT_EQ(back.role, "passive participant 1");
  EXPECT_EQ(back.leakage, passive().leakage);
  EXPECT_EQ(back.planned_bytes_sent, 1001u);
  EXPECT_EQ(back.peak_memory_bytes, std::uint64_t{1} << 20);
  EXPECT_FALSE(back.average_reward.has_value());
  EXPECT_TRUE(back.arms.empty());
}

TEST(O3mRoleReport, OfTheActiveParticipantKeepsEveryBit) {
  O3mRoleReport report = passive();
  report.arms = {0, 3, 1};
  report.rewards = {0.1, -1e-300, 1.0 / 3};
  report.average_reward = 0.1;
  report.cumulative_regret = 1.0 / 7;
  report.play_seconds = 0.5;
  report.prefetched = true;
  report.stream_seed = ~std::uint64_t{0};
  report.scores = {std::nextafter(1.0, 2.0), -0.0, 5e-324, 1e300, 0.1, 0.2};
  const O3mRoleReport back = written_and_read(report);
  EXPECT_EQ(back.arms, report.arms);
  EXPECT_EQ(back.rewards, report.rewards);
  EXPECT_EQ(back.cumulative_regret, report.cumulative_regret);
  EXPECT_EQ(back.stream_seed, report.stream_seed);
  EXPECT_EQ(back.scores, report.scores);
}

TEST(O3mRoleReport, RefusesWhatIsNone) {
  const TestFolder folder;
  EXPECT_THROW((void)read_o3m_report(folder.path() / "nowhere.json"), InputError);
  for (const char* text : {"", "{", "[]", "{}", "{\"role\": 3}"}) {
    EXPECT_THROW((void)read_o3m_report(folder.put("report.json", text)), InputError) << text;
  }
  O3mRoleReport report = passive();
  report.average_reward = 0;
  report.scores = {1, 2};
  const auto path = folder.path() / "scored.json";
  write_o3m_report(path, report);
  (void)folder.put("scored.json.scores", "short");
  EXPECT_THROW((void)read_o3m_report(path), InputError);
}

O3mParameters with_columns(std::vector<std::size_t> columns) {
  O3mParameters parameters;
  parameters.arms = 3;
  parameters.steps = 10;
  parameters.bounds.assign(columns.size(), 1);
  parameters.columns = std::move(columns);
  return parameters;
}

std::string all_of(const O3mParameters& parameters, const std::string& role) {
  std::string text;
  for (const auto& [name, sentence] : leakage_words(parameters)) {
    if (name == role) text += sentence + "\n";
  }
  return text;
}

std::vector<std::string> roles_of(const O3mParameters& parameters) {
  std::vector<std::string> roles;
  for (const auto& entry : leakage_words(parameters)) {
    if (roles.empty() || roles.back() != entry.first) roles.push_back(entry.first);
  }
  return roles;
}

TEST(Leakage, NamesEveryRoleOnceAndThenTheGroups) {
  EXPECT_THAT(roles_of(with_columns({4, 6, 6})),
              ElementsAre("active participant", "passive participant 1", "passive participant 2", "mask generator",
                          "active participant and mask generator", "active participant and passive participants"));
}

TEST(Leakage, APassiveParticipantThatGeneratesIsNamedSo) {
  O3mParameters parameters = with_columns({4, 6, 6});
  parameters.mask_generator = NodeId{2};
  EXPECT_THAT(roles_of(parameters),
              ElementsAre("active participant", "passive participant 1", "passive participant 2, the mask generator",
                          "active participant and mask generator", "active participant and passive participants"));
  EXPECT_THAT(all_of(parameters, "passive participant 2, the mask generator"), HasSubstr("all of the mask"));
  EXPECT_THAT(all_of(parameters, "passive participant 1"), HasSubstr("its own block of the mask"));
}

TEST(Leakage, CountsTheKnownContextsThatUndoTheMask) {
  const std::string words = all_of(with_columns({4, 6, 6}), "active participant");
  EXPECT_THAT(words, AllOf(HasSubstr("Knowing 12 contexts"), HasSubstr("knowing 11, up to one sign"),
                           HasSubstr("summed securely"), Not(HasSubstr("passive participant 1"))));
}

TEST(Leakage, WithTwoParticipantsSaysThatSecureSummationHidesNothing) {
  O3mParameters parameters = with_columns({4, 12});
  for (const bool insecure : {false, true}) {
    parameters.insecure_blocks = insecure;
    const std::string words = all_of(parameters, "active participant");
    EXPECT_THAT(words, AllOf(HasSubstr("secure summation hides nothing here"), HasSubstr("Knowing 12 contexts")));
  }
  for (const std::string& role : roles_of(parameters)) EXPECT_NE(role, "active participant and passive participants");
}

TEST(Leakage, InsecureBlocksAreTakenOneByOne) {
  O3mParameters parameters = with_columns({4, 5, 7});
  parameters.insecure_blocks = true;
  const std::string words = all_of(parameters, "active participant");
  EXPECT_THAT(
      words,
      AllOf(HasSubstr("--insecure-blocks"), HasSubstr("each passive participant separately"),
            HasSubstr("Knowing 5 contexts, linearly independent, it computes the features of passive participant 1"),
            HasSubstr("Knowing 7 contexts"), Not(HasSubstr("summed securely"))));
}

TEST(Leakage, OneColumnIsReadUpToItsSignWithoutAnyKnownContext) {
  const std::string words = all_of(with_columns({4, 1}), "active participant");
  EXPECT_THAT(words, HasSubstr("up to one sign, without knowing any context"));
  EXPECT_THAT(words, Not(HasSubstr("independent component analysis")));
}

TEST(Leakage, GeneratorAndActiveParticipantReadEverything) {
  O3mParameters parameters = with_columns({4, 6, 6});
  EXPECT_THAT(all_of(parameters, "active participant and mask generator"), HasSubstr("Everything"));
  EXPECT_THAT(all_of(parameters, "mask generator"), HasSubstr("No context"));
}

TEST(Leakage, JsonHasTheSameWordsInTheSameOrder) {
  const O3mParameters parameters = with_columns({2, 3, 4});
  const nlohmann::ordered_json json = leakage(parameters);
  std::vector<std::pair<std::string, std::string>> flat;
  for (const auto& [role, sentences] : json.items()) {
    for (const auto& sentence : sentences) flat.emplace_back(role, sentence);
  }
  EXPECT_EQ(flat, leakage_words(parameters));
}

TEST(Leakage, TheSectionHoldsEveryRoleAndTheHeadline) {
  const O3mParameters parameters = with_columns({2, 3, 4});
  const std::string section = leakage_section(parameters).content;
  EXPECT_THAT(section, HasSubstr(leakage_headline()));
  for (const std::string& role : roles_of(parameters)) {
    EXPECT_THAT(section, HasSubstr("<th scope=\"row\">" + role + "</th>"));
  }
}

TEST(Leakage, RefusesWhatIsNoRun) {
  EXPECT_THROW((void)leakage_words(with_columns({4})), std::invalid_argument);
  EXPECT_THROW((void)leakage_words(with_columns({4, 0})), std::invalid_argument);
  O3mParameters parameters = with_columns({4, 4});
  for (const int generator : {0, 2, 9}) {
    parameters.mask_generator = static_cast<NodeId>(generator);
    EXPECT_THROW((void)leakage_words(parameters), std::invalid_argument);
  }
}

}  // namespace
}  // namespace sotto::apps::o3m
