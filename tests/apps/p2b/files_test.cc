#include "apps/kit/learn/seeded.h"
#include "apps/p2b/tuple.h"
#include "apps/p2b/world.h"
#include "tests/apps/support.h"

namespace sotto::apps::p2b {
namespace {

constexpr int report_samples = 200'000;

std::array<double, 5> shares(TupleChoice choice, double p, std::span<const double> rewards) {
  SeededDraws draws(5);
  std::array<double, 5> share{};
  for (int i = 0; i < report_samples; ++i) {
    const auto place = choose_report(rewards, p, choice, draws);
    share[place ? *place : 4] += 1.0 / report_samples;
  }
  return share;
}

void expect_share(double share, double expected) {
  EXPECT_NEAR(share, expected, 5 * std::sqrt(expected * (1 - expected) / report_samples) + 1e-12);
}

TEST(P2bTuple, UniformIgnoresRewardsStatistical) {
  const std::array<double, 4> rewards{0, 1, 0, 0.5};
  const auto share = shares(TupleChoice::uniform, 0.4, rewards);
  for (int i = 0; i < 4; ++i) expect_share(share[i], 0.1);
  expect_share(share[4], 0.6);
  const std::array<double, 4> nothing{0, 0, 0, 0};
  EXPECT_EQ(shares(TupleChoice::uniform, 0.4, nothing), share);
}

TEST(P2bTuple, PublishedPrefersRewardsStatistical) {
  const std::array<double, 4> rewards{0, 1, 0, 0.5};
  const auto share = shares(TupleChoice::published, 0.5, rewards);
  for (const int rewarded : {1, 3}) expect_share(share[rewarded], 0.5 * 0.95 / 2);
  for (const int other : {0, 2}) expect_share(share[other], 0.5 * 0.05 / 2);
  // The published rule chooses among the rewarded interactions in 95 of 100 cases, and among the others in 5 of 100. If
  // all interactions are rewarded, the agent reports nothing in these 5 cases. If no interaction is rewarded, the agent
  // reports each interaction equally often.
  const std::array<double, 4> all{1, 1, 1, 1};
  expect_share(shares(TupleChoice::published, 0.5, all)[4], 0.5 + 0.5 * 0.05);
  const std::array<double, 4> none{0, 0, 0, 0};
  expect_share(shares(TupleChoice::published, 0.5, none)[4], 0.5);
  expect_share(shares(TupleChoice::published, 0.5, none)[0], 0.125);
}

TEST(P2bTuple, NothingToReport) {
  SeededDraws draws(1);
  EXPECT_FALSE(choose_interaction(std::span<const double>(), TupleChoice::uniform, draws));
  EXPECT_FALSE(choose_interaction(std::span<const double>(), TupleChoice::published, draws));
}

TEST(P2bTuple, ClipsRewardsAndCountsThem) {
  std::uint64_t clipped = 0;
  EXPECT_EQ(clip_reward(0.25, clipped), 0.25);
  EXPECT_EQ(clip_reward(0, clipped), 0);
  EXPECT_EQ(clip_reward(1, clipped), 1);
  EXPECT_EQ(clipped, 0U);
  EXPECT_EQ(clip_reward(-3, clipped), 0);
  EXPECT_EQ(clip_reward(2, clipped), 1);
  EXPECT_EQ(clip_reward(std::nan(""), clipped), 0);
  EXPECT_EQ(clipped, 3U);
}

TEST(P2bTuple, NamesOfChoices) {
  for (const TupleChoice choice : {TupleChoice::uniform, TupleChoice::published}) {
    EXPECT_EQ(parse_tuple_choice(tuple_choice_name(choice), "--tuple-choice"), choice);
  }
  EXPECT_THROW((void)parse_tuple_choice("best", "--tuple-choice"), InputError);
}

TEST(P2bTupleFile, ReadsWithAndWithoutAHeader) {
  const TestFolder folder;
  const std::vector<Tuple> expected{{3, 1, 0.5}, {0, 2, 1}};
  const TupleLimits limits{4, 3};
  EXPECT_EQ(read_tuples(folder.put("a.csv", "3,1,0.5\n0,2,1\n"), limits).tuples, expected);
  EXPECT_EQ(read_tuples(folder.put("b.csv", "code,arm,reward\n3,1,0.5\n0,2,1\n"), limits).tuples, expected);
  EXPECT_EQ(read_tuples(folder.put("c.csv", "time,reward,arm,code\n9,0.5,1,3\n8,1,2,0\n"), {}).tuples, expected);
  EXPECT_TRUE(read_tuples(folder.put("d.csv", "code,arm,reward\n"), limits).tuples.empty());
  EXPECT_EQ(read_tuples(folder.put("e.csv", tuples_csv(expected)), limits).tuples, expected);
}

TEST(P2bTupleFile, ClipsRewardsAndTakesOneTupleAUser) {
  const TestFolder folder;
  const TupleFile file =
      read_tuples(folder.put("a.csv", "user,code,arm,reward\n7,0,0,2\n8,1,0,-1\n7,2,0,1\n7,3,0,1\n9,2,0,1\n"), {});
  EXPECT_EQ(file.tuples, (std::vector<Tuple>{{0, 0, 1}, {1, 0, 0}, {2, 0, 1}}));
  EXPECT_EQ(file.clipped, 2U);
  EXPECT_EQ(file.duplicates, 2U);
}

TEST(P2bTupleFile, LeavesOutMetadataOfAnyKind) {
  const TestFolder folder;
  const TupleFile file =
      read_tuples(folder.put("a.csv",
                             "user,address,code,arm,reward,note\nann,10.0.0.1,0,0,1,\nbob,10.0.0.2,1,0,0,late\n"
                             "ann,10.0.0.3,2,0,1,\"a, b\"\n"),
                  {});
  EXPECT_EQ(file.tuples, (std::vector<Tuple>{{0, 0, 1}, {1, 0, 0}}));
  EXPECT_EQ(file.duplicates, 1U);
}

TEST(P2bTupleFile, NamesThePlaceOfWhatIsWrong) {
  const TestFolder folder;
  const auto fault = [&folder](const std::string& text, const TupleLimits& limits) {
    const auto path = folder.put("t.csv", text);
    return message_of<InputError>(folder, [&] { (void)read_tuples(path, limits); });
  };
  EXPECT_EQ(fault("code,arm,reward\n4,0,1\n", {4, 2}),
            "t.csv:2:1: the code is not one of 0..3: correct the file or the number of codes");
  EXPECT_EQ(fault("3,2,1\n", {4, 2}), "t.csv:1:2: the arm is not one of 0..1: correct the file or the number of arms");
  EXPECT_EQ(fault("1.5,0,1\n", {}),
            "t.csv:1:1: the code is not one of 0, 1, 2 and so on: correct the file or the number of codes");
  EXPECT_EQ(fault("0,-1,1\n", {}),
            "t.csv:1:2: the arm is not one of 0, 1, 2 and so on: correct the file or the number of arms");
  EXPECT_EQ(fault("code,arm,prize\n1,1,1\n", {}),
            "t.csv:1: there is no column 'reward'; the columns code,arm,reward are needed");
  EXPECT_EQ(
      fault("1,1\n", {}),
      "t.csv:1: 2 columns without a header, where the three code,arm,reward are expected; name them in a first line");
}

TEST(UsersFile, PlaysUsersInTheOrderOfTheirSteps) {
  const TestFolder folder;
  const UsersFile file = read_users(folder.put("users.csv",
                                               "t,user,a,reward_1,b,reward_0\n"
                                               "2,7,1,0.5,1,0\n"
                                               "1,3,3,1,1,0\n"
                                               "1,7,0,0,2,1\n"));
  EXPECT_EQ(file.rows, 3u);
  EXPECT_THAT(file.user_names, ElementsAre("7", "3"));
  const TableWorld& world = *file.world;
  EXPECT_EQ(world.users(), 2u);
  EXPECT_EQ(world.dimension(), 2u);
  EXPECT_EQ(world.arms(), 2u);
  std::vector<double> contexts;
  EXPECT_EQ(world.meet(0, contexts), 2u);
  EXPECT_THAT(contexts, ElementsAre(0, 1, .5, .5));
  EXPECT_EQ(world.reward(0, 0, {}, 0), 1);
  EXPECT_EQ(world.reward(0, 1, {}, 1), .5);
  EXPECT_EQ(world.meet(1, contexts), 1u);
  EXPECT_THAT(contexts, ElementsAre(.75, .25));
  EXPECT_EQ(world.recorded().most_steps(), 2u);
}

TEST(UsersFile, ClipsAndCounts) {
  const TestFolder folder;
  const UsersFile file = read_users(folder.put("users.csv",
                                               "user,t,a,b,reward_0,reward_1\n"
                                               "0,0,-1,1,2,-0.5\n"
                                               "1,0,-1,-2,1,0\n"));
  EXPECT_EQ(file.features_clipped, 3u);
  EXPECT_EQ(file.rewards_clipped, 2u);
  std::vector<double> contexts;
  file.world->meet(0, contexts);
  EXPECT_THAT(contexts, ElementsAre(0, 1));
  file.world->meet(1, contexts);
  EXPECT_THAT(contexts, ElementsAre(.5, .5));
  EXPECT_EQ(file.world->reward(0, 0, {}, 0), 1);
  EXPECT_EQ(file.world->reward(0, 0, {}, 1), 0);
}

std::string fault_of(const std::string& contents) {
  const TestFolder folder;
  const auto path = folder.put("u.csv", contents);
  return message_of<InputError>(folder, [&] { (void)read_users(path); });
}

TEST(UsersFile, NamesWhatIsMissing) {
  EXPECT_THAT(fault_of("t,a,reward_0,reward_1\n0,1,0,0\n"), HasSubstr("u.csv:1: there is no column 'user'"));
  EXPECT_THAT(fault_of("user,a,reward_0,reward_1\n0,1,0,0\n"), HasSubstr("u.csv:1: there is no column 't'"));
  EXPECT_THAT(fault_of("user,t,reward_0,reward_1\n0,1,0,0\n"), HasSubstr("u.csv:1: there is no feature"));
  EXPECT_THAT(fault_of("user,t,a,reward_0\n0,1,0,0\n"), HasSubstr("u.csv:1: the columns reward_0"));
  EXPECT_THAT(fault_of("user,t,a,reward_0,reward_1,reward_3\n0,1,0,0,0,0\n"),
              HasSubstr("u.csv:1:6: rewards count from reward_0"));
  EXPECT_THAT(fault_of("user,t,a,reward_0,reward_1\n0,1,0,0,0\n1,1,0,0,0\n0,1,0,0,0\n"),
              HasSubstr("u.csv:4:2: this user has had a row of that t"));
  EXPECT_THAT(fault_of("user,t,a,reward_0,reward_1\n0,1,0,0,0\n"), HasSubstr("u.csv: 1 user where 2 are needed"));
  EXPECT_THAT(fault_of("user,t,a,reward_0,reward_1\n0,1,x,0,0\n"), HasSubstr("u.csv:2:3"));
}

TEST(UsersFile, UsersMayHaveAnyNames) {
  const TestFolder folder;
  const UsersFile file = read_users(folder.put("u.csv",
                                               "user,t,a,reward_0,reward_1\nann,0,1,0,0\n9007199254740993,0,1,0,0\n"
                                               "9007199254740992,0,1,0,0\n\"b, c\",0,1,0,0\nann,1,1,0,0\n"));
  EXPECT_THAT(file.user_names, ElementsAre("ann", "9007199254740993", "9007199254740992", "b, c"));
  std::vector<double> contexts;
  EXPECT_EQ(file.world->meet(0, contexts), 2u);
}

TEST(UsersFile, TakesOneUserWhereThatIsEnough) {
  const TestFolder folder;
  const UsersFile file = read_users(folder.put("u.csv", "user,t,a,reward_0,reward_1\n5,1,1,0,0\n"), 1);
  EXPECT_THAT(file.user_names, ElementsAre("5"));
}

}  // namespace
}  // namespace sotto::apps::p2b
