#include "apps/prepare/data/reduction.h"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>

#include "apps/kit/learn/seeded.h"
#include "apps/kit/learn/symmetric_eigen.h"

namespace sotto::apps::prepare {
namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

constexpr std::size_t chunk_rows = 512;

Eigen::Index index(std::size_t i) { return static_cast<Eigen::Index>(i); }

template <class Use>
void for_each_chunk(const RowSource& data, const Eigen::VectorXd& mean, Use use) {
  RowMajor chunk;
  for (std::size_t first = 0; first < data.rows; first += chunk_rows) {
    const std::size_t count = std::min(chunk_rows, data.rows - first);
    chunk.resize(index(count), index(data.columns));
    for (std::size_t r = 0; r < count; ++r) {
      data.read(first + r, std::span(chunk.row(index(r)).data(), data.columns));
    }
    if (mean.size() != 0) chunk.rowwise() -= mean.transpose();
    use(first, chunk);
  }
}

// The mean is subtracted before squaring, so that a large common offset costs no precision.
std::vector<double> covariance(const RowSource& data, const Eigen::VectorXd& mean) {
  Eigen::MatrixXd sum = Eigen::MatrixXd::Zero(index(data.columns), index(data.columns));
  for_each_chunk(data, mean, [&](std::size_t, const RowMajor& chunk) {
    sum.selfadjointView<Eigen::Lower>().rankUpdate(chunk.transpose());
  });
  std::vector<double> lower;
  for (Eigen::Index i = 0; i < sum.rows(); ++i) {
    for (Eigen::Index j = 0; j <= i; ++j) lower.push_back(sum(i, j) / static_cast<double>(data.rows));
  }
  return lower;
}

void fix_sign(Eigen::VectorXd& direction) {
  Eigen::Index largest = 0;
  direction.cwiseAbs().maxCoeff(&largest);
  if (direction[largest] < 0) direction = -direction;
}

constexpr std::size_t most_iterations = 100;
constexpr double least_gain = 1e-6;

using Points = std::span<const double>;

Points row_of(Points values, std::size_t columns, std::size_t r) { return values.subspan(r * columns, columns); }

double square_distance(Points a, Points b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return sum;
}

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
      // A row that equals a centre has no weight, so such a row is chosen only if all rows equal centres.
      if (nearest[r] > 0) chosen = r;
      left -= nearest[r];
    }
  }
}

struct Assignment {
  std::vector<std::size_t> centre;
  std::vector<double> distance;
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

// The centre of a cluster without rows becomes the row that is farthest from its own centre.
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
    *farthest = 0;
  }
  return centres;
}

}  // namespace

Pca fit_pca(const RowSource& data, std::size_t components) {
  if (data.rows == 0 || data.columns == 0 || components > data.columns) {
    throw std::invalid_argument("fit_pca: no data, or more components than columns");
  }
  Eigen::VectorXd mean = Eigen::VectorXd::Zero(index(data.columns));
  for_each_chunk(data, {}, [&](std::size_t, const RowMajor& chunk) { mean += chunk.colwise().sum().transpose(); });
  mean /= static_cast<double>(data.rows);

  const SymmetricEigen eigen = symmetric_eigen(covariance(data, mean), data.columns);
  Pca pca;
  pca.columns = data.columns;
  pca.components = components;
  pca.mean.assign(mean.begin(), mean.end());
  pca.total_variance = std::accumulate(eigen.values.begin(), eigen.values.end(), 0.0);
  for (std::size_t i = 0; i < components; ++i) {
    const std::size_t from = data.columns - 1 - i;
    Eigen::VectorXd direction =
        Eigen::Map<const Eigen::VectorXd>(eigen.vectors.data() + from * data.columns, index(data.columns));
    fix_sign(direction);
    pca.loadings.insert(pca.loadings.end(), direction.begin(), direction.end());
    pca.variances.push_back(std::max(0.0, eigen.values[from]));
  }
  return pca;
}

std::vector<double> project(const Pca& pca, const RowSource& data) {
  if (data.columns != pca.columns) throw std::invalid_argument("project: another number of columns");
  std::vector<double> out(data.rows * pca.components);
  const Eigen::Map<const RowMajor> loadings(pca.loadings.data(), index(pca.components), index(pca.columns));
  const Eigen::VectorXd mean = Eigen::Map<const Eigen::VectorXd>(pca.mean.data(), index(pca.columns));
  for_each_chunk(data, mean, [&](std::size_t first, const RowMajor& chunk) {
    Eigen::Map<RowMajor>(out.data() + first * pca.components, chunk.rows(), index(pca.components)).noalias() =
        chunk * loadings.transpose();
  });
  return out;
}

std::size_t unit_norm(std::vector<double>& values, std::size_t columns) {
  if (columns == 0 || values.size() % columns != 0) {
    throw std::invalid_argument("unit_norm: the values do not fill rows");
  }
  Eigen::Map<RowMajor> rows(values.data(), index(values.size() / columns), index(columns));
  if (rows.rows() == 0) return 0;
  // stableNorm() avoids overflow and underflow of intermediate results.
  Eigen::VectorXd norms(rows.rows());
  for (Eigen::Index r = 0; r < rows.rows(); ++r) norms[r] = rows.row(r).stableNorm();
  const double nothing = 1e-12 * norms.maxCoeff();
  std::size_t zeros = 0;
  for (Eigen::Index r = 0; r < rows.rows(); ++r) {
    if (norms[r] <= nothing) {
      rows.row(r).setZero();
      ++zeros;
    } else {
      rows.row(r) /= norms[r];
    }
  }
  return zeros;
}

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

}  // namespace sotto::apps::prepare
