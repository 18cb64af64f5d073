#include <gtest/gtest.h>

#include "sotto/apps/bandit/settings.h"
#include "sotto/apps/kit/deploy/announcement.h"
#include "sotto/apps/kit/deploy/finding.h"

namespace sotto::apps {
namespace {

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
  EXPECT_NE(finding.text.find("1 at party 0, 0.5 at party 1: together up to 1.11803"), std::string::npos)
      << finding.text;
  EXPECT_NE(finding.advice.find("joint_norm_holds"), std::string::npos) << finding.advice;
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
  EXPECT_NE(finding.text.find("party 1"), std::string::npos) << finding.text;
  EXPECT_EQ(only(run_of(3, 1).check_announcements(told({0.5, 0.5}))).verdict, Verdict::note);
}

TEST(NormCheck, WhatIsNoAnnouncementIsAProblem) {
  auto announcements = told({0.5, 0.5});
  announcements[0] = "bound = 1\n";
  EXPECT_EQ(only(run_of(2, 1).check_announcements(announcements)).verdict, Verdict::problem);
}

}  // namespace
}  // namespace sotto::apps
