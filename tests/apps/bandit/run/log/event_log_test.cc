#include "apps/bandit/run/log/event_log.h"

#include <fmt/format.h>

#include "apps/bandit/run/log/log_weights.h"
#include "apps/kit/files/row_order.h"
#include "tests/apps/support.h"

namespace sotto::apps::bandit::run {
namespace {

using EventLogFiles = InFolder;

TEST_F(EventLogFiles, AreReadWithAndWithoutPropensities) {
  const fs::path file = folder.put("log.csv", "when,reward,arm\n1,1,2\n2,0,0\n3,1,1\n");
  const EventLog log = EventLog::read(file);
  EXPECT_EQ(log.rows(), 3u);
  EXPECT_EQ(log.arm_count(), 3u);
  EXPECT_EQ(log.reward_scale(), 1);
  EXPECT_TRUE(log.binary_rewards());
  EXPECT_FALSE(log.has_propensities());
  EXPECT_EQ(log.arm(0), 2u);
  EXPECT_EQ(log.reward(1), 0);
  EXPECT_THAT(log.where(2), EndsWith("log.csv:4"));
  EXPECT_THAT(log.arm_shares(3),
              ElementsAre(::testing::DoubleEq(1. / 3), ::testing::DoubleEq(1. / 3), ::testing::DoubleEq(1. / 3)));

  const EventLog other =
      EventLog::read(folder.put("b.csv", "arm;reward;propensity\n1;-37.5;0.25\n0;8;1\n"), {4, std::nullopt});
  EXPECT_EQ(other.arm_count(), 4u);
  EXPECT_EQ(other.reward_scale(), 40);
  EXPECT_FALSE(other.binary_rewards());
  EXPECT_DOUBLE_EQ(other.reward(0), -37.5 / 40);
  EXPECT_EQ(other.propensity(0), .25);
  EXPECT_EQ(EventLog::read(folder.path() / "b.csv", {2, 50}).reward(1), 8. / 50);
}

TEST_F(EventLogFiles, HaveAScaleThatTellsLittle) {
  for (const auto& [largest, scale] :
       {std::pair{.3, 1.}, {1., 1.}, {1.01, 2.}, {9., 9.}, {9.5, 10.}, {950., 1000.}, {12345., 20000.}}) {
    const fs::path file = folder.put("log.csv", fmt::format("arm,reward\n0,-{}\n1,{}\n", largest, largest / 3));
    const EventLog log = EventLog::read(file);
    EXPECT_EQ(log.reward_scale(), scale) << largest;
    EXPECT_LE(std::abs(log.reward(0)), 1);
  }
}

TEST_F(EventLogFiles, RefuseArmsThatNoEventHas) {
  const auto refusal = [&](const std::string& text) {
    const fs::path file = folder.put("log.csv", text);
    return error_of<InputError>([&] { return EventLog::read(file); });
  };
  EXPECT_THAT(refusal("arm,reward\n1,1\n2,0\n3,1\n"),
              AllOf(HasSubstr("no event has arm 0"), HasSubstr("from 0 to 2"), HasSubstr("--arms 4")));
  EXPECT_THAT(refusal("arm,reward\n0,1\n10,0\n20,1\n"),
              AllOf(HasSubstr("3 of the arms 0 to 20"), HasSubstr("from 0 to 2"), HasSubstr("--arms 21")));
  const EventLog log = EventLog::read(folder.path() / "log.csv", {.arms = 21});
  EXPECT_EQ(log.arm_count(), 21u);
  EXPECT_THAT(log.warnings(), ::testing::Contains(HasSubstr("3 of the arms 0 to 20")));
  const fs::path from_one = folder.put("one.csv", "arm,reward\n1,1\n2,0\n3,1\n");
  EXPECT_THAT(error_of<InputError>([&] { return EventLog::read(from_one, {.arms = 3}); }),
              HasSubstr("one.csv:4:1: column 'arm': a larger number, in a log without an arm 0,"));
}

TEST_F(EventLogFiles, WarnOfRewardsThatAreFarOut) {
  const auto text = [](const std::string& far_out) {
    std::string lines = "id,arm,reward\n";
    for (int t = 0; t < 60; ++t)
      lines += fmt::format("c{:02},{},{}\n", t, t % 2, t == 20 ? far_out : t % 3 == 0 ? "4.25" : "0");
    return lines;
  };
  EXPECT_THAT(EventLog::read(folder.put("log.csv", text("8"))).warnings(), ::testing::IsEmpty());
  const fs::path file = folder.put("log.csv", text("7351928"));
  const EventLog log = EventLog::read(file);
  EXPECT_EQ(log.reward_scale(), 8e6);
  ASSERT_EQ(log.warnings().size(), 1u);
  EXPECT_THAT(log.warnings().front(),
              AllOf(HasSubstr("log.csv: column 'reward', line 22:"), HasSubstr("--clip-rewards"), HasSubstr("as 5"),
                    Not(HasSubstr("7351928")), Not(HasSubstr("4.25"))));
  const EventLog clipped = EventLog::read(file, {.clips_rewards = true});
  EXPECT_EQ(clipped.reward_scale(), 5);
  EXPECT_EQ(clipped.clipped_rewards(), 1u);
  EXPECT_EQ(clipped.reward(20), 1);
  EXPECT_EQ(clipped.reward(0), .85);
  EXPECT_THAT(clipped.warnings(), ::testing::IsEmpty());
  EXPECT_EQ(EventLog::read(file, {.reward_scale = 10, .clips_rewards = true}).reward(20), 1);
  for (const bool clips : {false, true}) {
    EXPECT_THAT(EventLog::read(file, {.reward_scale = 8e6, .clips_rewards = clips}).warnings(),
                ElementsAre(AllOf(HasSubstr("divided by 8e+06"),
                                  HasSubstr("take 5 for --reward-scale with --clip-rewards, which counts it as 5"))));
  }
  EXPECT_THAT(EventLog::read(file, {.reward_scale = 5, .clips_rewards = true}).warnings(), ::testing::IsEmpty());
  EXPECT_THAT(EventLog::read(folder.put("sep.csv", "sep=,\n" + text("7351928"))).warnings(),
              ElementsAre(HasSubstr("sep.csv: column 'reward', line 23:")));
}

TEST_F(EventLogFiles, DoubtRewardsThatMayMeanOthers) {
  const auto read = [&](const std::vector<std::string>& rewards) {
    std::string text = "id,arm,reward\n";
    for (std::size_t t = 0; t < rewards.size(); ++t) text += fmt::format("c{},{},{}\n", t, t % 2, rewards[t]);
    return EventLog::read(folder.put("log.csv", text));
  };
  EXPECT_THAT(error_of<InputError>([&] {
                return read({"950", "1.200", "33.167"});
              }),
              AllOf(HasSubstr("log.csv:3:3: column 'reward': this number has a point and three digits behind it"),
                    HasSubstr("save the log without it"), Not(HasSubstr("1.200"))));
  EXPECT_THAT(read({"33.167", "1.200"}).warnings(),
              ElementsAre(HasSubstr("log.csv:2:3: column 'reward': this number")));
  EXPECT_THAT(read({"950", "1.2000", "33.1670", "0.125"}).warnings(), ::testing::IsEmpty());
  std::vector<std::string> rewards;
  for (int t = 0; t < 60; ++t) rewards.emplace_back(t % 20 == 7 ? "-999" : t % 2 == 0 ? "0" : "1");
  EXPECT_THAT(read(rewards).warnings(),
              ElementsAre(AllOf(HasSubstr("log.csv:9:3: column 'reward': the least value occurs 3 times"),
                                HasSubstr("leave out these events"), Not(HasSubstr("999")))));
  std::replace(rewards.begin(), rewards.end(), std::string("-999"), std::string("50"));
  EXPECT_THAT(read(rewards).warnings(), ::testing::IsEmpty()) << "a large reward is one";
}

TEST_F(EventLogFiles, SayWhereNothingSaysWhichCasesTheyAreAbout) {
  const fs::path file = folder.put("log.csv", "arm,reward\n0,1\n1,0\n");
  EXPECT_THAT(EventLog::read(file).warnings(), ElementsAre(AllOf(HasSubstr("log.csv: nothing says that row t"),
                                                                 HasSubstr("the parties' ids, in a column id"))));
  EXPECT_THAT(EventLog::read(folder.put("ids.csv", "id,arm,reward\na,0,1\nb,1,0\n")).warnings(), ::testing::IsEmpty());
}

TEST_F(EventLogFiles, SayWhatIsWrongAndNeverShowACell) {
  const std::vector<std::tuple<std::string, std::string, std::string>> cases = {
      {"arm,reward\n0,1\n7351928,1\n", "log.csv:3:1",
       "column 'arm': a larger number where an arm, a whole number from 0 to 2"},
      {"arm,reward\n-7351928,1\n", "log.csv:2:1", "a number below 0"},
      {"arm,reward\n0.7351928,1\n", "log.csv:2:1", "a number with a fraction"},
      {"arm,reward\nred 7351928,1\n", "log.csv:2:1", "a text where an arm"},
      {"arm,reward\n,1\n", "log.csv:2:1", "no value where an arm"},
      {"arm,reward\n0,7351928\n", "log.csv:2:2",
       "column 'reward': a larger number where a reward of at most 2 in size"},
      {"arm,reward\n0,7351928%\n", "log.csv:2:2", "column 'reward': a percentage where a reward"},
      {"arm,reward,propensity\n0,1,0.5\n0,1,0\n", "log.csv:3:3", "a number not above 0 where a probability"},
      {"arm,reward,propensity\n0,1,1.7351928\n", "log.csv:2:3", "a number above 1 where a probability"},
      {"arm,reward,propensity\n0,1,-0.7351928\n", "log.csv:2:3", "a number not above 0"},
      {"reward\n1\n", "log.csv:1", "there is no column 'arm'"},
      {"arm,gain\n1,2\n", "log.csv:1", "there is no column 'reward'"},
      {"arm,arm_name,reward\n0,card,1\n1,card,1\n", "log.csv:3:2", "each arm with one name of its own"},
      {"arm,arm_name,reward\n0,card,1\n0,gift,1\n", "log.csv:3:2", "each arm with one name of its own"},
      {"arm,arm_name,reward\n0,card,1\n1,,1\n", "log.csv:3:2", "expected the name of the row's arm"},
      {"id,arm,reward\nx,0,1\n,0,1\n", "log.csv:3:1", "no value where an id is expected"},
  };
  for (const auto& [text, where, what] : cases) {
    const fs::path file = folder.put("log.csv", text);
    const std::string error = error_of<InputError>([&] { return EventLog::read(file, {3, 2}); });
    EXPECT_THAT(error, AllOf(HasSubstr(where), HasSubstr(what), Not(HasSubstr("7351928")))) << text;
  }
  EXPECT_NE(error_of<InputError>([&] { return EventLog::read(folder.path() / "none.csv"); }), "");
  EXPECT_NE(error_of<InputError>([&] { return EventLog::read(folder.put("log.csv", "arm,reward\n")); }), "");
}

TEST_F(EventLogFiles, ComeInTheOrderOfThePartiesRows) {
  const std::vector<std::string_view> sorted{"a", "b", "c"};
  const std::vector<std::string_view> as_is{"c", "a", "b"};
  const fs::path file = folder.put("log.csv", "id,arm,reward,propensity\nc,2,1,.2\na,0,0,.3\nb,1,1,.5\n");
  EventLog log = EventLog::read(file);
  const auto is = [](const std::vector<std::string_view>& ids) {
    return [order = order_digest(ids)](const std::string& digest) { return digest == order; };
  };
  EXPECT_EQ(log.put_in_order(is(as_is)), std::optional(true));
  EXPECT_EQ(log.arm(0), 2u);
  EXPECT_EQ(log.put_in_order(is({"a", "b", "d"})), std::optional(false));
  EXPECT_EQ(log.put_in_order(is({"a", "b"})), std::optional(false));
  EXPECT_EQ(log.arm(0), 2u) << "unchanged";
  EXPECT_EQ(log.put_in_order(is(sorted)), std::optional(true));
  EXPECT_EQ(log.arm(0), 0u);
  EXPECT_EQ(log.reward(0), 0);
  EXPECT_EQ(log.propensity(2), .2);
  EXPECT_THAT(log.where(2), EndsWith("log.csv:2"));
  EXPECT_THAT(log.other_cases("the rows of a.csv"),
              AllOf(StartsWith("its events are about other cases than the rows of a.csv:"),
                    HasSubstr("of the ids (`sotto prepare party --sort`)"),
                    EndsWith("and the rows by `sotto prepare party --events`")));
  EXPECT_THAT(EventLog::read(folder.put("damaged.csv", "id,arm,reward\n17.0,0,1\n18.0,1,0\n")).other_cases("x"),
              HasSubstr("`sotto prepare party --events`; column 'id': 2 ids with .0 at the end"));

  EventLog without = EventLog::read(folder.put("plain.csv", "arm,reward\n0,1\n"));
  EXPECT_EQ(without.put_in_order(is(sorted)), std::nullopt);
}

TEST_F(EventLogFiles, MayNameACustomerInManyEvents) {
  EventLog log = EventLog::read(folder.put("log.csv", "id,arm,reward\nb,2,1\na,0,0\nb,1,1\n"));
  const auto is = [](const std::vector<std::string_view>& ids) {
    return [order = order_digest(ids)](const std::string& digest) { return digest == order; };
  };
  EXPECT_EQ(log.put_in_order(is({"b", "a", "b"})), std::optional(true));
  EXPECT_EQ(log.put_in_order(is({"a", "b", "b"})), std::optional(false)) << "the events of b have no order by ids";
  EXPECT_EQ(log.put_in_order(is({"a", "b"})), std::optional(false));
  EXPECT_EQ(log.arm(0), 2u);
}

TEST_F(EventLogFiles, MayNameItsArms) {
  const EventLog log =
      EventLog::read(folder.put("log.csv", "arm,arm_name,reward\n2,sale,1\n0,card,0\n2,sale,1\n"), {4, 1});
  EXPECT_EQ(log.arm_name(0), "card");
  EXPECT_EQ(log.arm_name(1), "1") << "an arm that was never played";
  EXPECT_EQ(log.arm_name(2), "sale");
  EXPECT_EQ(EventLog::read(folder.put("log.csv", "arm,reward\n0,1\n")).arm_name(0), "0");
}

TEST_F(EventLogFiles, GiveWeights) {
  const EventLog log =
      EventLog::read(folder.put("log.csv", "arm,reward,propensity\n0,1,.5\n1,1,.02\n0,0,.25\n0,1,1\n"));
  const std::vector<std::uint64_t> rows{0, 1, 2, 3};
  EXPECT_THAT(log_weights(log, rows, 2, {}).weights, ElementsAre(2, 50, 4, 1));
  const WeightRule strict{Propensities::logged, .1, false};
  EXPECT_NO_THROW((void)log_weights(log, rows, 2, strict));
  EXPECT_THAT(error_of<InputError>([&] { return log_weights(log, rows, 1, strict); }),
              AllOf(HasSubstr("log.csv:3"), HasSubstr("a propensity below 0.1"), HasSubstr("--clip-weights")));
  const LogWeights clipped = log_weights(log, rows, 0, {Propensities::logged, .1, true});
  EXPECT_THAT(clipped.weights, ElementsAre(2, 10, 4, 1));
  EXPECT_EQ(clipped.clipped, 1u);
  EXPECT_THAT(log_weights(log, rows, 0, {Propensities::frequencies, .01, false}).weights,
              ElementsAre(::testing::DoubleEq(4. / 3), 4, ::testing::DoubleEq(4. / 3), ::testing::DoubleEq(4. / 3)));

  const EventLog without = EventLog::read(folder.put("plain.csv", "arm,reward\n0,1\n1,1\n"));
  EXPECT_THAT(error_of<InputError>([&] {
                return log_weights(without, {0, 1}, 0, {});
              }),
              AllOf(HasSubstr("no column 'propensity'"), HasSubstr("--propensities frequencies")));
}

TEST(LogTurns, TakeEveryRowOnceAndTheSameAtEveryRole) {
  EXPECT_THAT(rows_in_turn(5, 2, false), ElementsAre(0, 1, 2, 3, 4));
  for (const auto& [steps, held_out] :
       {std::pair<std::uint64_t, std::uint64_t>{1, 0}, {1, 1}, {1000, 400}, {777, 777}}) {
    const std::vector<std::uint64_t> rows = rows_in_turn(steps, held_out, true);
    EXPECT_EQ(rows, rows_in_turn(steps, held_out, true));
    std::vector<std::uint64_t> sorted = rows;
    std::sort(sorted.begin(), sorted.end());
    EXPECT_EQ(sorted, rows_in_turn(steps, held_out, false));
    const auto middle = rows.begin() + static_cast<std::ptrdiff_t>(steps - held_out);
    EXPECT_TRUE(std::is_sorted(rows.begin(), middle));
    EXPECT_TRUE(std::is_sorted(middle, rows.end()));
  }
  const std::vector<std::uint64_t> rows = rows_in_turn(10'000, 4'000, true);
  std::array<int, 10> held{};
  for (std::size_t i = 6'000; i < 10'000; ++i) ++held[rows[i] / 1000];
  for (const int count : held) EXPECT_NEAR(count, 400, 80);
}

}  // namespace
}  // namespace sotto::apps::bandit::run
