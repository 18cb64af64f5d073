#include "sotto/apps/robin/roles/terms.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <cstring>

namespace sotto::apps {
namespace {

RobinTerms sound() {
  RobinTerms terms;
  terms.settings.clients = 20;
  terms.settings.dimension = 3;
  terms.settings.horizon = 1022;
  terms.settings.epsilon = 50;
  terms.settings.delta = 1e-6;
  terms.settings.composition = Composition::nested;
  terms.settings.noise = NoiseKind::laplace;
  terms.settings.range = RangeKind::last_release;
  terms.settings.adaptive = true;
  terms.settings.lambda_min = 0.25;
  terms.settings.seed = 99;
  terms.settings = checked(terms.settings);
  terms.simulated = false;
  terms.deadline_seconds = 12.5;
  return terms;
}

TEST(RobinTerms, ComeBackAsTheyWere) {
  const RobinTerms terms = sound();
  const auto payload = encode(terms);
  const auto back = decode_terms(payload);
  ASSERT_TRUE(back);
  EXPECT_EQ(encode(*back), payload);
  EXPECT_EQ(back->settings.clients, 20u);
  EXPECT_EQ(back->settings.composition, Composition::nested);
  EXPECT_EQ(back->settings.noise, NoiseKind::laplace);
  EXPECT_EQ(back->settings.range, RangeKind::last_release);
  EXPECT_TRUE(back->settings.adaptive);
  EXPECT_EQ(back->settings.seed, 99u);
  EXPECT_FALSE(back->simulated);
  EXPECT_FALSE(back->local);
  EXPECT_EQ(back->deadline_seconds, 12.5);
}

TEST(RobinTerms, PlayedLocallyThereAreNoReleases) {
  RobinTerms terms = sound();
  EXPECT_GT(releases_of(terms), 0u);
  const std::size_t phases = phases_of(terms).size();
  terms.local = true;
  EXPECT_EQ(releases_of(terms), 0u);
  EXPECT_EQ(phases_of(terms).size(), phases);
  for (const Phase& phase : phases_of(terms)) {
    EXPECT_TRUE(phase.local);
    EXPECT_FALSE(phase.uploads);
  }
}

TEST(RobinTerms, NoOtherLengthIsTaken) {
  const auto payload = encode(sound());
  for (std::size_t size = 0; size < payload.size(); ++size) {
    EXPECT_FALSE(decode_terms(std::span(payload).first(size))) << size;
  }
  auto longer = payload;
  longer.push_back(std::byte{0});
  EXPECT_FALSE(decode_terms(longer));
}

TEST(RobinTerms, WhatCannotBeRunIsRefused) {
  const auto refused = [](auto change) {
    RobinTerms terms = sound();
    change(terms);
    return !decode_terms(encode(terms)).has_value();
  };
  EXPECT_FALSE(refused([](RobinTerms&) {}));
  EXPECT_TRUE(refused([](RobinTerms& terms) { terms.settings.clients = 1; }));
  EXPECT_TRUE(refused([](RobinTerms& terms) { terms.settings.clients = std::size_t{1} << 60; }));
  EXPECT_TRUE(refused([](RobinTerms& terms) { terms.settings.dimension = 0; }));
  EXPECT_TRUE(refused([](RobinTerms& terms) { terms.settings.dimension = std::size_t{1} << 40; }));
  EXPECT_TRUE(refused([](RobinTerms& terms) { terms.settings.horizon = ~std::uint64_t{0}; }));
  EXPECT_TRUE(refused([](RobinTerms& terms) { terms.settings.init_phases = 0; }));
  EXPECT_TRUE(refused([](RobinTerms& terms) { terms.settings.epsilon = 0; }));
  EXPECT_TRUE(refused([](RobinTerms& terms) { terms.settings.epsilon = NAN; }));
  EXPECT_TRUE(refused([](RobinTerms& terms) { terms.settings.delta = 1; }));
  EXPECT_TRUE(refused([](RobinTerms& terms) { terms.settings.lambda_min = 0; }));
  EXPECT_TRUE(refused([](RobinTerms& terms) { terms.settings.noise_sd = INFINITY; }));
  EXPECT_TRUE(refused([](RobinTerms& terms) { terms.settings.bound = -1; }));
  EXPECT_TRUE(refused([](RobinTerms& terms) { terms.settings.reward_bound = 0; }));
  EXPECT_TRUE(refused([](RobinTerms& terms) { terms.deadline_seconds = 0; }));
  EXPECT_TRUE(refused([](RobinTerms& terms) { terms.deadline_seconds = 1e9; }));
  EXPECT_TRUE(
      refused([](RobinTerms& terms) { terms.settings.composition = static_cast<Composition>(9); }));
  EXPECT_TRUE(refused([](RobinTerms& terms) { terms.settings.noise = static_cast<NoiseKind>(2); }));
}

// Any damage gives other terms that are sound, or none; never something that cannot be encoded again.
RC_GTEST_PROP(RobinTerms, DamagedBytesGiveSoundTermsOrNone, ()) {
  auto payload = encode(sound());
  const auto at = *rc::gen::inRange<std::size_t>(0, payload.size());
  payload[at] = static_cast<std::byte>(*rc::gen::inRange(0, 256));
  const auto back = decode_terms(payload);
  if (back) RC_ASSERT(encode(*back) == payload);
}

}  // namespace
}  // namespace sotto::apps
