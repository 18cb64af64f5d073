// Inputs of a run, told or saved: the cap on the dealer's chunks is that of the whole run, found without planning all
// of it; the norms of joint rows are checked by who sees them, those of announced bounds for who does not.
#include "sotto/apps/bandit/local.h"
#include "sotto/apps/bandit/saved_run.h"
#include "sotto/apps/bandit/settings.h"
#include "sotto/apps/bandit/step_frames.h"
#include "sotto/apps/kit/deploy/announcement.h"
#include "sotto/apps/kit/deploy/finding.h"
#include "tests/apps/support.h"

namespace sotto::apps {
namespace {

TEST(LargestChunk, IsThatOfTheWholeRun) {
  for (const std::size_t arms : {1u, 2u, 10u, 40u, 100u}) {
    for (const bool reveal : {false, true}) {
      BanditPlan plan = even_plan(3, 6, arms, 30);
      plan.parameters.reveal_model = reveal;
      for (const BanditSchedule schedule : {BanditSchedule{0, 0}, BanditSchedule{0, 7}, BanditSchedule{14, 7},
                                            BanditSchedule{29, 7}, BanditSchedule{30, 7}}) {
        EXPECT_EQ(largest_chunk(plan, schedule), plan_costs(plan, schedule).largest_chunk())
            << arms << " arms, from step " << schedule.from_step;
      }
    }
  }
}

TEST(LargestChunk, TakesNoLongerForALongRun) {
  const BanditPlan plan = even_plan(2, 4, 3, std::uint64_t{1} << 18);
  BanditPlan few = plan;
  few.parameters.steps = 10;
  EXPECT_EQ(largest_chunk(plan, {}), largest_chunk(few, {}));
}

BanditOptions options_of(const TestFolder& folder, const std::string& a, const std::string& b) {
  BanditOptions options;
  options.parties = {folder.put("a.csv", a), folder.put("b.csv", b)};
  options.environment = folder.put("labels.csv", "label\n0\n1\n");
  options.run.max_norm = 1;
  return options;
}

TEST(LocalInputs, KnowThatJointRowsKeepToMaxNorm) {
  const TestFolder folder;
  // Each party has a row of norm 1, but not the same.
  BanditOptions options = options_of(folder, "x\n1\n0\n", "y\n0\n1.0000000082\n");
  const LocalInputs inputs = read_local_inputs(options);
  EXPECT_EQ(inputs.blocks[1].bound, 1);
  EXPECT_TRUE(local_run_config(options, inputs, 0).joint_norm_holds);
  const std::string refusal = message_of<InputError>(folder, [&] { (void)read_local_inputs(options, true); });
  EXPECT_THAT(refusal, HasSubstr("1 at party 0, 1 at party 1: together up to 1.41421"));
  EXPECT_THAT(refusal, HasSubstr("--joint-norm-holds"));
  options.run.joint_norm_holds = true;
  EXPECT_NO_THROW((void)read_local_inputs(options, true));
}

TEST(LocalInputs, AreRefusedWhereJointRowsDoNotKeepToMaxNorm) {
  const TestFolder folder;
  BanditOptions options = options_of(folder, "x\n1\n1\n", "y\n1\n1\n");
  options.run.joint_norm_holds = true;
  for (const bool apart : {false, true}) {
    EXPECT_THAT(message_of<InputError>(folder, [&] { (void)read_local_inputs(options, apart); }),
                HasSubstr("together is above 1"));
  }
}

TEST(LocalInputs, OfPartiesThatPreparedApartNeedNoWord) {
  const TestFolder folder;
  const BanditOptions options = options_of(folder, "x\n0.70710679\n-0.7071\n", "y\n0.70710679\n0.7071\n");
  const LocalInputs inputs = read_local_inputs(options, true);
  for (const Block& block : inputs.blocks) EXPECT_EQ(block.bound, 1 / std::sqrt(2.0));
}

std::map<NodeId, std::string> told(const std::vector<double>& bounds) {
  std::map<NodeId, std::string> announcements;
  for (std::size_t p = 0; p < bounds.size(); ++p) {
    announcements[static_cast<NodeId>(p)] = to_text(Announcement{30, 2, bounds[p]});
  }
  return announcements;
}

BanditSettings run_of(std::size_t parties, std::optional<double> max_norm) {
  BanditSettings run;
  run.parties = parties;
  run.max_norm = max_norm;
  return run;
}

Finding only(const Findings& findings) {
  EXPECT_EQ(findings.size(), 1u);
  return findings.empty() ? Finding{} : findings.front();
}

TEST(NormCheck, BoundsThatAllowJointRowsAboveMaxNormAreAProblem) {
  const Finding finding = only(run_of(2, 1).check_announcements(told({1, 0.5})));
  EXPECT_EQ(finding.verdict, Verdict::problem);
  EXPECT_EQ(finding.code, ExitCode::disagreement);
  EXPECT_THAT(finding.text, HasSubstr("1 at party 0, 0.5 at party 1: together up to 1.11803"));
  EXPECT_THAT(finding.advice, HasSubstr("joint_norm_holds"));
}

TEST(NormCheck, WhatWasSeenToHoldIsSaid) {
  BanditSettings run = run_of(2, 1);
  run.joint_norm_holds = true;
  EXPECT_EQ(only(run.check_announcements(told({1, 1}))).verdict, Verdict::note);
  EXPECT_EQ(only(run.check_announcements(told({0.5, 0.75}))).verdict, Verdict::good);
}

TEST(NormCheck, BoundsThatKeepToMaxNormAreWell) {
  EXPECT_EQ(only(run_of(4, 1).check_announcements(told({0.5, 0.5, 0.5, 0.5}))).verdict, Verdict::good);
  EXPECT_TRUE(run_of(2, std::nullopt).check_announcements(told({5, 5})).empty());
}

TEST(NormCheck, WhoHasToldNothingIsNamed) {
  auto announcements = told({0.5, 0.5});
  announcements[1].clear();
  const Finding finding = only(run_of(2, 1).check_announcements(announcements));
  EXPECT_EQ(finding.verdict, Verdict::note);
  EXPECT_THAT(finding.text, HasSubstr("party 1"));
  EXPECT_EQ(only(run_of(3, 1).check_announcements(told({0.5, 0.5}))).verdict, Verdict::note);
}

TEST(NormCheck, WhatIsNoAnnouncementIsAProblem) {
  auto announcements = told({0.5, 0.5});
  announcements[0] = "bound = 1\n";
  EXPECT_EQ(only(run_of(2, 1).check_announcements(announcements)).verdict, Verdict::problem);
}

TEST(SavedRun, RefusesWhatIsNoOptions) {
  const TestFolder folder;
  for (const char* text :
       {"", "[]", "{}", "{\"format\": 1}", "{\"format\": \"x\"}", "{\"format\": 2, \"parties\": [1]}"}) {
    const auto path = folder.put("options.json", text);
    EXPECT_THAT(message_of<InputError>(folder, [&] { (void)read_saved_run(path); }), StartsWith("options.json:"))
        << text;
  }
  const std::string empty_file = R"({"file": "/dev/null", "digest": )"
                                 R"("sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"})";
  for (const char* compared : {"-1", "0.5", "\"true\"", "[]"}) {
    const auto path = folder.put("options.json", R"({"format": 2, "parties": [], "environment": )" + empty_file +
                                                     ", \"compare_plaintext\": " + compared + "}");
    EXPECT_THAT(message_of<InputError>(folder, [&] { (void)read_saved_run(path); }),
                StartsWith("options.json: is not what sotto kept of a run: "));
  }
  EXPECT_THAT(message_of<InputError>(folder, [] { (void)read_saved_run("/dev/zero"); }),
              StartsWith("/dev/zero: the file is larger than 1048576 bytes"));
}

}  // namespace
}  // namespace sotto::apps
