#include "sotto/apps/kit/dp/budget.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tests/apps/support.h"

namespace sotto::apps {
namespace {

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
  const std::string message = error_of([&] { budget.spend(); });
  EXPECT_THAT(message, StartsWith("privacy budget: epsilon 1 at delta 1e-05"));
  EXPECT_THAT(message, HasSubstr("3 of 3"));
  EXPECT_EQ(budget.rho_spent(), rho);
  EXPECT_EQ(budget.releases(), 3U);
}

TEST(Budget, TakesUnequalCosts) {
  Budget budget({2, 1e-6, Composition::zcdp, 10, 1});
  const double rho = rho_of(2, 1e-6);
  budget.spend({Composition::zcdp, rho * 0.7, 0});
  EXPECT_THAT(error_of([&] { budget.spend({Composition::zcdp, rho * 0.31, 0}); }), StartsWith("privacy budget"));
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
  EXPECT_THAT(error_of([&] { budget.spend(); }), StartsWith("privacy budget"));
}

// Computed by another program: 6 releases of 4 coordinates at (1, 1e-5).
TEST(Budget, NestsAdvancedComposition) {
  Budget budget({1, 1e-5, Composition::nested, 6, 4});
  EXPECT_NEAR(budget.share().epsilon, 0.00747968191083, 1e-12);
  for (int i = 0; i < 6; ++i) budget.spend();
  EXPECT_NEAR(budget.epsilon_spent(), 1, 1e-9);
  EXPECT_THAT(error_of([&] { budget.spend(); }), StartsWith("privacy budget"));
  EXPECT_THROW(budget.spend({Composition::nested, 0, 0.5}), std::invalid_argument);
  EXPECT_NEAR(Budget({1, 1e-5, Composition::nested, 1, 4}).share().epsilon, 0.0998304286438, 1e-10);
  EXPECT_NEAR(Budget({1, 1e-5, Composition::nested, 6, 1}).share().epsilon, 0.0815415286179, 1e-10);
  EXPECT_EQ(Budget({1, 1e-5, Composition::nested, 1, 1}).share().epsilon, 1);
}

// What the choice costs, for the reference's 6 releases of 4 coordinates: Laplace noise for the mean is 9.5 times as
// large, and the range 19 times as blunt.
TEST(Budget, NestingCostsAnOrderOfMagnitude) {
  const ReleaseShare zcdp = Budget({1, 1e-5, Composition::zcdp, 6, 4}).share();
  const ReleaseShare nested = Budget({1, 1e-5, Composition::nested, 6, 4}).share();
  const double rho = zcdp.rho / 4;  // a coordinate; half for the range, half for the mean
  EXPECT_NEAR(std::sqrt(rho) / (nested.epsilon / 2), 9.5, 0.1);
  EXPECT_NEAR(std::sqrt(rho) / (nested.epsilon / 4), 19.1, 0.1);
}

RC_GTEST_PROP(Budget, IsNeverOverspent, ()) {
  const auto composition = *rc::gen::element(Composition::zcdp, Composition::basic, Composition::nested);
  const double epsilon = std::exp(*rc::gen::inRange(-500, 400) / 100.0);
  const double delta = std::exp(-*rc::gen::inRange(10, 3000) / 100.0);
  const auto releases = *rc::gen::inRange<std::size_t>(1, 40);
  const auto coordinates = *rc::gen::inRange<std::size_t>(1, 1000);
  Budget budget({epsilon, delta, composition, releases, coordinates});
  double last = 0;
  for (std::size_t i = 0; i < releases; ++i) {
    budget.spend();
    RC_ASSERT(budget.epsilon_spent() >= last);
    RC_ASSERT(budget.epsilon_spent() <= epsilon);
    last = budget.epsilon_spent();
  }
  RC_ASSERT(budget.releases() == releases);
  RC_ASSERT_THROWS_AS(budget.spend(), InputError);
  RC_ASSERT(budget.epsilon_spent() == last);
  RC_ASSERT(budget.releases() == releases);
}

TEST(Budget, RefusesWhatIsNoBudget) {
  const auto make = [](double epsilon, double delta) {
    return error_of([&] { Budget({epsilon, delta, Composition::zcdp, 1, 1}); });
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
  EXPECT_THAT(error_of([] { (void)parse_composition("rdp", "--composition"); }),
              StartsWith("--composition: 'rdp' is none of"));
}

}  // namespace
}  // namespace sotto::apps
