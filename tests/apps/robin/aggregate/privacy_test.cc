// The differential privacy that a release promises, computed exactly in one dimension. For given neighbours, the exact
// delta at an epsilon follows from the chance of each range and the noise around each clipped sum. The tests use their
// own code for the costs of bins and for the sums, and take eta and the noise from the tested mechanism. The last tests
// try releases on neighbouring inputs and measure how much likelier outputs become when one estimate is replaced. A
// test of this kind cannot prove a promise, but can find a broken promise.
#include "apps/kit/dp/budget.h"
#include "apps/robin/aggregate/aggregate.h"
#include "apps/robin/aggregate/mechanism.h"
#include "tests/apps/support.h"
#include "tests/framework.h"
#include "tests/properties.h"

namespace sotto::apps::robin {
namespace {

using Numbers = std::vector<double>;

// The outcome of a release that chooses one bin: its probability, and the clipped sum in units of tau.
struct PossibleOutcome {
  double chance = 0;
  double sum = 0;
};

struct Parameters {
  double tau = 1;
  double eta = 0;
  double noise = 0;  // in units of tau: the scale of Laplace noise, or the standard deviation of Gaussian noise
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
  Numbers scaled;  // estimates in units of tau, within the outermost bins
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

// The integral of max(0, p f - c g), where f and g are the normal densities with means a and b and deviation sd.
double excess(double p, double a, double c, double b, double sd) {
  const double apart = std::abs(a - b);
  if (apart < 1e-12) return std::max(0.0, p - c);
  // The two normal distributions are mirrored so that a is above b, and moved so that b is 0.
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
  return AggregateSettings{.tau = tau,
                           .noise = composition == Composition::zcdp ? NoiseKind::gaussian : NoiseKind::laplace,
                           .share = Budget({epsilon, delta, composition, 1, 1}).share(),
                           .around = {}};
}

double some_estimate() { return draw_in_range(-100, 101) / 100.0; }

Numbers some_estimates() { return draw_vector(draw_length(1), some_estimate); }

PROPERTY(ExactPrivacy, OfZcdpKeepsEpsilonAndDelta) {
  const double epsilon = std::exp(draw_in_range(-300, 300) / 100.0);
  const double delta = std::exp(-draw_in_range(100, 2000) / 100.0);
  const double tau = 1.0 / draw_in_range(1, 20);
  const Numbers a = some_estimates();
  Numbers b = a;
  b[draw_in_range<std::size_t>(0, a.size())] = some_estimate();
  const Parameters parameters = parameters_of(settings_of(Composition::zcdp, epsilon, delta, tau));
  HOLDS(delta_at(epsilon, a, b, parameters) <= delta);
  HOLDS(delta_at(epsilon, b, a, parameters) <= delta);
}

PROPERTY(ExactPrivacy, OfPureAccountsKeepsEpsilon) {
  const auto composition = draw_one_of({Composition::basic, Composition::nested});
  const double epsilon = std::exp(draw_in_range(-300, 300) / 100.0);
  const double tau = 1.0 / draw_in_range(1, 20);
  const Numbers a = some_estimates();
  Numbers b = a;
  b[draw_in_range<std::size_t>(0, a.size())] = some_estimate();
  const Parameters parameters = parameters_of(settings_of(composition, epsilon, 1e-5, tau));
  HOLDS(epsilon_between(a, b, parameters) <= epsilon);
}

// Many estimates are at one end of the range. Neighbours differ in one estimate, which moves from the other end to this
// end.
Numbers crowd(std::size_t at_the_end, double last) {
  Numbers estimates(at_the_end, 1.0);
  estimates.push_back(last);
  return estimates;
}

// Hard neighbours use up most of the promised epsilon and delta, so a mechanism with half of the noise, or with twice
// the eta of the range, would break the promise.
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

using Outcome = int;
using Counts = std::map<Outcome, double>;

constexpr double tau = 0.25;
constexpr int cells_of_tau = 2;

Outcome outcome_of(const AggregateResult& result) {
  const double sign = result.signs[0];
  const auto [low, high] = result.ranges[0];
  const double middle = (low + high) / 2;
  const int place = static_cast<int>(std::floor((sign * result.mean[0] - middle) * cells_of_tau / tau));
  return 1'000'000 * result.signs[0] + 1000 * static_cast<int>(std::lround(middle / tau)) + std::clamp(place, -40, 40);
}

Counts try_often(const Numbers& estimates, const AggregateSettings& settings, std::size_t trials, std::uint64_t seed) {
  Coins coins = Coins::insecure(seed);
  Counts counts;
  for (std::size_t i = 0; i < trials; ++i) ++counts[outcome_of(aggregate(estimates, settings, coins))];
  return counts;
}

// A lower estimate of the delta at epsilon: the hockey-stick divergence over the outcomes, less five standard
// deviations. The first half of the trials chooses the set of outcomes, and the second half measures the probability of
// this set. The estimate exceeds the true delta by chance only once in millions of tests.
double delta_found(const Numbers& a, const Numbers& b, const AggregateSettings& settings, double epsilon,
                   std::size_t trials, std::uint64_t seed) {
  const Counts choose_a = try_often(a, settings, trials / 2, seed);
  const Counts choose_b = try_often(b, settings, trials / 2, seed + 1);
  const Counts measure_a = try_often(a, settings, trials / 2, seed + 2);
  const Counts measure_b = try_often(b, settings, trials / 2, seed + 3);
  const auto at = [](const Counts& counts, const Outcome& outcome) {
    const auto found = counts.find(outcome);
    return found == counts.end() ? 0.0 : found->second;
  };
  double p = 0;
  double q = 0;
  for (const auto& [outcome, count] : choose_a) {
    if (count <= std::exp(epsilon) * at(choose_b, outcome)) continue;
    p += at(measure_a, outcome);
    q += at(measure_b, outcome);
  }
  const double n = static_cast<double>(trials) / 2;
  const double spread = std::sqrt(p + std::exp(2 * epsilon) * q) / n;
  return (p - std::exp(epsilon) * q) / n - 5 * spread;
}

struct Pair {
  Numbers a;
  Numbers b;
};

// The two inputs of a pair differ in one estimate, which moves both the middle of the range and the mean. There are few
// estimates, so each has a large weight.
const std::vector<Pair>& pairs() {
  static const std::vector<Pair> all = {
      {{-1, 1}, {1, 1}}, {{-1, 1, 1}, {1, 1, 1}}, {{0.3, 0.3, -1}, {0.3, 0.3, 1}}, {{-0.4, 0.4}, {0.4, 0.4}}};
  return all;
}

AggregateSettings settings_of(Composition composition, double epsilon, double delta) {
  return AggregateSettings{.tau = tau,
                           .noise = composition == Composition::zcdp ? NoiseKind::gaussian : NoiseKind::laplace,
                           .share = Budget({epsilon, delta, composition, 1, 1}).share(),
                           .around = {}};
}

double worst_found(const AggregateSettings& settings, double epsilon, std::size_t trials, std::uint64_t seed) {
  double worst = -1;
  for (const Pair& pair : pairs()) {
    worst = std::max(worst, delta_found(pair.a, pair.b, settings, epsilon, trials, seed));
    worst = std::max(worst, delta_found(pair.b, pair.a, settings, epsilon, trials, seed + 10));
    seed += 100;
  }
  return worst;
}

constexpr std::size_t some = 60000;

TEST(Neighbours, KeepTheRatioOfPureEpsilonStatistical) {
  for (const Composition composition : {Composition::basic, Composition::nested}) {
    EXPECT_LE(worst_found(settings_of(composition, 1, 1e-6), 1, some, 1), 0);
    EXPECT_LE(worst_found(settings_of(composition, 4, 1e-6), 4, some, 500), 0);
  }
}

TEST(Neighbours, KeepEpsilonAndDeltaOfZcdpStatistical) {
  EXPECT_LE(worst_found(settings_of(Composition::zcdp, 1, 0.01), 1, some, 1000), 0.01);
  EXPECT_LE(worst_found(settings_of(Composition::zcdp, 0.3, 0.001), 0.3, some, 2000), 0.001);
}

// The test detects mechanisms that assume half or two thirds of the sensitivity, that add hardly any noise, or that add
// half of the noise.
TEST(Neighbours, FindTheBrokenOnesStatistical) {
  AggregateSettings half_noise = settings_of(Composition::basic, 1, 1e-6);
  half_noise.share.epsilon *= 2;
  EXPECT_GT(worst_found(half_noise, 1, some, 3000), 0);

  // At epsilon 4, the inputs in pairs() use nearly the whole epsilon. So the test detects a mechanism whose epsilon is
  // 1.5 times as large.
  AggregateSettings a_half_more = settings_of(Composition::basic, 4, 1e-6);
  a_half_more.share.epsilon *= 1.5;
  EXPECT_GT(worst_found(a_half_more, 4, some, 4000), 0);

  AggregateSettings noiseless = settings_of(Composition::zcdp, 1, 0.01);
  noiseless.share.rho *= 1000;
  EXPECT_GT(worst_found(noiseless, 1, some, 5000), 0.01);

  AggregateSettings gaussian = settings_of(Composition::zcdp, 1, 0.01);
  gaussian.share.rho *= 4;
  EXPECT_GT(worst_found(gaussian, 1, some, 6000), 0.01);
}

TEST(Neighbours, KeepTheRatioStatistical) {
  const std::size_t many = takes_all_samples() ? 500'000 : 100'000;
  EXPECT_LE(worst_found(settings_of(Composition::basic, 1, 1e-6), 1, many, 7000), 0);
  EXPECT_LE(worst_found(settings_of(Composition::basic, 4, 1e-6), 4, many, 8000), 0);
  EXPECT_LE(worst_found(settings_of(Composition::zcdp, 1, 0.01), 1, many, 9000), 0.01);
}

}  // namespace
}  // namespace sotto::apps::robin
