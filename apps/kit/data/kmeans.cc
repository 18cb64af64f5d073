#include "sotto/apps/kit/data/kmeans.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "sotto/apps/kit/data/seeded.h"

namespace sotto::apps {
namespace {

constexpr std::size_t most_iterations = 100;
constexpr double least_gain = 1e-6;  // stop when the inertia falls by less than this part of it

using Points = std::span<const double>;

Points row_of(Points values, std::size_t columns, std::size_t r) { return values.subspan(r * columns, columns); }

double square_distance(Points a, Points b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return sum;
}

// k-means++: each further centre is a row drawn with probability proportional to its squared distance to the nearest
// centre so far.
std::vector<double> seed_centres(Points values, std::size_t columns, std::size_t k, SeededDraws& draws) {
  const std::size_t rows = values.size() / columns;
  std::vector<double> centres;
  std::vector<double> nearest(rows, std::numeric_limits<double>::infinity());
  std::size_t chosen = draws.below(rows);
  for (;;) {
    const Points centre = row_of(values, columns, chosen);
    centres.insert(centres.end(), centre.begin(), centre.end());
    if (centres.size() == k * columns) return centres;
    double total = 0;
    for (std::size_t r = 0; r < rows; ++r) {
      nearest[r] = std::min(nearest[r], square_distance(row_of(values, columns, r), centre));
      total += nearest[r];
    }
    double left = draws.unit() * total;
    chosen = 0;
    for (std::size_t r = 0; r < rows && left >= 0; ++r) {
      // A row that is a centre already has no weight; it is taken only where all rows are.
      if (nearest[r] > 0) chosen = r;
      left -= nearest[r];
    }
  }
}

// One assignment of the rows to their nearest centres.
struct Assignment {
  std::vector<std::size_t> centre;  // of each row
  std::vector<double> distance;     // squared, of each row
  double inertia = 0;
};

Assignment assign(Points values, std::size_t columns, Points centres) {
  const std::size_t rows = values.size() / columns;
  const std::size_t k = centres.size() / columns;
  Assignment result{std::vector<std::size_t>(rows), std::vector<double>(rows, std::numeric_limits<double>::infinity()),
                    0};
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t c = 0; c < k; ++c) {
      const double d = square_distance(row_of(values, columns, r), row_of(centres, columns, c));
      if (d < result.distance[r]) {
        result.distance[r] = d;
        result.centre[r] = c;
      }
    }
    result.inertia += result.distance[r];
  }
  return result;
}

// The means of the clusters; a cluster without rows moves to the row that is farthest from its centre.
std::vector<double> means(Points values, std::size_t columns, std::size_t k, Assignment& assignment) {
  std::vector<double> centres(k * columns);
  std::vector<double> counts(k);
  for (std::size_t r = 0; r < assignment.centre.size(); ++r) {
    const std::size_t c = assignment.centre[r];
    counts[c] += 1;
    for (std::size_t i = 0; i < columns; ++i) {
      centres[c * columns + i] += values[r * columns + i];
    }
  }
  for (std::size_t c = 0; c < k; ++c) {
    if (counts[c] > 0) {
      for (std::size_t i = 0; i < columns; ++i) centres[c * columns + i] /= counts[c];
      continue;
    }
    const auto farthest = std::max_element(assignment.distance.begin(), assignment.distance.end());
    const Points row = row_of(values, columns, static_cast<std::size_t>(farthest - assignment.distance.begin()));
    std::copy(row.begin(), row.end(), centres.begin() + static_cast<std::ptrdiff_t>(c * columns));
    *farthest = 0;  // so that the next empty cluster takes another row
  }
  return centres;
}

}  // namespace

KMeans fit_kmeans(std::span<const double> values, std::size_t columns, std::size_t k, std::uint64_t seed) {
  if (columns == 0 || values.size() % columns != 0 || k == 0 || k > values.size() / columns) {
    throw std::invalid_argument("fit_kmeans: the values do not fill rows, or k is not in 1 .. rows");
  }
  SeededDraws draws(seed);
  KMeans result{columns, seed_centres(values, columns, k, draws), 0, 0};
  Assignment assignment = assign(values, columns, result.centres);
  while (result.iterations < most_iterations) {
    const double before = assignment.inertia;
    result.centres = means(values, columns, k, assignment);
    assignment = assign(values, columns, result.centres);
    ++result.iterations;
    if (assignment.inertia >= before * (1 - least_gain)) break;
  }
  result.inertia = assignment.inertia;
  return result;
}

std::vector<double> reward_probabilities(const KMeans& arms, std::span<const double> values, double sigma) {
  if (arms.columns == 0 || values.size() % arms.columns != 0 || !(sigma > 0)) {
    throw std::invalid_argument("reward_probabilities: the values do not fill rows of the centres");
  }
  const std::size_t rows = values.size() / arms.columns;
  const std::size_t k = arms.centres.size() / arms.columns;
  std::vector<double> probabilities;
  probabilities.reserve(rows * k);
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t c = 0; c < k; ++c) {
      const double d = square_distance(row_of(values, arms.columns, r), row_of(arms.centres, arms.columns, c));
      probabilities.push_back(std::exp(-d / (2 * sigma * sigma)));
    }
  }
  return probabilities;
}

std::vector<double> draw_rewards(std::span<const double> probabilities, std::uint64_t seed) {
  SeededDraws draws(seed);
  std::vector<double> rewards;
  rewards.reserve(probabilities.size());
  for (const double p : probabilities) rewards.push_back(draws.unit() < p ? 1 : 0);
  return rewards;
}

}  // namespace sotto::apps
