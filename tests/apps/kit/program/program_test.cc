// Failures, interrupts, names that are nearly right.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <unistd.h>
#include <csignal>
#include <nlohmann/json.hpp>

#include "sotto/apps/kit/program/failure.h"
#include "sotto/apps/kit/program/interrupt.h"
#include "sotto/apps/kit/program/near_name.h"
#include "tests/apps/support.h"

namespace sotto::apps {
namespace {

TEST(Failure, IsOneObjectWithStatusErrorAndCode) {
  const auto json = nlohmann::json::parse(failure_json(ExitCode::peer_lost, "party 1 was lost"));
  EXPECT_EQ(json, (nlohmann::json{{"status", "failed"}, {"error", "party 1 was lost"}, {"exit_code", 3}}));
}

TEST(Failure, KeepsWhatTheCommandHasToShow) {
  EXPECT_EQ(nlohmann::json::parse(failure_json(ExitCode::usage, "too few", {{"status", "refused"}, {"steps", 5}})),
            (nlohmann::json{{"status", "refused"}, {"steps", 5}, {"error", "too few"}, {"exit_code", 2}}));
}

// A word of the command line may hold any bytes.
TEST(Failure, IsJsonWhateverTheMessageHolds) {
  const auto json = nlohmann::json::parse(failure_json(ExitCode::usage, "'\xff\"\n\x01' is no number"));
  EXPECT_THAT(json["error"].get<std::string>(), HasSubstr("is no number"));
}

// In a process of its own: handlers and the flag are those of a whole process.
[[noreturn]] void after(std::initializer_list<int> signals, void (*hang_up_before)(int)) {
  std::signal(SIGHUP, hang_up_before);
  catch_interrupts();
  for (const int number : signals) ::raise(number);
  ::_exit(interrupted() ? 130 : 0);
}

TEST(Interrupt, EachOfThemRaisesTheFlag) {
  for (const int number : {SIGINT, SIGTERM, SIGQUIT, SIGHUP}) {
    EXPECT_EXIT(after({number}, SIG_DFL), ::testing::ExitedWithCode(130), "") << number;
  }
}

TEST(Interrupt, ASecondOneEndsTheProcessAtOnce) {
  for (const int number : {SIGINT, SIGTERM}) {
    EXPECT_EXIT(after({number, number}, SIG_DFL), ::testing::KilledBySignal(number), "") << number;
  }
}

// The system and the shell each say that a terminal is gone.
TEST(Interrupt, ATerminalMayHangUpTwice) {
  EXPECT_EXIT(after({SIGHUP, SIGHUP}, SIG_DFL), ::testing::ExitedWithCode(130), "");
}

TEST(Interrupt, AHangUpThatIsIgnoredStaysIgnored) {
  EXPECT_EXIT(after({SIGHUP}, SIG_IGN), ::testing::ExitedWithCode(0), "");
}

TEST(NearName, IsWhatWasProbablyMeant) {
  const std::vector<std::string> names{"steps", "arms", "epsilon", "separate_rewarder", "id"};
  const std::pair<std::string, const char*> cases[] = {{"step", "steps"},
                                                       {"setps", "steps"},
                                                       {"epsilom", "epsilon"},
                                                       {"seperate_rewarder", "separate_rewarder"},
                                                       {"arms", "arms"},
                                                       {"colour", ""},
                                                       {"x", ""},
                                                       {"", ""},
                                                       {std::string(100'000, 's'), ""}};
  for (const auto& [typed, meant] : cases) EXPECT_EQ(near_name(typed, names), meant);
  EXPECT_EQ(did_you_mean("step", names), "; did you mean steps?");
  EXPECT_EQ(did_you_mean("colour", names), "");
}

TEST(NameDistance, CountsSlips) {
  EXPECT_EQ(name_distance("", "abc"), 3u);
  EXPECT_EQ(name_distance("kitten", "sitting"), 3u);
  EXPECT_EQ(name_distance("form", "from"), 1u);
}

RC_GTEST_PROP(NameDistance, IsSymmetricAndOneForOneSlip, ()) {
  const auto name = *rc::gen::container<std::string>(rc::gen::inRange('a', 'f'));
  const auto other = *rc::gen::container<std::string>(rc::gen::inRange('a', 'f'));
  RC_ASSERT(name_distance(name, other) == name_distance(other, name));
  RC_ASSERT((name_distance(name, other) == 0) == (name == other));
  RC_ASSERT(name_distance(name, other) <= std::max(name.size(), other.size()));
  std::string longer = name;
  longer.insert(*rc::gen::inRange<std::size_t>(0, name.size() + 1), 1, 'x');
  RC_ASSERT(name_distance(name, longer) == 1u);
}

}  // namespace
}  // namespace sotto::apps
