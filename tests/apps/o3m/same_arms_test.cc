// What O3M stands on: contexts times an orthogonal matrix give the same arms, and the same scores but for rounding.
#include "sotto/apps/kit/learn/linear_bandit.h"
#include "sotto/apps/o3m/masking.h"
#include "sotto/core/random/seed.h"
#include "tests/apps/kit/learn/samples.h"
#include "tests/framework.h"

namespace sotto::apps {
namespace {

struct Shape {
  std::size_t d;
  std::size_t arms;
  std::uint64_t steps;
};

// Contexts of norm 1, so that at first all arms are tied; in some steps arms are duplicates, of zeros, or multiples of
// one another.
std::vector<double> contexts_of(StepStream& stream, const Shape& shape) {
  const std::size_t d = shape.d;
  const std::size_t arms = shape.arms;
  std::vector<double> x = testing::directions(stream, arms, d);
  for (std::size_t arm = 0; arm < arms; ++arm) {
    const double norm = std::sqrt(testing::dot(x.data() + arm * d, x.data() + arm * d, d));
    for (std::size_t i = 0; i < d; ++i) x[arm * d + i] /= norm;
  }
  const auto copy = [&](std::size_t from, std::size_t to, double factor) {
    for (std::size_t i = 0; i < d; ++i) x[to % arms * d + i] = factor * x[from % arms * d + i];
  };
  switch (stream.below(4)) {
    case 0:
      copy(stream.below(arms), stream.below(arms), 1);
      break;
    case 1:
      for (std::size_t arm = 1; arm < arms; arm += 2) copy(0, arm, 1);
      break;
    case 2:
      copy(0, 1, 0.5);
      break;
    default:
      break;
  }
  if (stream.below(10) == 0) copy(0, stream.below(arms), 0);
  return x;
}

// As the sum of fixed-point blocks gives them.
void round_to(std::vector<double>& values, int fraction_bits) {
  for (double& value : values) {
    value = std::ldexp(std::round(std::ldexp(value, fraction_bits)), -fraction_bits);
  }
}

void expect_alike(LinearAlgorithm algorithm, const Shape& shape, bool fixed_point) {
  const auto [d, arms, steps] = shape;
  LinearBanditOptions options;
  options.algorithm = algorithm;
  options.dimension = d;
  options.arms = arms;
  options.v = 0.1;
  options.stream_seed = 10 * d + arms;
  LinearBandit plain(options);
  LinearBandit masked(options);
  const std::vector<double> q = random_orthogonal(d, Seed::insecure_from_number(d));
  StepStream stream(d, arms);
  const std::vector<double> truth = testing::directions(stream, 1, d);
  double difference = 0;
  for (std::uint64_t t = 0; t < steps; ++t) {
    const std::vector<double> x = contexts_of(stream, shape);
    std::vector<double> y = testing::times(x, q, d);
    if (fixed_point) round_to(y, 44);
    const std::size_t arm = plain.select(t, x);
    ASSERT_EQ(masked.select(t, y), arm) << "step " << t << ", d " << d << ", " << arms << " arms";
    for (std::size_t k = 0; k < arms; ++k) {
      difference = std::max(difference, std::abs(plain.scores()[k] - masked.scores()[k]));
    }
    const double reward = testing::dot(x.data() + arm * d, truth.data(), d) + testing::normals(stream, 1, 0.2).front();
    plain.update(std::span(x).subspan(arm * d, d), reward);
    masked.update(std::span(y).subspan(arm * d, d), reward);
  }
  EXPECT_LT(difference, 1e-9) << "d " << d << ", " << arms << " arms";
}

class MaskedContextsTest : public ::testing::TestWithParam<LinearAlgorithm> {};

TEST_P(MaskedContextsTest, GiveTheSameArmsAndScores) {
  for (const std::size_t d : {2u, 3u, 5u, 8u, 20u}) {
    for (const std::size_t arms : {1u, 2u, 5u, 10u, 20u}) {
      expect_alike(GetParam(), {d, arms, 3000}, false);
    }
  }
}

TEST_P(MaskedContextsTest, GiveTheSameInHundredDimensions) {
  expect_alike(GetParam(), {100, 10, 3000}, false);
  expect_alike(GetParam(), {100, 1, 1000}, false);
  expect_alike(GetParam(), {61, 20, 1500}, false);
}

TEST_P(MaskedContextsTest, GiveTheSameFromFixedPoint) {
  expect_alike(GetParam(), {4, 20, 3000}, true);
  expect_alike(GetParam(), {20, 10, 3000}, true);
}

INSTANTIATE_TEST_SUITE_P(Algorithms, MaskedContextsTest, ::testing::Values(LinearAlgorithm::ucb, LinearAlgorithm::ts),
                         [](const auto& test) { return test.param == LinearAlgorithm::ucb ? "Ucb" : "Ts"; });

}  // namespace
}  // namespace sotto::apps
