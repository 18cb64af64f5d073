#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "sotto/apps/bandit/state/checkpoint_id.h"
#include "sotto/apps/bandit/state/rows.h"
#include "sotto/core/wire/hex.h"
#include "tests/apps/support.h"

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
  std::set<CheckpointId> ids;
  const auto add = [&](auto change, std::uint64_t last = 3) {
    CheckpointPlace place = example();
    change(place);
    const std::uint64_t words[] = {1, 2, last};
    ids.insert(checkpoint_id(place, digest_of(words)));
  };
  add([](auto&) {});
  add([](auto&) {}, 4);
  add([](auto& place) { place.before[31] ^= std::byte{1}; });
  add([](auto& place) { place.session[0] ^= std::byte{1}; });
  add([](auto& place) { place.epoch = 4; });
  add([](auto& place) { place.steps = 2001; });
  EXPECT_EQ(ids.size(), 6u);
}

Checkpoint some_checkpoint() {
  Checkpoint checkpoint;
  checkpoint.steps = 40;
  checkpoint.epoch = 3;
  checkpoint.progress = {45, 51};
  checkpoint.id[3] = std::byte{8};
  checkpoint.inverses = {1, 2, ~std::uint64_t{0}};
  checkpoint.targets = {7};
  checkpoint.curve = RewardCurve::State{40, 3.5, 1e-17, {{10, .5, {}}, {40, .0875, {}}}};
  return checkpoint;
}

TEST(Rows, DecodeToWhatWasEncoded) {
  Checkpoint checkpoint = some_checkpoint();
  EXPECT_EQ(decode_checkpoint(encode(checkpoint)), checkpoint);
  checkpoint.curve.reset();
  checkpoint.inverses.clear();
  EXPECT_EQ(decode_checkpoint(encode(checkpoint)), checkpoint);
  const OpenedEpoch epoch{7, 40, {41, 60}, {std::byte{9}}};
  EXPECT_EQ(decode_opened_epoch(encode(epoch)), epoch);
  const PulledArms arms{30, {1, 0, 9}};
  EXPECT_EQ(decode_pulled_arms(encode(arms)), arms);
}

TEST(Rows, OfOneKindAreNoneOfAnother) {
  const PulledArms arms{30, {1, 0, 9}};
  EXPECT_FALSE(decode_checkpoint(encode(arms)).has_value());
  EXPECT_FALSE(decode_opened_epoch(encode(arms)).has_value());
  EXPECT_FALSE(decode_pulled_arms(encode(some_checkpoint())).has_value());
}

TEST(Rows, ThatAreCutOrTooLongAreRefused) {
  const std::vector<std::byte> row = encode(some_checkpoint());
  for (std::size_t length = 0; length < row.size(); ++length) {
    EXPECT_FALSE(decode_checkpoint(std::span(row).first(length)).has_value()) << length;
  }
  std::vector<std::byte> longer = row;
  longer.push_back(std::byte{0});
  EXPECT_FALSE(decode_checkpoint(longer).has_value());
}

TEST(Rows, ALengthBeyondTheRowAllocatesNothing) {
  std::vector<std::byte> row = encode(PulledArms{0, {1, 2}});
  for (std::size_t i = 9; i < 17; ++i) row[i] = std::byte{0xff};
  EXPECT_FALSE(decode_pulled_arms(row).has_value());
  row[9] = std::byte{3};
  for (std::size_t i = 10; i < 17; ++i) row[i] = std::byte{0};
  EXPECT_FALSE(decode_pulled_arms(row).has_value());
}

RC_GTEST_PROP(Rows, ThatAreAcceptedEncodeToTheSameBytes, (std::vector<std::uint8_t> noise)) {
  std::vector<std::byte> row = encode(some_checkpoint());
  for (std::size_t i = 0; i + 1 < noise.size(); i += 2) {
    row[(noise[i] * 7u) % row.size()] = static_cast<std::byte>(noise[i + 1]);
  }
  if (const auto checkpoint = decode_checkpoint(row)) RC_ASSERT(encode(*checkpoint) == row);
}

}  // namespace
}  // namespace sotto::apps
