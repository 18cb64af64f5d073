#include "sotto/apps/p2b/roles/survivor_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sotto/core/error/errors.h"
#include "tests/apps/p2b/roles/folders.h"

namespace sotto::apps {
namespace {

using ::testing::HasSubstr;

SurvivorPart part_of(std::uint64_t batch, std::uint32_t part, std::uint32_t parts,
                     std::uint32_t code) {
  SurvivorPart p;
  p.name.queue[0] = std::byte{7};
  p.name.batch = batch;
  p.name.part = part;
  p.parts = parts;
  p.tuples = {{code, 1, 0.5}, {code, 2, 1}};
  return p;
}

std::vector<Tuple> all(SurvivorStore& store) {
  std::vector<Tuple> tuples;
  store.replay(
      [&](std::span<const Tuple> part) { tuples.insert(tuples.end(), part.begin(), part.end()); });
  return tuples;
}

TEST(SurvivorStore, TakesEachPartOnce) {
  const PrivateFolder folder;
  SurvivorStore store(folder.path() / "s.db", small_terms());
  EXPECT_TRUE(store.take(part_of(1, 0, 2, 3)));
  EXPECT_FALSE(store.take(part_of(1, 0, 2, 3)));
  EXPECT_EQ(store.tuples(), 2U);
  EXPECT_EQ(store.batches(), 0U);
  EXPECT_TRUE(store.take(part_of(1, 1, 2, 4)));
  EXPECT_EQ(store.batches(), 1U);
  // The same number of another queue is another batch.
  SurvivorPart other = part_of(1, 0, 1, 5);
  other.name.queue[0] = std::byte{8};
  EXPECT_TRUE(store.take(other));
  EXPECT_EQ(store.batches(), 2U);
  EXPECT_EQ(
      all(store),
      (std::vector<Tuple>{{3, 1, 0.5}, {3, 2, 1}, {4, 1, 0.5}, {4, 2, 1}, {5, 1, 0.5}, {5, 2, 1}}));
}

TEST(SurvivorStore, KeepsAllOverARestart) {
  const PrivateFolder folder;
  const auto path = folder.path() / "s.db";
  { EXPECT_TRUE(SurvivorStore(path, small_terms()).take(part_of(1, 0, 1, 3))); }
  SurvivorStore store(path, small_terms());
  EXPECT_EQ(store.tuples(), 2U);
  EXPECT_EQ(store.batches(), 1U);
  EXPECT_FALSE(store.take(part_of(1, 0, 1, 3)));
  EXPECT_EQ(all(store), part_of(1, 0, 1, 3).tuples);
}

TEST(SurvivorStore, RefusesOtherTerms) {
  const PrivateFolder folder;
  const auto path = folder.path() / "s.db";
  { const SurvivorStore store(path, small_terms()); }
  P2bTerms other = small_terms();
  other.arms = 4;
  try {
    const SurvivorStore store(path, other);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("was made for 3 arms, here 4"));
  }
}

}  // namespace
}  // namespace sotto::apps
