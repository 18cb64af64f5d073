#include "sotto/apps/robin/roles/messages.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

namespace sotto::apps {
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

RC_GTEST_PROP(RobinMessages, EstimatesComeBackBitForBit, (std::vector<double> values)) {
  const auto release = *rc::gen::arbitrary<std::uint64_t>();
  const auto back = decode_estimates(encode(RobinEstimates{release, values}));
  RC_ASSERT(back.has_value());
  RC_ASSERT(back->release == release);
  RC_ASSERT(back->values.size() == values.size());
  if (values.empty()) return;  // memcmp takes no null pointer
  RC_ASSERT(std::memcmp(back->values.data(), values.data(), values.size() * sizeof(double)) == 0);
}

TEST(RobinMessages, EstimatesMayBeNan) {
  const auto back = decode_estimates(
      encode(RobinEstimates{0, {std::numeric_limits<double>::quiet_NaN(), INFINITY}}));
  ASSERT_TRUE(back);
  EXPECT_TRUE(std::isnan(back->values[0]));
}

// Every other length than that of the encoder.
TEST(RobinMessages, NoOtherLengthIsTaken) {
  const auto check = [](const Payload& whole, const auto& decode) {
    for (std::size_t size = 0; size < whole.size(); ++size) {
      EXPECT_FALSE(decode(std::span(whole).first(size))) << size;
    }
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
}

TEST(RobinMessages, ACountThatNoBytesStandBehindIsRefused) {
  for (const std::uint64_t count :
       {std::uint64_t{2}, std::uint64_t{4}, std::uint64_t{1} << 61, (std::uint64_t{1} << 61) + 3,
        std::numeric_limits<std::uint64_t>::max()}) {
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
  const auto cut =
      decode_failed(encode(RobinFailed{ExitCode::usage, std::string(5 * 1000 * 1000, 'x')}));
  ASSERT_TRUE(cut);
  EXPECT_EQ(cut->text.size(), longest_robin_failure);
  EXPECT_FALSE(decode_failed(encode(RobinFailed{ExitCode::done, "fine"})));
  EXPECT_FALSE(decode_failed(encode(RobinFailed{static_cast<ExitCode>(99), "what"})));
}

TEST(RobinMessages, WhatIsSpentIsANumberFromZero) {
  EXPECT_FALSE(decode_finished(encode(RobinFinished{1, -1})));
  EXPECT_FALSE(decode_finished(encode(RobinFinished{1, NAN})));
}

}  // namespace
}  // namespace sotto::apps
