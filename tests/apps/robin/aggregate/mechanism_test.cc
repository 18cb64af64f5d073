#include "sotto/apps/robin/aggregate/mechanism.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include "sotto/apps/kit/dp/accountant.h"
#include "sotto/core/error/errors.h"

namespace sotto::apps {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

AggregateSettings settings_with(const ReleaseShare& share, NoiseKind noise) {
  AggregateSettings settings;
  settings.dimension = 5;
  settings.bound = 1;
  settings.tau = 0.05;
  settings.noise = noise;
  settings.share = share;
  return settings;
}

double value(Ratio ratio) {
  return static_cast<double>(ratio.numerator) / static_cast<double>(ratio.denominator);
}

// What a release really costs, from the mechanism's numbers alone: the sum of one coordinate moves by
// at most 4 tau when one estimate is replaced, the range has 2 eta.
double rho_spent(const AggregateMechanism& mechanism, NoiseKind noise) {
  const double sensitivity = 4 * static_cast<double>(mechanism.tau);
  const double mean = noise == NoiseKind::gaussian
                          ? rho_of_gaussian(sensitivity, std::sqrt(value(mechanism.noise)))
                          : rho_of_pure(sensitivity / value(mechanism.noise));
  const double range = mechanism.draws_range ? rho_of_bounded_range(2 * value(mechanism.eta)) : 0;
  return static_cast<double>(mechanism.padded) * (mean + range);
}

double epsilon_spent(const AggregateMechanism& mechanism) {
  const double range = mechanism.draws_range ? 2 * value(mechanism.eta) : 0;
  return range + 4 * static_cast<double>(mechanism.tau) / value(mechanism.noise);
}

RC_GTEST_PROP(AggregateMechanism, SpendsItsShareAndNoMore, ()) {
  const auto noise = *rc::gen::element(NoiseKind::gaussian, NoiseKind::laplace);
  const double rho = std::exp(*rc::gen::inRange(-1200, 300) / 100.0);
  AggregateSettings settings = settings_with({Composition::zcdp, rho, 0}, noise);
  settings.dimension = *rc::gen::inRange<std::size_t>(1, 200);
  settings.tau = std::exp(*rc::gen::inRange(-1000, 100) / 100.0);
  if (*rc::gen::arbitrary<bool>()) settings.around = std::vector<double>(settings.dimension);
  const AggregateMechanism mechanism = mechanism_of(settings);
  RC_ASSERT(rho_spent(mechanism, noise) <= rho);
  RC_ASSERT(rho_spent(mechanism, noise) >= 0.99 * rho);
}

RC_GTEST_PROP(AggregateMechanism, SpendsItsEpsilonAndNoMore, ()) {
  const auto composition = *rc::gen::element(Composition::basic, Composition::nested);
  const double epsilon = std::exp(*rc::gen::inRange(-600, 200) / 100.0);
  AggregateSettings settings = settings_with({composition, 0, epsilon}, NoiseKind::laplace);
  settings.tau = std::exp(*rc::gen::inRange(-1000, 100) / 100.0);
  const AggregateMechanism mechanism = mechanism_of(settings);
  RC_ASSERT(epsilon_spent(mechanism) <= epsilon);
  RC_ASSERT(epsilon_spent(mechanism) >= 0.99 * epsilon);
}

TEST(AggregateMechanism, SplitsHalfAndHalf) {
  const AggregateMechanism zcdp =
      mechanism_of(settings_with({Composition::zcdp, 0.8, 0}, NoiseKind::gaussian));
  EXPECT_EQ(zcdp.padded, 8U);
  EXPECT_NEAR(value(zcdp.eta), std::sqrt(0.1), 1e-6);  // rho = 0.1 a coordinate
  EXPECT_NEAR(zcdp.noise_scale * zcdp.rotated_step, 4 * 0.05 / std::sqrt(0.1), 1e-6);
  const AggregateMechanism basic =
      mechanism_of(settings_with({Composition::basic, 0, 0.4}, NoiseKind::laplace));
  EXPECT_NEAR(value(basic.eta), 0.1, 1e-6);
  EXPECT_NEAR(basic.noise_scale * basic.rotated_step, 8 * 0.05 / 0.4, 1e-6);
  EXPECT_NEAR(basic.noise_sd, std::sqrt(2) * basic.noise_scale, 1e-6 * basic.noise_sd);
}

TEST(AggregateMechanism, CoversTheBoundWithBins) {
  AggregateSettings settings = settings_with({Composition::zcdp, 1, 0}, NoiseKind::gaussian);
  for (const double tau : {0.9, 0.5, 1.0 / 3, 0.1, 0.0123}) {
    settings.tau = tau;
    const AggregateMechanism mechanism = mechanism_of(settings);
    const double covered = tau * static_cast<double>(mechanism.bins());
    EXPECT_GE(covered, settings.bound);
    EXPECT_LT(covered, settings.bound + 2 * tau);
    EXPECT_TRUE(mechanism.draws_range);
  }
  settings.tau = 1;  // one bin holds all
  EXPECT_EQ(mechanism_of(settings).bins(), 1U);
  EXPECT_FALSE(mechanism_of(settings).draws_range);
}

TEST(AggregateMechanism, RefusesWhatCannotWork) {
  const AggregateSettings good = settings_with({Composition::zcdp, 0.1, 0}, NoiseKind::gaussian);
  const auto message = [](AggregateSettings settings) -> std::string {
    try {
      (void)mechanism_of(settings);
    } catch (const InputError& error) {
      return error.what();
    }
    return "no error";
  };
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double wrong : {0.0, -1.0, infinity, std::nan("")}) {
    AggregateSettings settings = good;
    settings.tau = wrong;
    EXPECT_THAT(message(settings), StartsWith("--tau: "));
    settings = good;
    settings.bound = wrong;
    EXPECT_THAT(message(settings), StartsWith("--bound: "));
    settings = good;
    settings.share.rho = wrong;
    EXPECT_THROW((void)mechanism_of(settings), std::invalid_argument);
  }
  AggregateSettings settings = good;
  settings.tau = 1e-7;
  EXPECT_THAT(message(settings), HasSubstr("2^20 bins"));
  settings = good;
  settings.share = {Composition::nested, 0, 0.1};
  EXPECT_THAT(message(settings), StartsWith("--noise: "));
  settings = good;
  settings.share.rho = 1e-14;
  EXPECT_THAT(message(settings), StartsWith("--eps: too small"));
  settings = good;
  settings.around = std::vector<double>(4);
  EXPECT_THROW((void)mechanism_of(settings), std::invalid_argument);
  settings.dimension = 0;
  EXPECT_THROW((void)mechanism_of(settings), std::invalid_argument);
}

}  // namespace
}  // namespace sotto::apps
