#include "sotto/apps/kit/files/rounded.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <cstdlib>
#include <limits>

namespace sotto::apps {
namespace {

TEST(Rounded, UpToFourDigits) {
  EXPECT_EQ(advised(std::sqrt(2.0)), "1.415");
  EXPECT_EQ(advised(11.31370849898476), "11.32");
  EXPECT_EQ(advised(1), "1");
  EXPECT_EQ(advised(1.5), "1.5");
  EXPECT_EQ(advised(8 * (1 + 1e-12)), "8");
  EXPECT_EQ(advised(7.99951), "8");
  EXPECT_EQ(advised(0.00012345678), "0.0001235");
  EXPECT_EQ(advised(0), "0");
  EXPECT_EQ(advised(-0.125), "-0.125");
  EXPECT_EQ(advised(std::numeric_limits<double>::infinity()), "inf");
  EXPECT_EQ(rounded_up(0.1234, 2), 0.13);
}

RC_GTEST_PROP(Rounded, WhatIsAdvisedIsNeverTooLittle, ()) {
  const double value = std::ldexp(1 + *rc::gen::inRange(0, 1 << 30) / std::ldexp(1.0, 30),
                                  *rc::gen::inRange(-100, 100));
  const double read = std::strtod(advised(value).c_str(), nullptr);
  RC_ASSERT(read >= value * (1 - 1e-9));
  RC_ASSERT(read <= value * 1.001 * (1 + 1e-9));
}

}  // namespace
}  // namespace sotto::apps
