#include "sotto/apps/o3m/orthogonal.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "sotto/core/random/seed.h"

namespace sotto::apps {
namespace {

std::vector<double> seeded(std::size_t d, std::uint64_t seed) {
  return random_orthogonal(d, Seed::insecure_from_number(seed));
}

// Of samples from [0, 1] against the uniform distribution: Kolmogorov and Smirnov's distance times
// the root of their number. Above 2.3 with probability 5e-5.
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

// In three dimensions each entry of a Haar matrix is uniform on [-1, 1] (Archimedes): the diagonal
// too, which without the correction of signs would lean to one side.
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
    const double angle = std::atan2(q[2], q[0]) / (2 * M_PI);  // of the first column
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

// Haar's measure does not change when Q is multiplied by a fixed orthogonal matrix, on either side:
// entries of H Q and Q H, H = I - 2 u u', are distributed as those of Q. In seven dimensions
// (1 + q) / 2 has the distribution Beta(3, 3).
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

}  // namespace
}  // namespace sotto::apps
