#include "sotto/apps/kit/data/pca.h"

#include <Eigen/Core>
#include <algorithm>
#include <numeric>
#include <span>
#include <stdexcept>

#include "sotto/apps/kit/learn/symmetric_eigen.h"

namespace sotto::apps {
namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// Rows that are held as doubles at a time.
constexpr std::size_t chunk_rows = 512;

Eigen::Index index(std::size_t i) { return static_cast<Eigen::Index>(i); }

// Calls `use(first, chunk)` for the data in chunks of rows, each less `mean` (none when it is empty).
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

// The mean is subtracted before squaring, so that a large common offset costs no digits.
// Its lower triangle, row by row.
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
    const std::size_t from = data.columns - 1 - i;  // the largest first
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
  // stableNorm neither overflows nor underflows on the way.
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

}  // namespace sotto::apps
