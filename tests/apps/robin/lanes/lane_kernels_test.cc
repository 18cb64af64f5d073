#include "apps/robin/lanes/lane_kernels.h"

#include "apps/kit/learn/doubles.h"
#include "apps/kit/learn/seeded.h"
#include "tests/apps/support.h"
#include "tests/properties.h"

namespace sotto::apps::robin {
namespace {

constexpr std::size_t lanes = LaneKernels::lanes;

std::vector<std::uint64_t> random_words(SeededDraws& draws, std::size_t count) {
  std::vector<std::uint64_t> words(count);
  for (std::uint64_t& word : words) word = draws.below(UINT64_MAX);
  return words;
}

void fill(Doubles& rows, SeededDraws& draws) {
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = 2 * draws.unit() - 1;
}

bool equal_bits(const Doubles& a, const Doubles& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
}

Doubles copy_of(const Doubles& from) {
  Doubles to(from.size());
  std::copy_n(from.data(), from.size(), to.data());
  return to;
}

// The C library computes the expected normal numbers from the same words.
void expect_normals(const Doubles& rows, const std::vector<std::uint64_t>& words, std::size_t pairs) {
  for (std::size_t pair = 0; pair < pairs; ++pair) {
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      const std::uint64_t first = words[2 * pair * lanes + lane];
      const std::uint64_t second = words[(2 * pair + 1) * lanes + lane];
      const double u = 1 - static_cast<double>(first >> 12) * 0x1p-52;
      const double radius = std::sqrt(-2 * std::log(u));
      const double within = (static_cast<double>(second >> 12) * 0x1p-52 - .5) * std::numbers::pi / 2;
      const double angle = within + ((second & 1) != 0 ? -1 : 0) * std::numbers::pi / 2;
      const double sign = (second & 2) != 0 ? -1 : 1;
      // A turn by -pi/2 swaps sine and cosine: (cos, sin) of a - pi/2 is (sin a, -cos a).
      EXPECT_NEAR(rows[2 * pair * lanes + lane], sign * radius * std::cos(angle), 2e-14);
      EXPECT_NEAR(rows[(2 * pair + 1) * lanes + lane], sign * radius * std::sin(angle), 2e-14);
    }
  }
}

TEST(LaneKernels, NormalsAreThoseOfTheCLibrary) {
  SeededDraws draws(1);
  constexpr std::size_t pairs = 200;
  std::vector<std::uint64_t> words = random_words(draws, pairs * LaneKernels::pair_words);
  words[0] = 0;                       // u = 1
  words[1] = UINT64_MAX;              // the smallest u
  words[2] = std::uint64_t{1} << 63;  // u = 1/2
  words[lanes] = 0;
  words[lanes + 1] = UINT64_MAX;
  for (const LaneKernels* table : available_lane_kernels()) {
    SCOPED_TRACE(table->name);
    Doubles rows(2 * pairs * lanes);
    table->normals(rows.data(), words.data(), pairs);
    expect_normals(rows, words, pairs);
  }
}

TEST(LaneKernels, NormalsHaveTheMomentsOfNormalsStatistical) {
  SeededDraws draws(2);
  constexpr std::size_t pairs = 1000;
  constexpr int rounds = 100;
  Doubles rows(2 * pairs * lanes);
  double sums[5] = {};
  double products = 0;
  for (int round = 0; round < rounds; ++round) {
    const auto words = random_words(draws, pairs * LaneKernels::pair_words);
    lane_kernels().normals(rows.data(), words.data(), pairs);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      double power = 1;
      for (double& sum : sums) sum += power, power *= rows[i];
    }
    for (std::size_t pair = 0; pair < pairs; ++pair) products += rows[2 * pair * lanes] * rows[(2 * pair + 1) * lanes];
  }
  const double n = sums[0];
  EXPECT_NEAR(sums[1] / n, 0, 5 / std::sqrt(n));
  EXPECT_NEAR(sums[2] / n, 1, 5 * std::sqrt(2 / n));
  EXPECT_NEAR(sums[3] / n, 0, 5 * std::sqrt(15 / n));
  EXPECT_NEAR(sums[4] / n, 3, 5 * std::sqrt(96 / n));
  EXPECT_NEAR(products / (rounds * pairs), 0, 5 / std::sqrt(rounds * pairs));
}

struct Case {
  std::size_t arms = 0;
  std::size_t dimension = 0;
  std::size_t noise_rows = 1;
  double reward_bound = 0;
  std::vector<double> estimate, scales;
  Doubles contexts, means, noise, weights, totals;
};

Case random_case(SeededDraws& draws) {
  Case c{1 + draws.below(6), 1 + draws.below(9), 1,         .7, {}, {}, Doubles(0), Doubles(0),
         Doubles(0),         Doubles(lanes),     Doubles(0)};
  if (draws.below(2) == 1) c.noise_rows = c.arms;
  for (std::size_t j = 0; j < c.dimension; ++j) {
    c.estimate.push_back(2 * draws.unit() - 1);
    c.scales.push_back(draws.unit() + .1);
  }
  c.contexts = Doubles(c.arms * c.dimension * lanes);
  c.means = Doubles(c.arms * lanes);
  c.noise = Doubles(c.noise_rows * lanes);
  c.totals = Doubles(total_rows(c.dimension) * lanes);
  fill(c.contexts, draws);
  fill(c.means, draws);
  fill(c.noise, draws);
  fill(c.totals, draws);
  for (std::size_t lane = 0; lane < lanes; ++lane) c.weights[lane] = draws.below(3) > 0 ? 1 : 0;
  return c;
}

