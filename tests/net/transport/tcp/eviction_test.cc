#include "sotto/net/transport/tcp/eviction.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <array>
#include <vector>

namespace sotto::net {
namespace {

TEST(Eviction, TakesOneOfTheNetworkWithTheMost) {
  const std::vector<std::string_view> networks{"a", "b", "b", "c", "b", "c"};
  std::array<int, 6> times{};
  for (int i = 0; i < 3000; ++i) ++times.at(who_gives_way(networks));
  EXPECT_EQ(times[0] + times[3] + times[5], 0);
  for (const int i : {1, 2, 4}) EXPECT_GT(times.at(static_cast<std::size_t>(i)), 800);
}

TEST(Eviction, AmongNetworksThatHaveAsManyEachConnectionIsAsLikely) {
  const std::vector<std::string_view> networks{"a", "b", "a", "b"};
  std::array<int, 4> times{};
  for (int i = 0; i < 4000; ++i) ++times.at(who_gives_way(networks));
  for (const int count : times) EXPECT_GT(count, 800);
}

TEST(Eviction, ConnectionsFollowTheLimitOfDescriptors) {
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  rlimit low = before;
  low.rlim_cur = 100;
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &low), 0);
  EXPECT_EQ(connections_within_limit(10), 10U);
  // The limit is raised as far as it may be.
  EXPECT_EQ(connections_within_limit(200), std::min<std::size_t>(200, before.rlim_max - 64));
  EXPECT_EQ(connections_within_limit(SIZE_MAX / 2), before.rlim_max - 64);
  setrlimit(RLIMIT_NOFILE, &before);
}

}  // namespace
}  // namespace sotto::net
