#include "apps/p2b/model.h"

#include "apps/kit/files/json.h"
#include "apps/kit/learn/seeded.h"
#include "tests/apps/support.h"
#include "tests/properties.h"

namespace sotto::apps::p2b {
namespace {

const Encoder& small_encoder() {
  static const Encoder encoder = fit_encoder({4, 1, 8, EncoderKind::kmeans, 1});
  return encoder;
}

std::vector<double> context_of(ContextKind kind, std::uint32_t code) {
  if (kind == ContextKind::centroid) {
    const auto centroid = small_encoder().centroid(code);
    return {centroid.begin(), centroid.end()};
  }
  std::vector<double> unit(small_encoder().codes());
  unit[code] = 1;
  return unit;
}

std::vector<Tuple> draw_tuples(std::size_t count, std::size_t arms, SeededDraws& draws) {
  std::vector<Tuple> tuples;
  for (std::size_t i = 0; i < count; ++i) {
    tuples.push_back(
        {static_cast<std::uint32_t>(draws.below(8)), static_cast<std::uint32_t>(draws.below(arms)), draws.unit()});
  }
  return tuples;
}

PROPERTY(P2bModel, IsDisjointLinUcbOnTheContextsOfItsCodes) {
  const ContextKind kind = draw_one_of({ContextKind::one_hot, ContextKind::centroid});
  const auto arms = draw_in_range<std::size_t>(1, 5);
  SeededDraws draws(draw<std::uint64_t>());
  Model model(kind, small_encoder(), arms, 0.5);
  LinUcb reference(context_of(kind, 0).size(), arms, 0.5);
  for (const Tuple& tuple : draw_tuples(draw_in_range<std::size_t>(0, 80), arms, draws)) {
    model.update(tuple);
    reference.learn(tuple.arm, context_of(kind, tuple.code), 1, tuple.reward);
  }
  reference.solve();
  model.solve();
  OwnModel own(model);
  own.update({3, 0, 1});
  own.restart();
  OwnLinUcb own_reference(reference);
  for (int step = 0; step < 30; ++step) {
    const auto code = static_cast<std::uint32_t>(draws.below(8));
    const std::vector<double> context = context_of(kind, code);
    const std::size_t arm = own.select(code, draws);
    (void)own_reference.select(context, draws);
    for (std::size_t a = 0; a < arms; ++a) {
      HOLDS(std::abs(own.scores()[a] - own_reference.scores()[a]) < 1e-9);
    }
    const double reward = draws.unit();
    own.update({code, static_cast<std::uint32_t>(arm), reward});
    own_reference.update(context, arm, reward);
  }
  for (std::uint32_t code = 0; code < 8; ++code) {
    std::vector<double> scores(arms);
    reference.scores(context_of(kind, code), scores);
    for (std::size_t a = 0; a < arms; ++a) {
      HOLDS(std::abs(model.scores(code)[a] - scores[a]) < 1e-9);
    }
  }
}

TEST(P2bModel, ThetaOfOneHotCodesIsTheShrunkMean) {
  Model model(4, 2);
  for (const double reward : {1.0, 0.0, 1.0}) model.update({2, 1, reward});
  EXPECT_DOUBLE_EQ(model.theta(2, 1), 2.0 / 4);
  EXPECT_DOUBLE_EQ(model.theta(2, 0), 0);
  EXPECT_DOUBLE_EQ(model.scores(2)[1], 0.5 + 0.5);
  EXPECT_DOUBLE_EQ(model.scores(0)[1], 1);
  EXPECT_EQ(model.count(2, 1), 3U);
  EXPECT_EQ(model.reward_sum(2, 1), 2);
  EXPECT_EQ(model.updates(), 3U);
}

TEST(P2bModel, ManyUpdatesInAnyOrderLeaveNoRounding) {
  SeededDraws draws(1);
  std::vector<Tuple> tuples = draw_tuples(20'000, 3, draws);
  for (Tuple& tuple : tuples) tuple.reward = draws.below(2) == 0 ? 0 : 1;
  Model forward(ContextKind::centroid, small_encoder(), 3);
  forward.update(std::span<const Tuple>(tuples));
  draw_order(std::span(tuples), draws);
  Model other(ContextKind::centroid, small_encoder(), 3);
  for (const Tuple& tuple : tuples) {
    other.update(tuple);
    if (draws.below(1000) == 0) other.solve();
  }
  for (std::uint32_t code = 0; code < 8; ++code) {
    for (std::size_t arm = 0; arm < 3; ++arm) EXPECT_EQ(forward.theta(code, arm), other.theta(code, arm));
  }
}

TEST(P2bModel, RefusesTuplesOutOfRangeAndClipsRewards) {
  Model model(4, 2);
  EXPECT_THROW(model.update({4, 0, 1}), InputError);
  EXPECT_THROW(model.update({0, 2, 1}), InputError);
  EXPECT_EQ(model.updates(), 0U);
  model.update({0, 0, 7});
  model.update({0, 0, -7});
  EXPECT_EQ(model.clipped(), 2U);
  EXPECT_EQ(model.reward_sum(0, 0), 1);
  EXPECT_THROW(OwnModel{model}, std::invalid_argument);
  model.solve();
  OwnModel own(model);
  EXPECT_THROW(own.update({4, 0, 1}), InputError);
  EXPECT_THROW(own.update({0, 2, 1}), InputError);
  own.update({0, 0, 3});
  EXPECT_EQ(own.clipped(), 1U);
  EXPECT_THROW(Model(0, 2), std::invalid_argument);
  EXPECT_THROW(Model(2, 0), std::invalid_argument);
  EXPECT_THROW((void)parse_context_kind("two-hot", "--context"), InputError);
}

std::vector<std::byte> some_bytes(ContextKind kind) {
  Model model(kind, small_encoder(), 3, 0.25);
  SeededDraws draws(4);
  model.update(std::span<const Tuple>(draw_tuples(50, 3, draws)));
  return model.to_bytes();
}

TEST(P2bModel, BytesComeBackTheSame) {
  for (const ContextKind kind : {ContextKind::one_hot, ContextKind::centroid}) {
    const std::vector<std::byte> bytes = some_bytes(kind);
    Model back = Model::from_bytes(bytes, &small_encoder());
    EXPECT_EQ(back.to_bytes(), bytes);
    EXPECT_EQ(back.updates(), 50U);
    EXPECT_EQ(back.alpha(), 0.25);
    EXPECT_EQ(back.to_json()["updates"], 50);
    EXPECT_GT(back.theta(1, 1), 0);
  }
  EXPECT_EQ(Model::from_bytes(Model(5, 2).to_bytes(), nullptr).codes(), 5U);
}

TEST(P2bModel, TakesMostBytesWhereEveryCellHasARewardAndNeverMore) {
  Model model(5, 3);
  EXPECT_LT(model.to_bytes().size(), model.most_bytes());
  for (std::uint32_t code = 0; code < 5; ++code) {
    for (std::size_t arm = 0; arm < 3; ++arm) {
      EXPECT_LT(model.to_bytes().size(), model.most_bytes());
      model.update({code, static_cast<std::uint32_t>(arm), .5});
    }
  }
  EXPECT_EQ(model.to_bytes().size(), model.most_bytes());
  model.update({0, 0, 1});
  EXPECT_EQ(model.to_bytes().size(), model.most_bytes());
}

TEST(P2bModel, RefusesBytesOfAnotherEncoderOrNone) {
  const std::vector<std::byte> bytes = some_bytes(ContextKind::centroid);
  EXPECT_THROW((void)Model::from_bytes(bytes, nullptr), InputError);
  const Encoder other = fit_encoder({4, 1, 8, EncoderKind::kmeans, 2});
  EXPECT_THROW((void)Model::from_bytes(bytes, &other), InputError);
  const Encoder larger = fit_encoder({4, 1, 16, EncoderKind::kmeans, 1});
  EXPECT_THROW((void)Model::from_bytes(bytes, &larger), InputError);
}

PROPERTY(P2bModel, RefusesDamagedBytesOrReadsAModel) {
  std::vector<std::byte> bytes = some_bytes(draw_one_of({ContextKind::one_hot, ContextKind::centroid}));
  SeededDraws draws(draw<std::uint64_t>());
  if (draw<bool>()) {
    bytes.resize(draws.below(bytes.size()));
  } else {
    bytes[draws.below(bytes.size())] ^= static_cast<std::byte>(1 + draws.below(255));
  }
  try {
    Model model = Model::from_bytes(bytes, &small_encoder());
    HOLDS(model.to_bytes().size() == bytes.size());
    HOLDS(std::isfinite(model.theta(0, 0)));
  } catch (const InputError&) {
  }
}

TEST(P2bModel, RefusesClaimsBeforeItAllocates) {
  std::vector<std::byte> bytes = Model(5, 2).to_bytes();
  // The test writes 56 bytes that claim to have 2^20 codes and 10^5 arms.
  const auto put = [&bytes](std::size_t at, std::uint64_t value) {
    for (std::size_t i = 0; i < 8; ++i) bytes[at + i] = static_cast<std::byte>(value >> (8 * i));
  };
  put(16, most_codes);
  put(24, most_arms);
  EXPECT_THROW((void)Model::from_bytes(bytes, nullptr), InputError);
  put(16, std::numeric_limits<std::uint64_t>::max());
  EXPECT_THROW((void)Model::from_bytes(bytes, nullptr), InputError);
  put(16, 5);
  put(24, 2);
  put(48, std::uint64_t{1} << 60);
  EXPECT_THROW((void)Model::from_bytes(bytes, nullptr), InputError);
}

}  // namespace
}  // namespace sotto::apps::p2b