Doubles expected_totals(const Case& c) {
  Doubles totals = copy_of(c.totals);
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    if (c.weights[lane] == 0) continue;
    const auto context = [&](std::size_t arm, std::size_t j) {
      return c.contexts[(arm * c.dimension + j) * lanes + lane];
    };
    std::size_t best = 0;
    double best_score = -INFINITY;
    double largest = -INFINITY;
    for (std::size_t arm = 0; arm < c.arms; ++arm) {
      double score = 0;
      for (std::size_t j = 0; j < c.dimension; ++j) score += context(arm, j) * c.estimate[j];
      if (score > best_score) best = arm, best_score = score;
      largest = std::max(largest, c.means[arm * lanes + lane]);
    }
    const double mean = c.means[best * lanes + lane];
    const double earned = mean + c.noise[(c.noise_rows > 1 ? best : 0) * lanes + lane];
    const double reward = std::clamp(earned, -c.reward_bound, c.reward_bound);
    double* row = totals.data() + lane;
    for (std::size_t i = 0; i < c.dimension; ++i) {
      for (std::size_t j = 0; j <= i; ++j, row += lanes) *row += context(best, i) * context(best, j);
    }
    for (std::size_t i = 0; i < c.dimension; ++i, row += lanes) *row += reward * context(best, i);
    row[0] += largest - mean;
    row[lanes] += reward;
    row[2 * lanes] += reward != earned ? 1 : 0;
  }
  return totals;
}

PROPERTY(LaneKernels, GreedyStepsAreThoseOfOneStepAtATime) {
  const auto seed = draw<std::uint64_t>();
  SeededDraws draws(seed);
  const Case c = random_case(draws);
  const Doubles expected = expected_totals(c);
  for (const LaneKernels* table : available_lane_kernels()) {
    Doubles totals = copy_of(c.totals);
    Doubles chosen(c.dimension * lanes);
    table->greedy(totals.data(), chosen.data(), c.contexts.data(), c.means.data(), c.noise.data(), c.noise_rows,
                  c.estimate.data(), c.weights.data(), c.arms, c.dimension, c.reward_bound);
    for (std::size_t i = 0; i < totals.size(); ++i) {
      HOLDS(std::abs(totals[i] - expected[i]) < 1e-13);
    }
  }
}

PROPERTY(LaneKernels, AllTablesGiveEqualBits) {
  const auto seed = draw<std::uint64_t>();
  SeededDraws draws(seed);
  const Case c = random_case(draws);
  const auto words = random_words(draws, c.dimension * LaneKernels::pair_words);
  const auto outputs = [&](const LaneKernels& table) {
    std::vector<Doubles> out;
    out.emplace_back(2 * c.dimension * lanes);
    table.normals(out[0].data(), words.data(), c.dimension);
    out.push_back(copy_of(c.contexts));
    table.normalize(out[1].data(), c.scales.data(), c.arms, c.dimension);
    out.emplace_back(c.arms * lanes);
    table.products(out[2].data(), out[1].data(), c.estimate.data(), c.arms, c.dimension);
    out.push_back(copy_of(c.totals));
    Doubles chosen(c.dimension * lanes);
    table.greedy(out[3].data(), chosen.data(), out[1].data(), out[2].data(), c.noise.data(), c.noise_rows,
                 c.estimate.data(), c.weights.data(), c.arms, c.dimension, c.reward_bound);
    return out;
  };
  const auto tables = available_lane_kernels();
  const auto first = outputs(*tables.front());
  for (const LaneKernels* table : tables) {
    const auto here = outputs(*table);
    for (std::size_t i = 0; i < here.size(); ++i) HOLDS(equal_bits(first[i], here[i]));
  }
}

TEST(LaneKernels, NormalizesToUnitNormAndLeavesNothingAsItIs) {
  SeededDraws draws(3);
  Case c = random_case(draws);
  for (std::size_t j = 0; j < c.dimension; ++j) c.contexts[j * lanes + 5] = 0;
  for (const LaneKernels* table : available_lane_kernels()) {
    Doubles rows = copy_of(c.contexts);
    table->normalize(rows.data(), c.scales.data(), c.arms, c.dimension);
    for (std::size_t arm = 0; arm < c.arms; ++arm) {
      for (std::size_t lane = 0; lane < lanes; ++lane) {
        double squares = 0;
        for (std::size_t j = 0; j < c.dimension; ++j) {
          const double x = rows[(arm * c.dimension + j) * lanes + lane];
          squares += x * x;
        }
        EXPECT_NEAR(squares, arm == 0 && lane == 5 ? 0 : 1, 1e-14);
      }
    }
  }
}

}  // namespace
}  // namespace sotto::apps::robin
