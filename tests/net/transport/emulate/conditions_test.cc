#include "sotto/net/transport/emulate/conditions.h"

#include <gtest/gtest.h>

#include <rapidcheck/gtest.h>

#include "sotto/core/error/errors.h"

namespace sotto::net {
namespace {

using namespace std::chrono_literals;

TEST(LinkConditions, UnitsAreRead) {
  EXPECT_EQ(parse_delay("20ms", "x"), 20ms);
  EXPECT_EQ(parse_delay("0.5ms", "x"), 500us);
  EXPECT_EQ(parse_delay("7us", "x"), 7us);
  EXPECT_EQ(parse_delay("2s", "x"), 2s);
  EXPECT_EQ(parse_delay("0us", "x"), 0s);
  EXPECT_EQ(parse_rate("10kbit", "x"), 10'000u);
  EXPECT_EQ(parse_rate("100mbit", "x"), 100'000'000u);
  EXPECT_EQ(parse_rate("2.5gbit", "x"), 2'500'000'000u);
  LinkConditions conditions;
  parse_loss("1.5s", "x", conditions);
  EXPECT_EQ(conditions.cut_after, std::optional<std::chrono::nanoseconds>(1500ms));
  EXPECT_EQ(loss_text(conditions), "1.5s");
  conditions = {};
  parse_loss("0.25/s", "x", conditions);
  EXPECT_EQ(conditions.cut_probability, 0.25);
  EXPECT_EQ(loss_text(conditions), "0.25/s");
  EXPECT_EQ(loss_text({}), "");
}

template <class Parse>
std::string refusal(Parse parse) {
  try {
    parse();
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(LinkConditions, WhatIsNoQuantityIsRefused) {
  for (const char* text : {"", "20", "ms", "20 ms", "20min", "-1ms", "-0ms", "3s", "1e300s", "nanms", "infs", "20msx",
                           "0x10ms", "20MS", "+1ms", "20ms "}) {
    const std::string says = refusal([&] { (void)parse_delay(text, "--link-delay"); });
    EXPECT_EQ(says.find("--link-delay: '" + std::string(text) + "' is no time of a link"), 0u) << says;
  }
  for (const char* text :
       {"", "100", "mbit", "100mbps", "0mbit", "1kbit", "-5mbit", "2000gbit", "inf gbit", "infgbit", "1e99gbit"}) {
    const std::string says = refusal([&] { (void)parse_rate(text, "--link-rate"); });
    EXPECT_EQ(says.find("--link-rate: '" + std::string(text) + "' is no rate of a link"), 0u) << says;
  }
  for (const char* text : {"", "0s", "0/s", "1/s", "2/s", "-0.1/s", "0.1", "nan/s", "0.1/m"}) {
    LinkConditions conditions;
    const std::string says = refusal([&] { parse_loss(text, "--link-loss", conditions); });
    EXPECT_EQ(says.find("--link-loss: '" + std::string(text) + "' is no loss of a link"), 0u) << says;
    EXPECT_FALSE(conditions.emulated());
  }
}

RC_GTEST_PROP(LinkConditions, TextsParseToTheSameValue, ()) {
  const std::chrono::nanoseconds delay(*rc::gen::inRange<std::int64_t>(0, 2'000'000'001));
  RC_ASSERT(parse_delay(delay_text(delay), "x") == delay);
  const auto rate = *rc::gen::inRange<std::uint64_t>(10'000, 1'000'000'000'000);
  RC_ASSERT(parse_rate(rate_text(rate), "x") == rate);
}

TEST(LinkConditions, AreDescribed) {
  EXPECT_EQ(describe({}), "");
  LinkConditions conditions{20ms, 1500us, 100'000'000};
  conditions.cut_after = 90s;
  EXPECT_EQ(describe(conditions), "delay 20ms, jitter 1.5ms, rate 100mbit, loss 90s");
  EXPECT_EQ(describe({0ms, 0ms, 1'000'000'000}), "rate 1gbit");
}

TEST(LinkConditions, TransferTakesBytesOverRate) {
  EXPECT_EQ(transfer_time({}, 1'000'000), 0s);
  EXPECT_EQ(transfer_time({0ms, 0ms, 100'000'000}, 1'250'000), 100ms);
  EXPECT_EQ(transfer_time({0ms, 0ms, 3'000'000'000}, 1), 3ns);  // rounded up
}

}  // namespace
}  // namespace sotto::net
