#include "apps/robin/roles/messages.h"
#include "apps/robin/roles/gathering.h"
#include "tests/apps/support.h"
#include "tests/properties.h"

namespace sotto::apps::robin {

namespace {

using Payload = std::vector<std::byte>;

TEST(RobinMessages, ComeBackAsTheyWere) {
  const RobinJoin simulated{7, 50'000};
  const RobinJoin logged{3, 1, 8, 10, 8190, 77, 0.5, 1e-6};
  EXPECT_EQ(decode_join(encode(simulated)), simulated);
  EXPECT_EQ(decode_join(encode(logged)), logged);
  EXPECT_TRUE(simulated.simulated());
  EXPECT_FALSE(logged.simulated());
  const RobinPlay first{0, {}};
  const RobinPlay second{1, {0.5, -0.25, 1e-300}};
  EXPECT_EQ(decode_play(encode(first)), first);
  EXPECT_EQ(decode_play(encode(second)), second);
  const RobinFinished finished{7, 0.99};
  EXPECT_EQ(decode_finished(encode(finished)), finished);
  const RobinFailed failed{ExitCode::peer_lost, "client 3 was lost"};
  EXPECT_EQ(decode_failed(encode(failed)), failed);
}

PROPERTY(RobinMessages, EstimatesComeBackBitForBit) {
  const auto values = draw<std::vector<double>>();
  const auto release = draw<std::uint64_t>();
  const auto back = decode_estimates(encode(RobinEstimates{release, values}));
  HOLDS(back.has_value());
  HOLDS(back->release == release);
  HOLDS(back->values.size() == values.size());
  if (values.empty()) return;  // memcmp must not get a null pointer
  HOLDS(std::memcmp(back->values.data(), values.data(), values.size() * sizeof(double)) == 0);
}

TEST(RobinMessages, EstimatesMayBeNan) {
  const auto back = decode_estimates(encode(RobinEstimates{0, {std::numeric_limits<double>::quiet_NaN(), INFINITY}}));
  ASSERT_TRUE(back);
  EXPECT_TRUE(std::isnan(back->values[0]));
}

TEST(RobinMessages, ACountThatNoBytesStandBehindIsRefused) {
  for (const std::uint64_t count : {std::uint64_t{2}, std::uint64_t{4}, std::uint64_t{1} << 61,
                                    (std::uint64_t{1} << 61) + 3, std::numeric_limits<std::uint64_t>::max()}) {
    Payload payload = encode(RobinEstimates{0, {1, 2, 3}});
    std::memcpy(payload.data() + 8, &count, sizeof count);
    EXPECT_FALSE(decode_estimates(payload)) << count;
    EXPECT_FALSE(decode_play(payload)) << count;
  }
}

TEST(RobinMessages, JoinsThatMakeNoSenseAreRefused) {
  constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  EXPECT_FALSE(decode_join(encode(RobinJoin{0, 0})));
  EXPECT_FALSE(decode_join(encode(RobinJoin{0, 1, 4})));
  EXPECT_FALSE(decode_join(encode(RobinJoin{0, 1, 0, 5, 10})));
  EXPECT_FALSE(decode_join(encode(RobinJoin{0, 1, 0, 0, 0, 0, 0.0})));
  EXPECT_FALSE(decode_join(encode(RobinJoin{0, 1, 0, 0, 0, 0, NAN})));
  EXPECT_FALSE(decode_join(encode(RobinJoin{0, 1, 0, 0, 0, 0, 1, -1})));
  EXPECT_FALSE(decode_join(encode(RobinJoin{most, 1})));
  EXPECT_FALSE(decode_join(encode(RobinJoin{2, most})));
}

TEST(RobinMessages, WhatEndsARunIsShownSafely) {
  const auto shown = decode_failed(encode(RobinFailed{ExitCode::usage, "a\nb\x1b[31m\x7f"}));
  ASSERT_TRUE(shown);
  EXPECT_EQ(shown->text, "a b [31m ");
  const auto cut = decode_failed(encode(RobinFailed{ExitCode::usage, std::string(5 * 1000 * 1000, 'x')}));
  ASSERT_TRUE(cut);
  EXPECT_EQ(cut->text.size(), longest_robin_failure);
  EXPECT_FALSE(decode_failed(encode(RobinFailed{ExitCode::done, "fine"})));
  EXPECT_FALSE(decode_failed(encode(RobinFailed{static_cast<ExitCode>(99), "what"})));
}

TEST(RobinMessages, WhatIsSpentIsANumberFromZero) {
  EXPECT_FALSE(decode_finished(encode(RobinFinished{1, -1})));
  EXPECT_FALSE(decode_finished(encode(RobinFinished{1, NAN})));
}

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

TEST(RobinMessages, NoOtherLengthIsTaken) {
  const auto check = [](const Payload& whole, const auto& decode) {
    for (std::size_t size = 0; size < whole.size(); ++size) EXPECT_FALSE(decode(std::span(whole).first(size))) << size;
    for (const std::size_t more : {1u, 7u, 8u, 64u}) {
      Payload longer = whole;
      longer.resize(whole.size() + more);
      EXPECT_FALSE(decode(longer)) << more;
    }
  };
  check(encode(RobinJoin{0, 2, 4, 5, 62}), decode_join);
  check(encode(RobinPlay{1, {1, 2, 3}}), decode_play);
  check(encode(RobinEstimates{1, {1, 2, 3}}), decode_estimates);
  check(encode(RobinFinished{1, 2}), decode_finished);
  check(encode(RobinFailed{ExitCode::usage, "no"}), decode_failed);
  check(encode(sound()), decode_terms);
}

TEST(RobinTerms, ComeBackAsTheyWere) {
  const RobinTerms terms = sound();
  const auto payload = encode(terms);
  const auto back = decode_terms(payload);
  ASSERT_TRUE(back);
  EXPECT_EQ(encode(*back), payload);
  EXPECT_EQ(back->settings.clients, 20u);
  EXPECT_EQ(back->settings.composition, Composition::nested);
  EXPECT_TRUE(back->settings.adaptive);
  EXPECT_FALSE(back->simulated || back->local);
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

TEST(RobinTerms, WhatCannotBeRunIsRefused) {
  const auto refused = [](auto change) {
    RobinTerms terms = sound();
    change(terms);
    return !decode_terms(encode(terms)).has_value();
  };
  EXPECT_FALSE(refused([](RobinTerms&) {}));
  EXPECT_TRUE(refused([](RobinTerms& t) { t.settings.clients = 1; }));
  EXPECT_TRUE(refused([](RobinTerms& t) { t.settings.clients = std::size_t{1} << 60; }));
  EXPECT_TRUE(refused([](RobinTerms& t) { t.settings.dimension = 0; }));
  EXPECT_TRUE(refused([](RobinTerms& t) { t.settings.dimension = std::size_t{1} << 40; }));
  EXPECT_TRUE(refused([](RobinTerms& t) { t.settings.horizon = ~std::uint64_t{0}; }));
  EXPECT_TRUE(refused([](RobinTerms& t) { t.settings.init_phases = 0; }));
  EXPECT_TRUE(refused([](RobinTerms& t) { t.settings.epsilon = 0; }));
  EXPECT_TRUE(refused([](RobinTerms& t) { t.settings.epsilon = NAN; }));
  EXPECT_TRUE(refused([](RobinTerms& t) { t.settings.delta = 1; }));
  EXPECT_TRUE(refused([](RobinTerms& t) { t.settings.lambda_min = 0; }));
  EXPECT_TRUE(refused([](RobinTerms& t) { t.settings.noise_sd = INFINITY; }));
  EXPECT_TRUE(refused([](RobinTerms& t) { t.settings.bound = -1; }));
  EXPECT_TRUE(refused([](RobinTerms& t) { t.settings.reward_bound = 0; }));
  EXPECT_TRUE(refused([](RobinTerms& t) { t.deadline_seconds = 0; }));
  EXPECT_TRUE(refused([](RobinTerms& t) { t.deadline_seconds = 1e9; }));
  EXPECT_TRUE(refused([](RobinTerms& t) { t.settings.composition = static_cast<Composition>(9); }));
  EXPECT_TRUE(refused([](RobinTerms& t) { t.settings.noise = static_cast<NoiseKind>(2); }));
}

PROPERTY(RobinTerms, DamagedBytesGiveSoundTermsOrNone) {
  auto payload = encode(sound());
  const auto at = draw_in_range<std::size_t>(0, payload.size());
  payload[at] = static_cast<std::byte>(draw_in_range(0, 256));
  const auto back = decode_terms(payload);
  if (back) HOLDS(encode(*back) == payload);
}

GatheringShape simulated(std::size_t clients, std::size_t most_a_peer = 1) {
  return {clients, 2, 3, 14, true, most_a_peer, 1, 1e-5};
}
GatheringShape logged(std::size_t clients) { return {clients, 2, 3, 14, false, 1, 1, 1e-5}; }

RobinJoin simulated_join(std::uint64_t first, std::uint64_t count = 1) { return {first, count}; }

std::string told(const std::optional<RobinFailed>& refusal) {
  if (!refusal) return {};
  return std::to_string(static_cast<int>(refusal->code)) + ": " + refusal->text;
}

std::string thrown(Gathering& gathering, Gathering::Peer peer, const RobinEstimates& estimates) {
  return error_of<ProtocolError>([&] { gathering.add(peer, estimates); });
}

TEST(Gathering, AllJoinInAnyOrderAndAreNamed) {
  Gathering gathering(simulated(5, 3));
  EXPECT_EQ(gathering.not_joined(), "client 0 and 4 more");
  EXPECT_EQ(told(gathering.join(71, "b", simulated_join(3, 2))), "");
  EXPECT_EQ(gathering.not_joined(), "client 0 and 2 more");
  EXPECT_FALSE(gathering.all_joined());
  EXPECT_EQ(told(gathering.join(12, "a", simulated_join(0, 2))), "");
  EXPECT_EQ(gathering.not_joined(), "client 2");
  EXPECT_EQ(told(gathering.join(40, "c", simulated_join(2))), "");
  EXPECT_TRUE(gathering.all_joined());
  EXPECT_EQ(gathering.not_joined(), "");
  EXPECT_EQ(gathering.name(71), "clients 3 to 4");
  EXPECT_EQ(gathering.name(40), "client 2");
}

TEST(Gathering, OneThatDoesNotFitIsRefusedAndAnotherMayCome) {
  Gathering gathering(logged(2));
  EXPECT_EQ(told(gathering.join(1, "a", {0, 1, 2, 3, 14, 7})), "");
  const auto says = [&](const RobinJoin& join, const char* what, const char* key = "k") {
    const std::string text = told(gathering.join(9, key, join));
    EXPECT_NE(text.find(what), std::string::npos) << text;
    EXPECT_EQ(text.find("5: "), 0u) << text;
    EXPECT_FALSE(gathering.knows(9));
  };
  says({1, 1, 4, 3, 14, 7}, "4 features and 3 arms, but the run has 2 and 3");
  says({1, 1, 2, 7, 14, 7}, "2 features and 7 arms");
  says({1, 1, 2, 3, 13, 7}, "13 steps, but the run plays 14");
  says({2, 1, 2, 3, 14, 7}, "clients 0 to 1");
  says({0, 1, 2, 3, 14, 7}, "client 0 has joined already");
  says({1, 1, 2, 3, 14, 7}, "certificate of client 0", "a");
  says({0, 2, 2, 3, 14, 7}, "may play 1 client of this run");
  says({1, 1}, "is simulated");
  says({1, 1, 2, 3, 14, 7, 0.9}, "at most --eps 0.9");
  says({1, 1, 2, 3, 14, 7, 1, 1e-6}, "--delta 1e-06, but the run promises epsilon 1 and delta");
  says({1, 1, 2, 3, 14, 8}, "other names than those of client 0");
  EXPECT_EQ(told(gathering.join(9, "k", {1, 1, 2, 3, 99, 7, 1, 1e-5})), "");
  EXPECT_TRUE(gathering.all_joined());
  EXPECT_EQ(told(gathering.join(9, "k", {1, 1, 2, 3, 99, 7, 1, 1e-5})).find("4: "), 0u);
}

TEST(Gathering, WithoutCertificatesNumbersAloneTellThemApart) {
  Gathering gathering(simulated(2));
  EXPECT_EQ(told(gathering.join(1, "", simulated_join(0))), "");
  EXPECT_EQ(told(gathering.join(2, "", simulated_join(1))), "");
  EXPECT_TRUE(gathering.all_joined());
}

TEST(Gathering, OneThatLeavesIsMissingAgain) {
  Gathering gathering(simulated(2));
  EXPECT_EQ(told(gathering.join(1, "a", simulated_join(0))), "");
  EXPECT_EQ(told(gathering.join(2, "b", simulated_join(1))), "");
  EXPECT_TRUE(gathering.leave(1));
  EXPECT_FALSE(gathering.leave(1));
  EXPECT_EQ(gathering.not_joined(), "client 0");
  EXPECT_EQ(told(gathering.join(3, "a", simulated_join(0))), "");
  EXPECT_TRUE(gathering.all_joined());
}

TEST(Gathering, EstimatesStandInTheOrderOfTheNumbers) {
  Gathering gathering(simulated(3, 2));
  ASSERT_EQ(told(gathering.join(5, "b", simulated_join(2))), "");
  ASSERT_EQ(told(gathering.join(6, "a", simulated_join(0, 2))), "");
  for (std::uint64_t release = 0; release < 3; ++release) {
    gathering.begin(release);
    EXPECT_FALSE(gathering.complete());
    const double r = static_cast<double>(release);
    gathering.add(5, {release, {5 + r, 6 + r}});
    EXPECT_FALSE(gathering.complete());
    EXPECT_EQ(gathering.not_reported(), "client 0 and 1 more");
    gathering.add(6, {release, {1 + r, 2 + r, 3 + r, 4 + r}});
    EXPECT_TRUE(gathering.complete());
    EXPECT_EQ(gathering.not_reported(), "");
    const std::vector<double> expected{1 + r, 2 + r, 3 + r, 4 + r, 5 + r, 6 + r};
    const auto estimates = gathering.estimates();
    EXPECT_EQ(std::vector<double>(estimates.begin(), estimates.end()), expected);
  }
}

TEST(Gathering, NothingThatIsWrongCompletesARelease) {
  Gathering gathering(simulated(2));
  ASSERT_EQ(told(gathering.join(1, "a", simulated_join(0))), "");
  ASSERT_EQ(told(gathering.join(2, "b", simulated_join(1))), "");
  EXPECT_NE(thrown(gathering, 1, {0, {1, 2}}).find("nobody waits for"), std::string::npos);
  gathering.begin(4);
  gathering.add(1, {4, {1, 2}});
  const auto says = [&](Gathering::Peer peer, const RobinEstimates& estimates, const char* what) {
    const std::string text = thrown(gathering, peer, estimates);
    EXPECT_NE(text.find(what), std::string::npos) << text;
    EXPECT_FALSE(gathering.complete());
  };
  says(1, {4, {1, 2}}, "client 0 sent its estimates of release 5 twice");
  says(2, {3, {1, 2}}, "client 1 sent estimates of release 4, not 5");
  says(2, {4, {1}}, "sent 1 number for release 5, not 2");
  says(2, {4, {1, 2, 3}}, "sent 3 numbers");
  says(2, {4, {}}, "sent 0 numbers");
  says(2, {4, {1, NAN}}, "client 1 sent an estimate that is no finite number");
  says(2, {4, {-INFINITY, 1}}, "no finite number");
  says(3, {4, {1, 2}}, "a stranger");
}

}  // namespace
}  // namespace sotto::apps::robin
