#include "bench/lab/o3m_audit/audit.h"

#include <Eigen/Core>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "apps/kit/learn/seeded.h"
#include "apps/kit/learn/symmetric_eigen.h"

namespace sotto::apps::lab {

using namespace sotto::apps::o3m;
namespace {

// Each additional kind of matrix takes seconds to compile.
using Matrix = Eigen::MatrixXd;
using RowByRow = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

Eigen::Index index(std::size_t i) { return static_cast<Eigen::Index>(i); }

Matrix as_matrix(std::span<const double> values, std::size_t rows, std::size_t columns) {
  return Eigen::Map<const RowByRow>(values.data(), index(rows), index(columns));
}

Matrix as_rows(std::span<const double> values, std::size_t rows) {
  return as_matrix(values, rows, rows == 0 ? 0 : values.size() / rows);
}

std::vector<double> row_by_row(const Matrix& matrix) {
  std::vector<double> values(static_cast<std::size_t>(matrix.size()));
  Eigen::Map<RowByRow>(values.data(), matrix.rows(), matrix.cols()) = matrix;
  return values;
}

Matrix times(const Matrix& a, const Matrix& b) { return a * b; }
Matrix times_transposed(const Matrix& a, const Matrix& b) { return times(a, b.transpose()); }

using Qr = Eigen::ColPivHouseholderQR<Matrix>;

// Returns an orthogonal matrix whose last columns span the space orthogonal to the columns of `matrix`.
Matrix completed_basis(const Matrix& matrix) { return Qr(matrix).householderQ(); }

constexpr std::size_t most_pairs_of = 1000;
constexpr double equal_within = 1e-9;

// Equal rows have equal projections on a fixed direction, so only rows with neighbouring projections are compared.
std::vector<std::size_t> duplicates_of(const Matrix& rows) {
  Eigen::VectorXd direction(rows.cols());
  for (Eigen::Index i = 0; i < direction.size(); ++i) {
    direction[i] = std::cos(static_cast<double>(i + 1));
  }
  const Matrix keys = times(rows, direction);
  const double near = equal_within * static_cast<double>(rows.cols());
  std::vector<Eigen::Index> order(static_cast<std::size_t>(rows.rows()));
  std::iota(order.begin(), order.end(), Eigen::Index{0});
  std::sort(order.begin(), order.end(), [&](Eigen::Index a, Eigen::Index b) { return keys(a) < keys(b); });
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < order.size(); ++i) {
    for (std::size_t j = i + 1; j < order.size(); ++j) {
      if (keys(order[j]) - keys(order[i]) > near) break;
      if ((rows.row(order[i]) - rows.row(order[j])).cwiseAbs().maxCoeff() > equal_within) continue;
      found.push_back(static_cast<std::size_t>(std::max(order[i], order[j])));
    }
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

Matrix distances(const Matrix& rows) {
  Matrix out(rows.rows(), rows.rows());
  for (Eigen::Index i = 0; i < rows.rows(); ++i) {
    out.row(i) = (rows.rowwise() - rows.row(i)).rowwise().norm().transpose();
  }
  return out;
}

double largest(const Matrix& values) { return values.size() == 0 ? 0 : values.cwiseAbs().maxCoeff(); }

double correlation(const Eigen::VectorXd& a, const Eigen::VectorXd& b) {
  const Eigen::VectorXd x = a.array() - a.mean();
  const Eigen::VectorXd y = b.array() - b.mean();
  const double scale = x.norm() * y.norm();
  return scale > 0 ? x.dot(y) / scale : 0;
}

// A row's component outside the span of earlier rows counts as zero if it is shorter than this fraction of the row's
// norm.
constexpr double independent_beyond = 1e-6;

Matrix chosen(const Matrix& from, std::span<const std::size_t> which) {
  Matrix out(index(which.size()), from.cols());
  for (std::size_t i = 0; i < which.size(); ++i) out.row(index(i)) = from.row(index(which[i]));
  return out;
}

Eigen::VectorXd left_over(const Matrix& rows) {
  if (rows.rows() == 0) return Eigen::VectorXd::Ones(rows.cols());
  return completed_basis(rows.transpose()).rightCols(1);
}

// Approximates row i of `y` by a linear combination of the rows of `known_y`. Row i of the result is the same
// combination of the rows of `known_x`.
Matrix transfer(const Matrix& y, const Matrix& known_y, const Matrix& known_x) {
  if (known_y.rows() == 0) return Matrix::Zero(y.rows(), y.cols());
  const Matrix combined = Qr(known_y.transpose()).solve(Matrix(y.transpose()));
  return times(combined.transpose(), known_x);
}

double rms(const Matrix& error) {
  return error.size() == 0 ? 0 : error.norm() / std::sqrt(static_cast<double>(error.size()));
}

void measure(RecoveryReading& reading, const Matrix& error, const Matrix& truth) {
  reading.largest_error = error.size() == 0 ? 0 : error.cwiseAbs().maxCoeff();
  reading.rms_error = rms(error);
  reading.relative_error = truth.norm() > 0 ? error.norm() / truth.norm() : 0;
}

constexpr std::size_t least_limit = 30;
constexpr std::size_t most_iterations = 400;
constexpr double most_products = 2e10;
constexpr double settled_within = 1e-6;
constexpr double varies_beyond = 1e-10;

SymmetricEigen eigen_of(const Matrix& symmetric) {
  std::vector<double> lower;
  for (Eigen::Index i = 0; i < symmetric.rows(); ++i) {
    for (Eigen::Index j = 0; j <= i; ++j) lower.push_back(symmetric(i, j));
  }
  return symmetric_eigen(lower, static_cast<std::size_t>(symmetric.rows()));
}

Matrix vectors_of(const SymmetricEigen& eigen) {
  const Eigen::Index d = index(eigen.values.size());
  return Eigen::Map<const Matrix>(eigen.vectors.data(), d, d);
}

// The orthogonal matrix nearest to w: (w w')^(-1/2) w.
Matrix orthogonal(const Matrix& w) {
  const SymmetricEigen eigen = eigen_of(times_transposed(w, w));
  const Matrix vectors = vectors_of(eigen);
  const Eigen::Map<const Eigen::VectorXd> values(eigen.values.data(), w.rows());
  const Eigen::VectorXd scale = values.cwiseMax(values.maxCoeff() * 1e-15).cwiseSqrt().cwiseInverse();
  return times(times_transposed(vectors * scale.asDiagonal(), vectors), w);
}

// columns x components
struct Whitening {
  Matrix to_white;
  Matrix from_white;  // columns x components
};

Whitening whitening_of(const Matrix& centred) {
  const Matrix covariance = times(centred.transpose(), centred) / static_cast<double>(centred.rows());
  const SymmetricEigen eigen = eigen_of(covariance);
  const Eigen::Map<const Eigen::VectorXd> variances(eigen.values.data(), covariance.rows());  // ascending
  Eigen::Index components = 0;
  for (Eigen::Index i = 0; i < variances.size(); ++i) {
    if (variances[i] > varies_beyond * variances.maxCoeff() && variances[i] > 0) ++components;
  }
  const Eigen::VectorXd deviations = variances.tail(components).cwiseSqrt();
  const Matrix directions = vectors_of(eigen).rightCols(components);
  return {directions * deviations.cwiseInverse().asDiagonal(), directions * deviations.asDiagonal()};
}

Matrix random_start(Eigen::Index components, std::uint64_t seed) {
  SeededDraws draws(seed);
  Matrix start(components, components);
  for (Eigen::Index i = 0; i < start.size(); ++i) start.data()[i] = draws.unit() - 0.5;
  return orthogonal(start);
}

std::size_t iteration_limit(const Matrix& white) {
  const auto components = static_cast<double>(white.cols());
  const double each = 2 * components * components * static_cast<double>(white.rows());
  return std::clamp(static_cast<std::size_t>(most_products / each), least_limit, most_iterations);
}

// One step of the fixed-point iteration w <- E[z g(w.z)] - E[g'(w.z)] w for each row w of the matrix, with g = tanh.
// The means E are over the rows z of `white`. `across` is `white` transposed.
Matrix improved(const Matrix& w, const Matrix& white, const Matrix& across) {
  const auto rows = static_cast<double>(white.rows());
  const Matrix g = times(w, across).array().tanh();
  const Eigen::VectorXd slope = (1 - g.array().square()).rowwise().mean();
  return orthogonal(times(g, white) / rows - slope.asDiagonal() * w);
}

}  // namespace

std::vector<double> others_rotated(const ActiveView& view) {
  const Eigen::Index d = index(view.dimension());
  const Eigen::Index own = index(view.own_block.columns);
  const Matrix block = as_matrix(view.own_block.values, view.dimension(), view.own_block.columns);
  const Matrix rest = as_matrix(without_own(view), view.rows, view.dimension());
  return row_by_row(times(rest, completed_basis(block).rightCols(d - own)));
}

GeometryReading read_geometry(const std::string& whose, std::span<const double> masked, std::span<const double> truth,
                              std::size_t rows) {
  const Matrix z = as_rows(masked, rows);
  const Matrix x = as_rows(truth, rows);
  GeometryReading reading;
  reading.whose = whose;
  reading.norm_error = largest(z.rowwise().norm() - x.rowwise().norm());
  const Eigen::Index some = index(std::min(rows, most_pairs_of));
  const Matrix z_some = z.topRows(some);
  const Matrix x_some = x.topRows(some);
  reading.inner_product_error = largest(times_transposed(z_some, z_some) - times_transposed(x_some, x_some));
  reading.distance_error = largest(distances(z_some) - distances(x_some));
  const std::vector<std::size_t> truly = duplicates_of(x);
  const std::vector<std::size_t> seemingly = duplicates_of(z);
  reading.duplicates = truly.size();
  reading.duplicates_found = seemingly.size();
  reading.same_duplicates = truly == seemingly;
  return reading;
}

std::vector<SumReading> read_sums(const AuditData& data, const MaskedUsers& users) {
  std::vector<SumReading> readings;
  const std::vector<double> rest = without_own(users.view);
  for (std::size_t j = 1; j < data.columns.size(); ++j) {
    const std::vector<double> truth = data.block(j);
    std::vector<double> sent(users.words[j - 1].size());
    from_fixed(users.words[j - 1], users.fraction_bits, sent);
    if (data.columns.size() == 2) sent = rest;
    const Eigen::VectorXd true_norms = as_rows(truth, data.rows).rowwise().norm();
    const Eigen::VectorXd block_norms = as_rows(users.blocks[j - 1], data.rows).rowwise().norm();
    const Eigen::VectorXd sent_norms = as_rows(sent, data.rows).rowwise().norm();
    readings.push_back({j, largest(block_norms - true_norms), correlation(block_norms, true_norms),
                        correlation(sent_norms, true_norms)});
  }
  return readings;
}

std::vector<std::size_t> independent_rows(std::span<const double> others, std::size_t rows, std::size_t most) {
  const Matrix x = as_rows(others, rows);
  Matrix basis(x.cols(), std::min(x.cols(), index(most)));
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < rows && index(found.size()) < basis.cols(); ++i) {
    Eigen::VectorXd rest = x.row(index(i)).transpose();
    const double norm = rest.norm();
    const auto span = basis.leftCols(index(found.size()));
    for (int pass = 0; pass < 2; ++pass)
      for (Eigen::Index k = 0; k < span.cols(); ++k) rest -= span.col(k).dot(rest) * span.col(k);
    if (!(rest.norm() > independent_beyond * norm)) continue;
    basis.col(index(found.size())) = rest.normalized();
    found.push_back(i);
  }
  return found;
}

RecoveryReading recover_from_known(const ActiveView& view, std::span<const double> others,
                                   std::span<const std::size_t> known) {
  const std::vector<double> rotated = others_rotated(view);
  const Matrix y = as_rows(rotated, view.rows);
  const Matrix truth = as_rows(others, view.rows);
  const Matrix known_x = chosen(truth, known);
  const Matrix known_y = chosen(y, known);
  const Matrix in_span = transfer(y, known_y, known_x);
  RecoveryReading reading;
  reading.known = known.size();
  Matrix error = in_span - truth;
  if (known.size() + 1 == view.others()) {
    const Matrix reflected = times_transposed(times(y, left_over(known_y)), left_over(known_x));
    const Matrix plus = error + reflected;
    const Matrix minus = error - reflected;
    const bool up = plus.norm() < minus.norm();
    if (reflected.norm() > independent_beyond * truth.norm()) {
      reading.rms_with_other_sign = rms(up ? minus : plus);
      error = up ? plus : minus;
    }
  }
  measure(reading, error, truth);
  return reading;
}

RecoveryReading guess_mean(std::span<const double> others, std::size_t rows, std::span<const std::size_t> known) {
  const Matrix truth = as_rows(others, rows);
  RecoveryReading reading;
  reading.known = known.size();
  Matrix error = -truth;
  if (!known.empty()) error.rowwise() += chosen(truth, known).colwise().mean();
  measure(reading, error, truth);
  return reading;
}

double error_with_mask(const ActiveView& view, std::span<const double> mask, std::span<const double> contexts) {
  const Matrix z = as_rows(view.masked, view.rows);
  const Matrix q = as_matrix(mask, view.dimension(), view.dimension());
  const Matrix error = times(z, q) - as_rows(contexts, view.rows);
  return error.size() == 0 ? 0 : error.cwiseAbs().maxCoeff();
}

Unmixed fast_ica(std::span<const double> rotated, std::size_t rows, std::uint64_t seed) {
  const Matrix y = as_rows(rotated, rows);
  Unmixed unmixed;
  if (rows < 2 || y.cols() == 0) return unmixed;
  const Matrix centred = y.rowwise() - y.colwise().mean();
  const Whitening whitening = whitening_of(centred);
  const Eigen::Index components = whitening.to_white.cols();
  unmixed.components = static_cast<std::size_t>(components);
  if (components == 0) return unmixed;
  const Matrix white = times(centred, whitening.to_white);
  const Matrix across = white.transpose();
  Matrix w = random_start(components, seed);
  const std::size_t limit = iteration_limit(white);
  while (!unmixed.converged && unmixed.iterations < limit) {
    const Matrix next = improved(w, white, across);
    const Eigen::ArrayXd turned = (next.array() * w.array()).rowwise().sum().abs() - 1;
    unmixed.converged = turned.abs().maxCoeff() < settled_within;
    ++unmixed.iterations;
    w = next;
  }
  // Column i of the mixing matrix is the direction of feature i, with the feature's standard deviation as its length.
  const Eigen::VectorXd deviations = times_transposed(whitening.from_white, w).colwise().norm();
  unmixed.values = row_by_row(times_transposed(times(y, whitening.to_white), w) * deviations.asDiagonal());
  return unmixed;
}

MatchReading match(const Unmixed& unmixed, std::span<const double> truth, std::size_t rows) {
  MatchReading reading;
  const Matrix x = as_rows(truth, rows);
  const Matrix s = as_rows(unmixed.values, rows);
  if (unmixed.components == 0 || x.cols() == 0) return reading;
  Matrix x_unit = x.rowwise() - x.colwise().mean();
  Matrix s_unit = s.rowwise() - s.colwise().mean();
  const double scale = x_unit.colwise().norm().maxCoeff();
  for (Eigen::Index f = 0; f < x_unit.cols(); ++f) {
    const double norm = x_unit.col(f).norm();
    if (norm > varies_beyond * scale)
      x_unit.col(f) /= norm;
    else
      x_unit.col(f).setZero();
  }
  s_unit.colwise().normalize();
  const Matrix correlations = times(x_unit.transpose(), s_unit);
  Matrix left = correlations.cwiseAbs();
  double squares = 0;
  for (;;) {
    Eigen::Index f = 0;
    Eigen::Index c = 0;
    if (!(left.maxCoeff(&f, &c) > 0)) break;
    const double sign = correlations(f, c) < 0 ? -1 : 1;
    reading.matches.push_back(
        {static_cast<std::size_t>(f), static_cast<std::size_t>(c), sign, std::abs(correlations(f, c))});
    squares += (sign * s.col(c) - x.col(f)).squaredNorm();
    left.row(f).setZero();
    left.col(c).setZero();
  }
  reading.matched = reading.matches.size();
  if (reading.matched == 0) return reading;
  reading.least_correlation = 1;
  for (const MatchReading::Match& one : reading.matches) {
    reading.mean_correlation += one.correlation / static_cast<double>(reading.matched);
    reading.least_correlation = std::min(reading.least_correlation, one.correlation);
  }
  reading.rms_error = std::sqrt(squares / static_cast<double>(reading.matched) / static_cast<double>(rows));
  return reading;
}

}  // namespace sotto::apps::lab
