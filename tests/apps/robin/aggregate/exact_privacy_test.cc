// The promise of a release in one dimension, computed instead of tried: for given neighbours, the chance of each range
// and the noise round each clipped sum give the exact delta at an epsilon. Costs of bins and sums are computed here
// anew; eta and the noise are the mechanism's.
#include "sotto/apps/kit/dp/budget.h"
#include "sotto/apps/robin/aggregate/mechanism.h"
#include "tests/properties.h"

namespace sotto::apps {
namespace {

using Numbers = std::vector<double>;

// What a bin contributes to a release: its probability, and the clipped sum in units of tau.
struct PossibleOutcome {
  double chance = 0;
  double sum = 0;
};

struct Parameters {
  double tau = 1;
  double eta = 0;
  double noise = 0;  // in units of tau: Laplace's scale, or the Gaussian's standard deviation
  std::int64_t reach = 0;
};

Parameters parameters_of(const AggregateSettings& settings) {
  const AggregateMechanism mechanism = mechanism_of(settings);
  return {settings.tau, static_cast<double>(mechanism.eta.numerator) / static_cast<double>(mechanism.eta.denominator),
          mechanism.noise_scale / static_cast<double>(mechanism.tau), mechanism.reach};
}

double cost_of(const Numbers& estimates, double centre) {
  const auto below = std::count_if(estimates.begin(), estimates.end(), [&](double x) { return x < centre - 1; });
  const auto above = std::count_if(estimates.begin(), estimates.end(), [&](double x) { return x >= centre + 1; });
  return static_cast<double>(std::max(below, above));
}

std::vector<PossibleOutcome> outcomes_of(const Numbers& estimates, const Parameters& parameters) {
  Numbers scaled;  // in units of tau, within the outermost bins
  const double end = 2 * static_cast<double>(parameters.reach);
  for (const double x : estimates) scaled.push_back(std::clamp(x / parameters.tau, -end - 1, end + 0.999));
  std::vector<PossibleOutcome> outcomes;
  double total = 0;
  for (std::int64_t bin = -parameters.reach; bin <= parameters.reach; ++bin) {
    const double centre = 2 * static_cast<double>(bin);
    PossibleOutcome outcome{std::exp(-parameters.eta * cost_of(scaled, centre)), 0};
    for (const double x : scaled) outcome.sum += std::clamp(x - centre, -2.0, 2.0);
    total += outcome.chance;
    outcomes.push_back(outcome);
  }
  for (PossibleOutcome& outcome : outcomes) outcome.chance /= total;
  return outcomes;
}

double upper_tail(double x) { return std::erfc(x / std::sqrt(2.0)) / 2; }

// The integral of max(0, p N(a, sd) - c N(b, sd)).
double excess(double p, double a, double c, double b, double sd) {
  const double apart = std::abs(a - b);
  if (apart < 1e-12) return std::max(0.0, p - c);
  // Mirrored so that a lies above b, and moved so that b is 0.
  const double from = apart / 2 + sd * sd * std::log(c / p) / apart;
  return p * upper_tail((from - apart) / sd) - c * upper_tail(from / sd);
}

double delta_at(double epsilon, const Numbers& a, const Numbers& b, const Parameters& parameters) {
  const auto of_a = outcomes_of(a, parameters);
  const auto of_b = outcomes_of(b, parameters);
  double delta = 0;
  for (std::size_t bin = 0; bin < of_a.size(); ++bin) {
    delta +=
        excess(of_a[bin].chance, of_a[bin].sum, std::exp(epsilon) * of_b[bin].chance, of_b[bin].sum, parameters.noise);
  }
  return delta;
}

// The largest log-ratio of outcomes, with Laplace noise.
double epsilon_between(const Numbers& a, const Numbers& b, const Parameters& parameters) {
  const auto of_a = outcomes_of(a, parameters);
  const auto of_b = outcomes_of(b, parameters);
  double worst = -std::numeric_limits<double>::infinity();
  for (std::size_t bin = 0; bin < of_a.size(); ++bin) {
    worst = std::max(worst, std::log(of_a[bin].chance / of_b[bin].chance) +
                                std::abs(of_a[bin].sum - of_b[bin].sum) / parameters.noise);
  }
  return worst;
}

AggregateSettings settings_of(Composition composition, double epsilon, double delta, double tau) {
  AggregateSettings settings;
  settings.tau = tau;
  settings.share = Budget({epsilon, delta, composition, 1, 1}).share();
  settings.noise = composition == Composition::zcdp ? NoiseKind::gaussian : NoiseKind::laplace;
  return settings;
}

rc::Gen<Numbers> some_estimates() {
  return rc::gen::nonEmpty(
      rc::gen::container<Numbers>(rc::gen::map(rc::gen::inRange(-100, 101), [](int x) { return x / 100.0; })));
}

RC_GTEST_PROP(ExactPrivacy, OfZcdpKeepsEpsilonAndDelta, ()) {
  const double epsilon = std::exp(*rc::gen::inRange(-300, 300) / 100.0);
  const double delta = std::exp(-*rc::gen::inRange(100, 2000) / 100.0);
  const double tau = 1.0 / *rc::gen::inRange(1, 20);
  const Numbers a = *some_estimates();
  Numbers b = a;
  b[*rc::gen::inRange<std::size_t>(0, a.size())] = *rc::gen::inRange(-100, 101) / 100.0;
  const Parameters parameters = parameters_of(settings_of(Composition::zcdp, epsilon, delta, tau));
  RC_ASSERT(delta_at(epsilon, a, b, parameters) <= delta);
  RC_ASSERT(delta_at(epsilon, b, a, parameters) <= delta);
}

RC_GTEST_PROP(ExactPrivacy, OfPureAccountsKeepsEpsilon, ()) {
  const auto composition = *rc::gen::element(Composition::basic, Composition::nested);
  const double epsilon = std::exp(*rc::gen::inRange(-300, 300) / 100.0);
  const double tau = 1.0 / *rc::gen::inRange(1, 20);
  const Numbers a = *some_estimates();
  Numbers b = a;
  b[*rc::gen::inRange<std::size_t>(0, a.size())] = *rc::gen::inRange(-100, 101) / 100.0;
  const Parameters parameters = parameters_of(settings_of(composition, epsilon, 1e-5, tau));
  RC_ASSERT(epsilon_between(a, b, parameters) <= epsilon);
}

// Many estimates at one end, in neighbours that differ in one that crosses from the other end.
Numbers crowd(std::size_t at_the_end, double last) {
  Numbers estimates(at_the_end, 1.0);
  estimates.push_back(last);
  return estimates;
}

// The promise is not idle: hard neighbours take most of it, so half as much noise, or a range that is not paid for,
// would break it.
TEST(ExactPrivacy, IsNearlyUsedUpByHardNeighbours) {
  const AggregateSettings good = settings_of(Composition::basic, 8, 1e-5, 0.25);
  const Numbers a = crowd(2, -1);
  const Numbers b = crowd(2, 1);
  EXPECT_LE(epsilon_between(a, b, parameters_of(good)), 8);
  EXPECT_GE(epsilon_between(a, b, parameters_of(good)), 7.5);
  Parameters half_noise = parameters_of(good);
  half_noise.noise /= 2;
  EXPECT_GT(epsilon_between(a, b, half_noise), 8);
  Parameters sharp_range = parameters_of(good);
  sharp_range.eta *= 2;
  EXPECT_GT(epsilon_between(a, b, sharp_range), 8);

  const Parameters zcdp = parameters_of(settings_of(Composition::zcdp, 4, 1e-3, 0.25));
  EXPECT_LE(delta_at(4, a, b, zcdp), 1e-3);
  EXPECT_GE(delta_at(4, a, b, zcdp), 1e-5);
  Parameters less_noise = zcdp;
  less_noise.noise /= 2;
  EXPECT_GT(delta_at(4, a, b, less_noise), 1e-3);
}

}  // namespace
}  // namespace sotto::apps
