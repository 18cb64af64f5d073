#include "sotto/apps/kit/dp/budget.h"
#include "tests/apps/support.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace sotto::apps {
namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

// Exact for Gaussian noise of sensitivity 1 and variance 1 / (2 rho) (Balle, Wang 2018, theorem 8): no conversion from
// rho can promise less.
double delta_of_gaussian(double rho, double epsilon) {
  const double mu = std::sqrt(2 * rho);
  const auto phi = [](double x) { return std::erfc(-x / std::sqrt(2.0)) / 2; };
  return phi(mu / 2 - epsilon / mu) - std::exp(epsilon) * phi(-mu / 2 - epsilon / mu);
}

// The Renyi divergence of order alpha between randomized responses that are exactly epsilon-DP.
double renyi_of_randomized_response(double epsilon, double alpha) {
  const double p = 1 / (1 + std::exp(-epsilon));
  const double q = 1 - p;
  return std::log(std::pow(p, alpha) * std::pow(q, 1 - alpha) + std::pow(q, alpha) * std::pow(p, 1 - alpha)) /
         (alpha - 1);
}

// Minimised over a grid of alpha by another program, in the form solved for epsilon.
TEST(Accountant, AgreesWithMinimaFoundElsewhere) {
  EXPECT_NEAR(epsilon_of(0.1, 1e-5), 1.9142388320, 1e-9);
  EXPECT_NEAR(epsilon_of(1, 1e-6), 7.7662166253, 1e-9);
  EXPECT_NEAR(epsilon_of(0.005, 1e-5), 0.3752612357, 1e-9);
  EXPECT_NEAR(epsilon_of(50, 1e-9), 112.6649549683, 1e-8);
  EXPECT_NEAR(rho_of(0.5, 1e-5), 0.00850553059118, 1e-12);
  EXPECT_NEAR(rho_of(1, 1e-5), 0.0305565951976, 1e-12);
  EXPECT_NEAR(rho_of(3, 1e-5), 0.224249168246, 1e-11);
  EXPECT_NEAR(rho_of(10, 1e-5), 1.78269561633, 1e-10);
  EXPECT_NEAR(rho_of(1, 1e-9), 0.0149730576736, 1e-12);
  EXPECT_NEAR(delta_of(0.1, 1), 0.00893324577182, 1e-12);
  EXPECT_NEAR(delta_of(0.5, 3), 0.00514318406386, 1e-12);
  EXPECT_NEAR(delta_of(0.02, 1), 8.82525498722e-08, 1e-18);
}

// The United States census of 2020 published rho = 2.56 and (17.14, 1e-10) for its file of persons, 0.07 and (2.47,
// 1e-10) for its file of households; the rhos are rounded.
TEST(Accountant, AgreesWithTheCensusOf2020) {
  EXPECT_LT(epsilon_of(2.555, 1e-10), 17.14 + 0.005);
  EXPECT_GT(epsilon_of(2.565, 1e-10), 17.14);
  EXPECT_LT(epsilon_of(0.065, 1e-10), 2.47);
  EXPECT_GT(epsilon_of(0.075, 1e-10), 2.47);
}

TEST(Accountant, LiesBetweenTheExactGaussianAndTheFirstConversion) {
  for (const double rho : {1e-4, 0.003, 0.05, 0.5, 3.0, 40.0}) {
    for (const double factor : {0.5, 1.0, 2.0, 5.0}) {
      const double epsilon = rho + factor * std::sqrt(rho);
      const double delta = delta_of(rho, epsilon);
      EXPECT_GE(delta, delta_of_gaussian(rho, epsilon)) << rho << " " << epsilon;
      EXPECT_LE(delta, std::exp(-(epsilon - rho) * (epsilon - rho) / (4 * rho))) << rho;
    }
  }
}

RC_GTEST_PROP(Accountant, ConvertsThereAndBack, ()) {
  const double epsilon = std::exp(*rc::gen::inRange(-700, 500) / 100.0);
  const double delta = std::exp(-*rc::gen::inRange(1, 4000) / 100.0);
  const double rho = rho_of(epsilon, delta);
  RC_ASSERT(rho > 0);
  // Never beyond the budget, and no less than it by more than rounding.
  RC_ASSERT(epsilon_of(rho, delta) <= epsilon * (1 + 1e-11));
  RC_ASSERT(epsilon_of(rho, delta) >= epsilon * (1 - 1e-6) || delta_of(rho, 0) <= delta);
  RC_ASSERT(delta_of(rho, epsilon) <= delta * (1 + 1e-9));
}

