#include "sotto/apps/p2b/users_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/apps/kit/data/test_files.h"

namespace sotto::apps {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

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
  EXPECT_THAT(fault_of("t,a,reward_0,reward_1\n0,1,0,0\n"),
              HasSubstr("u.csv:1: there is no column 'user'"));
  EXPECT_THAT(fault_of("user,a,reward_0,reward_1\n0,1,0,0\n"),
              HasSubstr("u.csv:1: there is no column 't'"));
  EXPECT_THAT(fault_of("user,t,reward_0,reward_1\n0,1,0,0\n"),
              HasSubstr("u.csv:1: there is no feature"));
  EXPECT_THAT(fault_of("user,t,a,reward_0\n0,1,0,0\n"), HasSubstr("u.csv:1: the columns reward_0"));
  EXPECT_THAT(fault_of("user,t,a,reward_0,reward_1,reward_3\n0,1,0,0,0,0\n"),
              HasSubstr("u.csv:1:6: rewards count from reward_0"));
  EXPECT_THAT(fault_of("user,t,a,reward_0,reward_1\n0,1,0,0,0\n1,1,0,0,0\n0,1,0,0,0\n"),
              HasSubstr("u.csv:4:2: this user has had a row of that t"));
  EXPECT_THAT(fault_of("user,t,a,reward_0,reward_1\n0,1,0,0,0\n"),
              HasSubstr("u.csv: 1 user where 2 are needed"));
  EXPECT_THAT(fault_of("user,t,a,reward_0,reward_1\n0,1,x,0,0\n"), HasSubstr("u.csv:2:3"));
}

TEST(UsersFile, UsersMayHaveAnyNames) {
  const TestFolder folder;
  const UsersFile file =
      read_users(folder.put("u.csv",
                            "user,t,a,reward_0,reward_1\nann,0,1,0,0\n9007199254740993,0,1,0,0\n"
                            "9007199254740992,0,1,0,0\n\"b, c\",0,1,0,0\nann,1,1,0,0\n"));
  EXPECT_THAT(file.user_names, ElementsAre("ann", "9007199254740993", "9007199254740992", "b, c"));
  std::vector<double> contexts;
  EXPECT_EQ(file.world->meet(0, contexts), 2u);
}

TEST(UsersFile, TakesOneUserWhereThatIsEnough) {
  const TestFolder folder;
  const UsersFile file =
      read_users(folder.put("u.csv", "user,t,a,reward_0,reward_1\n5,1,1,0,0\n"), 1);
  EXPECT_THAT(file.user_names, ElementsAre("5"));
}

}  // namespace
}  // namespace sotto::apps
