#include "apps/kit/dp/budget.h"
#include "tests/apps/support.h"
#include "tests/properties.h"

namespace sotto::apps {
namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

// The exact delta of Gaussian noise of sensitivity 1 and variance 1 / (2 rho) (Balle, Wang 2018, theorem 8). No
// conversion from rho can promise a smaller delta.
double delta_of_gaussian(double rho, double epsilon) {
  const double mu = std::sqrt(2 * rho);
  const auto phi = [](double x) { return std::erfc(-x / std::sqrt(2.0)) / 2; };
  return phi(mu / 2 - epsilon / mu) - std::exp(epsilon) * phi(-mu / 2 - epsilon / mu);
}

// Another program computed the expected values, as the minimum over a grid of alpha.
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

// The United States census of 2020 published rho = 2.56 and (17.14, 1e-10) for its file of persons, and rho = 0.07 and
// (2.47, 1e-10) for its file of households. The published values of rho are rounded.
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

PROPERTY(Accountant, ConvertsThereAndBack) {
  const double epsilon = std::exp(draw_in_range(-700, 500) / 100.0);
  const double delta = std::exp(-draw_in_range(1, 4000) / 100.0);
  const double rho = rho_of(epsilon, delta);
  HOLDS(rho > 0);
  HOLDS(epsilon_of(rho, delta) <= epsilon * (1 + 1e-11));
  HOLDS(epsilon_of(rho, delta) >= epsilon * (1 - 1e-6) || delta_of(rho, 0) <= delta);
  HOLDS(delta_of(rho, epsilon) <= delta * (1 + 1e-9));
}

PROPERTY(Accountant, CostsMoreForMore) {
  const double rho = std::exp(draw_in_range(-800, 300) / 100.0);
  const double delta = std::exp(-draw_in_range(10, 4000) / 100.0);
  HOLDS(epsilon_of(1.01 * rho, delta) >= epsilon_of(rho, delta));
  HOLDS(epsilon_of(rho, delta / 2) >= epsilon_of(rho, delta));
  HOLDS(epsilon_of(rho, delta) <= rho + 2 * std::sqrt(rho * -std::log(delta)) * (1 + 1e-9));
}

TEST(Accountant, NothingCostsNothing) {
  EXPECT_EQ(epsilon_of(0, 1e-5), 0);
  EXPECT_EQ(rho_of(0, 1e-5), 0);
  EXPECT_EQ(delta_of(0, 0), 0);
  EXPECT_LE(delta_of(500, 0), 1);
}

TEST(AdvancedComposition, IsThatOfTheLemma) {
  EXPECT_NEAR(advanced_composition(0.1, 10, 1e-5), 1.62259804746, 1e-10);
  EXPECT_NEAR(advanced_composition(0.5, 3, 1e-6), 5.52536329421, 1e-10);
  EXPECT_NEAR(advanced_share(1, 4, 1e-5), 0.0998304286438, 1e-11);
  EXPECT_NEAR(advanced_share(1, 6, 1e-5), 0.0815415286179, 1e-11);
  EXPECT_EQ(advanced_share(0, 6, 1e-5), 0);
}

PROPERTY(AdvancedComposition, SharesComposeToTheWhole) {
  const double total = std::exp(draw_in_range(-500, 400) / 100.0);
  const auto count = draw_in_range<std::uint64_t>(1, 100000);
  const double delta = std::exp(-draw_in_range(1, 4000) / 100.0);
  const double share = advanced_share(total, count, delta);
  HOLDS(advanced_composition(share, count, delta) <= total);
  HOLDS(advanced_composition(share * (1 + 1e-9), count, delta) > total);
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

TEST(Budget, SharesAndStops) {
  Budget budget({1, 1e-5, Composition::zcdp, 3, 4});
  EXPECT_NEAR(budget.share().rho, 0.0305565951976 / 3, 1e-12);
  EXPECT_EQ(budget.epsilon_spent(), 0);
  EXPECT_EQ(budget.delta_spent(), 0);
  budget.spend();
  EXPECT_NEAR(budget.epsilon_spent(), epsilon_of(budget.share().rho, 1e-5), 1e-12);
  EXPECT_EQ(budget.delta_spent(), 1e-5);
  budget.spend();
  budget.spend();
  EXPECT_NEAR(budget.epsilon_spent(), 1, 1e-9);
  const double rho = budget.rho_spent();
  const std::string message = error_of<InputError>([&] { budget.spend(); });
  EXPECT_THAT(message, AllOf(StartsWith("privacy budget: epsilon 1 at delta 1e-05"), HasSubstr("3 of 3")));
  EXPECT_EQ(budget.rho_spent(), rho);
  EXPECT_EQ(budget.releases(), 3U);
}

TEST(Budget, TakesUnequalCosts) {
  Budget budget({2, 1e-6, Composition::zcdp, 10, 1});
  const double rho = rho_of(2, 1e-6);
  budget.spend({Composition::zcdp, rho * 0.7, 0});
  EXPECT_THAT(error_of<InputError>([&] {
                budget.spend({Composition::zcdp, rho * 0.31, 0});
              }),
              StartsWith("privacy budget"));
  EXPECT_EQ(budget.releases(), 1U);
  budget.spend({Composition::zcdp, rho * 0.29, 0});
  EXPECT_LE(budget.epsilon_spent(), 2);
  EXPECT_THROW(budget.spend({Composition::zcdp, 0, 0}), std::invalid_argument);
  EXPECT_THROW(budget.spend({Composition::zcdp, std::nan(""), 0}), std::invalid_argument);
  EXPECT_THROW(budget.spend({Composition::basic, 0, 0.1}), std::invalid_argument);
}

TEST(Budget, BasicAddsEpsilonsAndNeedsNoDelta) {
  Budget budget({1, 1e-5, Composition::basic, 2, 5});
  EXPECT_NEAR(budget.share().epsilon, 0.1, 1e-12);
  budget.spend();
  EXPECT_NEAR(budget.epsilon_spent(), 0.5, 1e-12);
  budget.spend();
  EXPECT_NEAR(budget.epsilon_spent(), 1, 1e-11);
  EXPECT_LE(budget.epsilon_spent(), 1);
  EXPECT_EQ(budget.delta_spent(), 0);
  EXPECT_THAT(error_of<InputError>([&] { budget.spend(); }), StartsWith("privacy budget"));
}

// Another program computed the expected values.
TEST(Budget, NestsAdvancedComposition) {
  Budget budget({1, 1e-5, Composition::nested, 6, 4});
  EXPECT_NEAR(budget.share().epsilon, 0.00747968191083, 1e-12);
  for (int i = 0; i < 6; ++i) budget.spend();
  EXPECT_NEAR(budget.epsilon_spent(), 1, 1e-9);
  EXPECT_THAT(error_of<InputError>([&] { budget.spend(); }), StartsWith("privacy budget"));
  EXPECT_THROW(budget.spend({Composition::nested, 0, 0.5}), std::invalid_argument);
  EXPECT_NEAR(Budget({1, 1e-5, Composition::nested, 1, 4}).share().epsilon, 0.0998304286438, 1e-10);
  EXPECT_NEAR(Budget({1, 1e-5, Composition::nested, 6, 1}).share().epsilon, 0.0815415286179, 1e-10);
  EXPECT_EQ(Budget({1, 1e-5, Composition::nested, 1, 1}).share().epsilon, 1);
}

// The advanced bound is sqrt(2 k ln(1/delta)) epsilon + k epsilon (e^epsilon - 1). For k = 1 and k = 2, the advanced
// bound is below epsilon at large deltas, and above epsilon at small deltas. The budget always charges the smaller of
// the two.
TEST(Budget, ASecondReleaseOfOneNumberTakesNothingBack) {
  for (const double delta : {0.95, 0.9, 0.7, 0.5, 1e-5}) {
    Budget budget({0.1, delta, Composition::nested, 2, 1});
    const double epsilon = budget.share().epsilon;
    budget.spend();
    EXPECT_EQ(budget.epsilon_spent(), std::min(epsilon, advanced_composition(epsilon, 1, delta))) << delta;
    const double one = budget.epsilon_spent();
    budget.spend();
    EXPECT_GT(budget.epsilon_spent(), one) << delta;
    EXPECT_LE(budget.epsilon_spent(), 0.1) << delta;
  }
}

// For 6 releases of 4 coordinates, Laplace noise for the mean is 9.5 times as large with nested composition as with
// zcdp. The private range is 19 times less accurate.
TEST(Budget, NestingCostsAnOrderOfMagnitude) {
  const ReleaseShare zcdp = Budget({1, 1e-5, Composition::zcdp, 6, 4}).share();
  const ReleaseShare nested = Budget({1, 1e-5, Composition::nested, 6, 4}).share();
  const double rho = zcdp.rho / 4;
  EXPECT_NEAR(std::sqrt(rho) / (nested.epsilon / 2), 9.5, 0.1);
  EXPECT_NEAR(std::sqrt(rho) / (nested.epsilon / 4), 19.1, 0.1);
}

PROPERTY(Budget, IsNeverOverspent) {
  const auto composition = draw_one_of({Composition::zcdp, Composition::basic, Composition::nested});
  const double epsilon = std::exp(draw_in_range(-500, 400) / 100.0);
  const double delta = std::exp(-draw_in_range(10, 3000) / 100.0);
  const auto releases = draw_in_range<std::size_t>(1, 40);
  const auto coordinates = draw_in_range<std::size_t>(1, 1000);
  Budget budget({epsilon, delta, composition, releases, coordinates});
  double last = 0;
  for (std::size_t i = 0; i < releases; ++i) {
    budget.spend();
    HOLDS(budget.epsilon_spent() >= last);
    HOLDS(budget.epsilon_spent() <= epsilon);
    last = budget.epsilon_spent();
  }
  HOLDS(budget.releases() == releases);
  HOLDS(error_of<InputError>([&] { budget.spend(); }) != "");
  HOLDS(budget.epsilon_spent() == last);
  HOLDS(budget.releases() == releases);
}

TEST(Budget, RefusesWhatIsNoBudget) {
  const auto make = [](double epsilon, double delta) {
    return error_of<InputError>([&] { Budget({epsilon, delta, Composition::zcdp, 1, 1}); });
  };
  EXPECT_EQ(make(0, 1e-5), "--eps: 0 is not a finite number above 0");
  EXPECT_EQ(make(-1, 1e-5), "--eps: -1 is not a finite number above 0");
  EXPECT_THAT(make(std::numeric_limits<double>::infinity(), 1e-5), StartsWith("--eps: inf"));
  EXPECT_THAT(make(std::nan(""), 1e-5), StartsWith("--eps: nan"));
  EXPECT_EQ(make(1e6, 1e-5), "");
  EXPECT_EQ(make(1e308, 1e-5), "--eps: 1e+308 is above 1e+06: no promise at all; 1 is a common one");
  EXPECT_EQ(make(1, 0), "--delta: 0 is not between 0 and 1, both excluded");
  EXPECT_THAT(make(1, 1), StartsWith("--delta: 1"));
  EXPECT_THAT(make(1, std::nan("")), StartsWith("--delta: nan"));
  EXPECT_THROW(Budget({1, 1e-5, Composition::zcdp, 0, 1}), std::invalid_argument);
  EXPECT_THROW(Budget({1, 1e-5, Composition::zcdp, 1, 0}), std::invalid_argument);
}

TEST(Composition, HasNames) {
  for (const Composition c : {Composition::zcdp, Composition::basic, Composition::nested}) {
    EXPECT_EQ(parse_composition(name_of(c), "x"), c);
  }
  EXPECT_THAT(error_of<InputError>([] { (void)parse_composition("rdp", "--composition"); }),
              StartsWith("--composition: 'rdp' is none of"));
}

}  // namespace
}  // namespace sotto::apps
