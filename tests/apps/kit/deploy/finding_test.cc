#include "sotto/apps/kit/deploy/finding.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace sotto::apps {
namespace {

TEST(Findings, TheFirstProblemIsWhatCounts) {
  EXPECT_EQ(exit_code({}), ExitCode::done);
  EXPECT_EQ(exit_code({good("key", "there"), warning("clock", "late", "set it"),
                       note("actor", "cannot be asked", "ask there")}),
            ExitCode::done);
  EXPECT_EQ(exit_code({good("key", "there"), problem("listen", ExitCode::local_resource, "taken"),
                       problem("party 1", ExitCode::peer_lost, "away")}),
            ExitCode::local_resource);
}

TEST(Findings, ATableHasALineEachAndAVerdict) {
  EXPECT_EQ(to_table({good("key", "there"), good("party 1 clock", "the same")}),
            "ok       key            there\n"
            "ok       party 1 clock  the same\n"
            "all is well\n");
  EXPECT_EQ(
      to_table({warning("key", "old", "make a new one"), problem("party 1", ExitCode::peer_lost, "away", "start it"),
                problem("dealer", ExitCode::peer_lost, "away", "start it")}),
      "warning  key      old: make a new one\n"
      "problem  party 1  away: start it\n"
      "problem  dealer   away: start it\n"
      "2 problems, 1 warning\n");
}

TEST(Findings, JsonSaysTheSame) {
  const auto json =
      to_json({good("key", "there"), problem("party 1", ExitCode::peer_lost, "\"away\"", "go")}, "party 0");
  EXPECT_EQ(json["role"], "party 0");
  EXPECT_EQ(json["exit_code"], 3);
  ASSERT_EQ(json["findings"].size(), 2u);
  EXPECT_EQ(json["findings"][0]["verdict"], "ok");
  EXPECT_EQ(json["findings"][1]["verdict"], "problem");
  EXPECT_EQ(json["findings"][1]["subject"], "party 1");
  EXPECT_EQ(json["findings"][1]["text"], "\"away\"");
  EXPECT_EQ(json["findings"][1]["advice"], "go");
}

}  // namespace
}  // namespace sotto::apps
