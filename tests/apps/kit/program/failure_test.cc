#include "sotto/apps/kit/program/failure.h"

#include <gtest/gtest.h>

namespace sotto::apps {
namespace {

TEST(Failure, IsOneObjectWithStatusErrorAndCode) {
  const auto json = nlohmann::json::parse(failure_json(ExitCode::peer_lost, "party 1 was lost"));
  EXPECT_EQ(json, (nlohmann::json{{"status", "failed"}, {"error", "party 1 was lost"}, {"exit_code", 3}}));
}

TEST(Failure, KeepsWhatTheCommandHasToShow) {
  const auto json =
      nlohmann::json::parse(failure_json(ExitCode::usage, "too few", {{"status", "refused"}, {"steps", 5}}));
  EXPECT_EQ(json["status"], "refused");
  EXPECT_EQ(json["steps"], 5);
  EXPECT_EQ(json["error"], "too few");
  EXPECT_EQ(json["exit_code"], 2);
}

// A word of the command line may hold any bytes.
TEST(Failure, IsJsonWhateverTheMessageHolds) {
  const auto json = nlohmann::json::parse(failure_json(ExitCode::usage, "'\xff\"\n\x01' is no number"));
  EXPECT_NE(json["error"].get<std::string>().find("is no number"), std::string::npos);
}

}  // namespace
}  // namespace sotto::apps
