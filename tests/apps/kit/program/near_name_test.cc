#include "sotto/apps/kit/program/near_name.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

namespace sotto::apps {
namespace {

TEST(NearName, IsWhatWasProbablyMeant) {
  const std::vector<std::string> names{"steps", "arms", "epsilon", "separate_rewarder", "id"};
  EXPECT_EQ(near_name("step", names), "steps");
  EXPECT_EQ(near_name("setps", names), "steps");
  EXPECT_EQ(near_name("epsilom", names), "epsilon");
  EXPECT_EQ(near_name("seperate_rewarder", names), "separate_rewarder");
  EXPECT_EQ(near_name("arms", names), "arms");
  EXPECT_EQ(near_name("colour", names), "");
  EXPECT_EQ(near_name("x", names), "");
  EXPECT_EQ(near_name("", names), "");
  EXPECT_EQ(near_name(std::string(100'000, 's'), names), "");
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