RC_GTEST_PROP(Accountant, CostsMoreForMore, ()) {
  const double rho = std::exp(*rc::gen::inRange(-800, 300) / 100.0);
  const double delta = std::exp(-*rc::gen::inRange(10, 4000) / 100.0);
  RC_ASSERT(epsilon_of(1.01 * rho, delta) >= epsilon_of(rho, delta));
  RC_ASSERT(epsilon_of(rho, delta / 2) >= epsilon_of(rho, delta));
  RC_ASSERT(epsilon_of(rho, delta) <= rho + 2 * std::sqrt(rho * -std::log(delta)) * (1 + 1e-9));
}

TEST(Accountant, NothingCostsNothing) {
  EXPECT_EQ(epsilon_of(0, 1e-5), 0);
  EXPECT_EQ(rho_of(0, 1e-5), 0);
  EXPECT_EQ(delta_of(0, 0), 0);
  EXPECT_LE(delta_of(500, 0), 1);
}

// The costs of mechanisms, against Renyi divergences of the worst ones there are.
TEST(Accountant, PureMechanismsCostNoMoreThanStated) {
  for (const double epsilon : {0.01, 0.3, 1.0, 4.0}) {
    double worst = 0;
    for (double alpha = 1.001; alpha < 200; alpha *= 1.1) {
      const double divergence = renyi_of_randomized_response(epsilon, alpha);
      if (std::isfinite(divergence)) worst = std::max(worst, divergence / alpha);
    }
    EXPECT_LE(worst, rho_of_pure(epsilon));
    if (epsilon <= 0.3) {
      EXPECT_GE(worst, 0.95 * rho_of_pure(epsilon));
    }
  }
}

// A choice between two with probabilities that are shifted by t of a range epsilon: log-ratios t and t - epsilon. The
// best t for the adversary stays below epsilon^2 / 8, and comes near it.
TEST(Accountant, BoundedRangeCostsNoMoreThanStated) {
  for (const double epsilon : {0.02, 0.5, 2.0}) {
    double worst = 0;
    for (double part = 0.01; part < 1; part += 0.01) {
      const double t = part * epsilon;
      // p e^t' + ... : q1 = p1 exp(-t), q2 = p2 exp(epsilon - t), both summing to 1.
      const double p = std::expm1(epsilon - t) / (std::exp(epsilon - t) - std::exp(-t));
      for (double alpha = 1.001; alpha < 100; alpha *= 1.1) {
        const double moment = p * std::exp((alpha - 1) * t) + (1 - p) * std::exp((alpha - 1) * (t - epsilon));
        worst = std::max(worst, std::log(moment) / (alpha - 1) / alpha);
      }
    }
    EXPECT_LE(worst, rho_of_bounded_range(epsilon) * (1 + 1e-9));
    EXPECT_GE(worst, 0.94 * rho_of_bounded_range(epsilon));
  }
}

TEST(AdvancedComposition, IsThatOfTheLemma) {
  EXPECT_NEAR(advanced_composition(0.1, 10, 1e-5), 1.62259804746, 1e-10);
  EXPECT_NEAR(advanced_composition(0.5, 3, 1e-6), 5.52536329421, 1e-10);
  EXPECT_NEAR(advanced_share(1, 4, 1e-5), 0.0998304286438, 1e-11);
  EXPECT_NEAR(advanced_share(1, 6, 1e-5), 0.0815415286179, 1e-11);
  EXPECT_EQ(advanced_share(0, 6, 1e-5), 0);
}

RC_GTEST_PROP(AdvancedComposition, SharesComposeToTheWhole, ()) {
  const double total = std::exp(*rc::gen::inRange(-500, 400) / 100.0);
  const auto count = *rc::gen::inRange<std::uint64_t>(1, 100000);
  const double delta = std::exp(-*rc::gen::inRange(1, 4000) / 100.0);
  const double share = advanced_share(total, count, delta);
  RC_ASSERT(advanced_composition(share, count, delta) <= total);
  RC_ASSERT(advanced_composition(share * (1 + 1e-9), count, delta) > total);
}

TEST(Accountant, RefusesWhatIsNoCost) {
  EXPECT_THROW((void)epsilon_of(-1, 0.1), std::invalid_argument);
  EXPECT_THROW((void)epsilon_of(not_a_number, 0.1), std::invalid_argument);
  EXPECT_THROW((void)epsilon_of(1, 0), std::invalid_argument);
  EXPECT_THROW((void)epsilon_of(1, 1), std::invalid_argument);
  EXPECT_THROW((void)rho_of(1, not_a_number), std::invalid_argument);
  EXPECT_THROW((void)rho_of(-1, 0.5), std::invalid_argument);
  EXPECT_THROW((void)delta_of(1, -1), std::invalid_argument);
  EXPECT_THROW((void)advanced_composition(1, 0, 0.1), std::invalid_argument);
  EXPECT_THROW((void)advanced_share(1, 1, 2), std::invalid_argument);
}

}  // namespace
}  // namespace sotto::apps
