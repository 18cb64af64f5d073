#include "sotto/apps/bandit/state/checkpoint_id.h"

#include <gtest/gtest.h>

#include <limits>
#include <set>

#include "sotto/core/wire/hex.h"

namespace sotto::apps {
namespace {

CheckpointPlace example() {
  CheckpointPlace place;
  for (std::size_t i = 0; i < place.before.size(); ++i) place.before[i] = std::byte(i);
  place.session.fill(std::byte{7});
  place.epoch = 3;
  place.steps = 2000;
  return place;
}

// Computed by another program, from docs/wire-format.md.
TEST(CheckpointId, IsTheHashThatTheFormatSays) {
  const std::uint64_t words[] = {1, 2, std::numeric_limits<std::uint64_t>::max()};
  EXPECT_EQ(hex(checkpoint_id(example(), digest_of(words))),
            "8de5557ad351625e58483e5e1663bd10b6a27a910d0f996d56f346f68fc3b126");
}

TEST(CheckpointId, IsAnotherWhereAnythingIs) {
  const std::uint64_t words[] = {1, 2, 3};
  const std::uint64_t others[] = {1, 2, 4};
  std::set<net::CheckpointId> ids;
  ids.insert(checkpoint_id(example(), digest_of(words)));
  ids.insert(checkpoint_id(example(), digest_of(others)));
  CheckpointPlace place = example();
  place.before[31] ^= std::byte{1};
  ids.insert(checkpoint_id(place, digest_of(words)));
  place = example();
  place.session[0] ^= std::byte{1};
  ids.insert(checkpoint_id(place, digest_of(words)));
  place = example();
  place.epoch = 4;
  ids.insert(checkpoint_id(place, digest_of(words)));
  place = example();
  place.steps = 2001;
  ids.insert(checkpoint_id(place, digest_of(words)));
  EXPECT_EQ(ids.size(), 6u);
}

}  // namespace
}  // namespace sotto::apps
