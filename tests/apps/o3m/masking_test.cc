// If contexts are multiplied by an orthogonal matrix, the arms stay the same, and the scores stay the same except for
// rounding.
#include "apps/o3m/masking.h"
#include "apps/kit/learn/linear_bandit.h"
#include "sotto/protocol/random/seed.h"
#include "sotto/protocol/ring/fixed_point.h"
#include "tests/apps/kit/learn/samples.h"
#include "tests/apps/support.h"

namespace sotto::apps::o3m {
namespace {

std::vector<double> some_mask(std::size_t d) { return random_orthogonal(d, Seed::insecure_from_number(d)); }

TEST(MaskBlock, IsColumnsOfTheMask) {
  const std::vector<double> mask = {1, 2, 3, 4, 5, 6, 7, 8, 9};
  EXPECT_EQ(block_of(mask, 3, 1, 2).values, (std::vector<double>{2, 3, 5, 6, 8, 9}));
  EXPECT_EQ(block_of(mask, 3, 0, 3).values, mask);
  EXPECT_THROW((void)block_of(mask, 3, 2, 2), std::invalid_argument);
  EXPECT_THROW((void)block_of(mask, 2, 0, 1), std::invalid_argument);
}

TEST(MaskBlock, IsOrthonormalOrHowFarFromIt) {
  MaskBlock block = block_of(some_mask(12), 12, 3, 5);
  EXPECT_LT(distance_from_orthonormal(block), 1e-14);
  block.values[7] += 0.25;
  EXPECT_GT(distance_from_orthonormal(block), 0.05);
  block.values[7] = std::nan("");
  EXPECT_FALSE(distance_from_orthonormal(block) < 1e300);
}

TEST(BlockMask, MultipliesRowsByTheBlock) {
  for (const std::size_t d : {1u, 5u, 8u, 19u}) {
    for (std::size_t columns = 1; columns <= d; columns += 3) {
      const MaskBlock block = block_of(some_mask(d), d, d - columns, columns);
      const BlockMask mask(block);
      for (const std::size_t rows : {0u, 1u, 7u, 30u}) {
        StepStream stream(d, rows);
        const std::vector<double> x = testing::directions(stream, rows, columns);
        std::vector<double> masked(rows * d);
        mask.apply(x, masked);
        for (std::size_t r = 0; r < rows; ++r) {
          for (std::size_t i = 0; i < d; ++i) {
            ASSERT_NEAR(masked[r * d + i],
                        testing::dot(block.values.data() + i * columns, x.data() + r * columns, columns), 1e-14);
          }
        }
        std::vector<double> once(rows * d);
        mask_contexts(block, x, once);
        EXPECT_EQ(once, masked);
      }
    }
  }
}

TEST(BlockMask, PartsOfAllParticipantsAddUpToTheMaskedContext) {
  constexpr std::size_t d = 9;
  const std::vector<double> q = some_mask(d);
  StepStream stream(4, 4);
  const std::vector<double> x = testing::directions(stream, 1, d);
  std::vector<double> sum(d);
  std::size_t first = 0;
  for (const std::size_t columns : {2u, 4u, 3u}) {
    std::vector<double> part(d);
    BlockMask(block_of(q, d, first, columns)).apply(std::span(x).subspan(first, columns), part);
    for (std::size_t i = 0; i < d; ++i) sum[i] += part[i];
    first += columns;
  }
  const std::vector<double> expected = testing::times(x, q, d);
  for (std::size_t i = 0; i < d; ++i) EXPECT_NEAR(sum[i], expected[i], 1e-14);
  EXPECT_NEAR(testing::dot(sum.data(), sum.data(), d), testing::dot(x.data(), x.data(), d), 1e-13);
}

TEST(BlockMask, RefusesWhatDoesNotFit) {
  const BlockMask mask(block_of(some_mask(5), 5, 0, 2));
  std::vector<double> masked(10);
  EXPECT_NO_THROW(mask.apply(std::vector<double>(4), masked));
  EXPECT_THROW(mask.apply(std::vector<double>(3), masked), std::invalid_argument);
  EXPECT_THROW(mask.apply(std::vector<double>(6), masked), std::invalid_argument);
  EXPECT_THROW(mask.apply(std::vector<double>(2), masked), std::invalid_argument);
  const BlockMask nothing{MaskBlock{}};
  EXPECT_NO_THROW(nothing.apply({}, {}));
  EXPECT_THROW(nothing.apply(std::vector<double>(1), {}), std::invalid_argument);
}

// A number halfway between two fixed-point numbers may be rounded to either side, and both occur. With nearly as many
// bits as a double has, many drawn numbers are exactly halfway.
TEST(FixedPoint, IsTheNearestAndThatOfASingleNumber) {
  for (const unsigned bits : {43u, 50u, 52u}) {
    StepStream stream(bits, 0);
    const std::vector<double> values = testing::normals(stream, 500);
    std::vector<std::uint64_t> words(values.size());
    to_fixed(values, bits, words);
    std::vector<double> back(values.size());
    from_fixed(words, bits, back);
    for (std::size_t i = 0; i < values.size(); ++i) {
      EXPECT_LE(std::abs(to_signed(words[i] - encode(values[i], bits))), 1);
      EXPECT_EQ(back[i], decode(words[i], bits));
      EXPECT_LE(std::abs(back[i] - values[i]), std::ldexp(1, -static_cast<int>(bits) - 1));
    }
  }
}

TEST(FixedPoint, ReachesTheBoundsOfASum) {
  const double most = std::ldexp(1, 62 - 43);
  const std::vector<double> values = {most, -most, 0, -0.0, std::ldexp(1, -43), -std::ldexp(1, -43)};
  std::vector<std::uint64_t> words(values.size());
  to_fixed(values, 43, words);
  EXPECT_EQ(words[0], std::uint64_t{1} << 62);
  EXPECT_EQ(words[1], 0 - (std::uint64_t{1} << 62));
  EXPECT_EQ(words[3], 0u);
  EXPECT_EQ(words[5], ~std::uint64_t{0});
  std::vector<double> back(values.size());
  from_fixed(words, 43, back);
  EXPECT_EQ(back, values);
}

std::vector<double> seeded(std::size_t d, std::uint64_t seed) {
  return random_orthogonal(d, Seed::insecure_from_number(seed));
}

// Returns the Kolmogorov-Smirnov distance of the samples from the uniform distribution on [0, 1], times the root of the
// number of samples. For uniform samples, the result is above 2.3 with probability 5e-5.
double uniform_distance(std::vector<double> samples) {
  std::sort(samples.begin(), samples.end());
  const auto n = static_cast<double>(samples.size());
  double distance = 0;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const auto rank = static_cast<double>(i);
    distance = std::max({distance, samples[i] - rank / n, (rank + 1) / n - samples[i]});
  }
  return distance * std::sqrt(n);
}

TEST(RandomOrthogonal, IsOrthogonal) {
  for (const std::size_t d : {1u, 2u, 3u, 10u, 64u, 101u}) {
    const std::vector<double> q = seeded(d, d);
    ASSERT_EQ(q.size(), d * d);
    for (std::size_t i = 0; i < d; ++i) {
      for (std::size_t j = 0; j < d; ++j) {
        double rows = 0;
        double columns = 0;
        for (std::size_t k = 0; k < d; ++k) {
          rows += q[i * d + k] * q[j * d + k];
          columns += q[k * d + i] * q[k * d + j];
        }
        ASSERT_NEAR(rows, i == j ? 1 : 0, 1e-13);
        ASSERT_NEAR(columns, i == j ? 1 : 0, 1e-13);
      }
    }
  }
  EXPECT_THROW((void)seeded(0, 1), std::invalid_argument);
}

TEST(RandomOrthogonal, FollowsTheSeedAndTheSystemOtherwise) {
  EXPECT_EQ(seeded(5, 1), seeded(5, 1));
  EXPECT_NE(seeded(5, 1), seeded(5, 2));
  EXPECT_NE(random_orthogonal(5), random_orthogonal(5));
}

// In three dimensions each entry of a Haar matrix is uniform on [-1, 1] (Archimedes). Without the correction of signs,
// one sign would be more frequent on the diagonal.
TEST(RandomOrthogonal, EveryEntryInThreeDimensionsIsUniformStatistical) {
  constexpr std::uint64_t draws = 10'000;
  std::vector<std::vector<double>> entries(9);
  for (std::uint64_t seed = 0; seed < draws; ++seed) {
    const std::vector<double> q = seeded(3, seed);
    for (std::size_t i = 0; i < 9; ++i) entries[i].push_back((q[i] + 1) / 2);
  }
  for (std::size_t i = 0; i < 9; ++i) EXPECT_LT(uniform_distance(entries[i]), 2.3) << i;
}

TEST(RandomOrthogonal, TurnsAndReflectsByAUniformAngleStatistical) {
  constexpr std::uint64_t draws = 10'000;
  std::vector<double> angles;
  std::vector<double> of_turns;
  double reflections = 0;
  for (std::uint64_t seed = 0; seed < draws; ++seed) {
    const std::vector<double> q = seeded(2, seed);
    const double angle = std::atan2(q[2], q[0]) / (2 * M_PI);
    angles.push_back(angle < 0 ? angle + 1 : angle);
    if (q[0] * q[3] - q[1] * q[2] < 0) {
      reflections += 1;
    } else {
      of_turns.push_back(angles.back());
    }
  }
  EXPECT_LT(uniform_distance(angles), 2.3);
  EXPECT_LT(uniform_distance(of_turns), 2.3);
  EXPECT_NEAR(reflections, draws / 2.0, 4.5 * std::sqrt(draws / 4.0));
}

// Haar's measure does not change when Q is multiplied by a fixed orthogonal matrix on either side. Entries of H Q and Q
// H, with H = I - 2 u u' for a unit vector u, therefore have the distribution of entries of Q. In seven dimensions, (1
// + q) / 2 has the distribution Beta(3, 3).
TEST(RandomOrthogonal, IsInvariantUnderReflectionsStatistical) {
  constexpr std::size_t d = 7;
  constexpr std::uint64_t draws = 8'000;
  const auto beta33 = [](double x) { return x * x * x * (10 - 15 * x + 6 * x * x); };
  const double u = 1 / std::sqrt(static_cast<double>(d));
  std::vector<double> plain;
  std::vector<double> left;
  std::vector<double> right;
  double squares = 0;
  double traces = 0;
  for (std::uint64_t seed = 0; seed < draws; ++seed) {
    const std::vector<double> q = seeded(d, seed);
    double column = 0;
    double row = 0;
    double trace = 0;
    for (std::size_t k = 0; k < d; ++k) {
      column += u * q[k * d];
      row += u * q[k];
      trace += q[k * d + k];
    }
    plain.push_back(beta33((1 + q[0]) / 2));
    left.push_back(beta33((1 + q[0] - 2 * u * column) / 2));
    right.push_back(beta33((1 + q[0] - 2 * u * row) / 2));
    traces += trace;
    squares += trace * trace;
  }
  EXPECT_LT(uniform_distance(plain), 2.3);
  EXPECT_LT(uniform_distance(left), 2.3);
  EXPECT_LT(uniform_distance(right), 2.3);
  // The trace has mean 0 and variance 1 (Diaconis and Shahshahani 1994).
  EXPECT_NEAR(traces / draws, 0, 4.5 / std::sqrt(draws));
  EXPECT_NEAR(squares / draws, 1, 4.5 * std::sqrt(2.0 / draws));
}

struct Shape {
  std::size_t d;
  std::size_t arms;
  std::uint64_t steps;
};

// Contexts have norm 1, so all arms are tied at first. In some steps arms are duplicates, zeros, or multiples of each
// other.
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

void round_to(std::vector<double>& values, int fraction_bits) {
  for (double& value : values) value = std::ldexp(std::round(std::ldexp(value, fraction_bits)), -fraction_bits);
}

void expect_alike(LinearAlgorithm algorithm, const Shape& shape, bool fixed_point) {
  const auto [d, arms, steps] = shape;
  LinearBanditOptions options{
      .algorithm = algorithm, .dimension = d, .arms = arms, .v = 0.1, .stream_seed = 10 * d + arms};
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
    for (const std::size_t arms : {1u, 2u, 5u, 10u, 20u}) expect_alike(GetParam(), {d, arms, 3000}, false);
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
}  // namespace sotto::apps::o3m
