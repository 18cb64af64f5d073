#include "sotto/bench/lab/o3m_audit/unmix.h"

#include <Eigen/Core>
#include <Eigen/Eigenvalues>
#include <Eigen/SVD>
#include <algorithm>
#include <cmath>

#include "sotto/apps/kit/data/seeded.h"
#include "sotto/bench/lab/o3m_audit/rows.h"

namespace sotto::apps {
namespace {

constexpr std::size_t least_limit = 30;
constexpr std::size_t most_iterations = 400;
constexpr double most_products = 2e10;  // some seconds
constexpr double settled_within = 1e-6;
constexpr double varies_beyond = 1e-10;  // of the largest variance

// The orthogonal matrix nearest to w.
Eigen::MatrixXd orthogonal(const Eigen::MatrixXd& w) {
  const Eigen::JacobiSVD<Eigen::MatrixXd> svd(w, Eigen::ComputeFullU | Eigen::ComputeFullV);
  return svd.matrixU() * svd.matrixV().transpose();
}

// Directions of variance, each divided by its standard deviation: columns x components.
struct Whitening {
  Eigen::MatrixXd to_white;
  Eigen::MatrixXd from_white;  // and back, columns x components
};

Whitening whitening_of(const Eigen::MatrixXd& centred) {
  const Eigen::MatrixXd covariance = centred.transpose() * centred / static_cast<double>(centred.rows());
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(covariance);
  const Eigen::VectorXd& variances = solver.eigenvalues();  // ascending
  Eigen::Index components = 0;
  for (Eigen::Index i = 0; i < variances.size(); ++i) {
    if (variances[i] > varies_beyond * variances.maxCoeff() && variances[i] > 0) ++components;
  }
  const Eigen::VectorXd deviations = variances.tail(components).cwiseSqrt();
  const Eigen::MatrixXd directions = solver.eigenvectors().rightCols(components);
  return {directions * deviations.cwiseInverse().asDiagonal(), directions * deviations.asDiagonal()};
}

Eigen::MatrixXd random_start(Eigen::Index components, std::uint64_t seed) {
  SeededDraws draws(seed);
  Eigen::MatrixXd start(components, components);
  for (Eigen::Index i = 0; i < start.size(); ++i) start.data()[i] = draws.unit() - 0.5;
  return orthogonal(start);
}

// Many features of many rows get fewer attempts, so that an audit ends in seconds.
std::size_t iteration_limit(const Eigen::MatrixXd& white) {
  const auto components = static_cast<double>(white.cols());
  const double each = 2 * components * components * static_cast<double>(white.rows());
  return std::clamp(static_cast<std::size_t>(most_products / each), least_limit, most_iterations);
}

// One step of the fixed point: w <- E[z g(w.z)] - E[g'(w.z)] w with g = tanh, all rows w of W.
Eigen::MatrixXd improved(const Eigen::MatrixXd& w, const Eigen::MatrixXd& white) {
  const auto rows = static_cast<double>(white.rows());
  const Eigen::MatrixXd g = (white * w.transpose()).array().tanh();
  const Eigen::VectorXd slope = (1 - g.array().square()).colwise().mean();
  return orthogonal(g.transpose() * white / rows - slope.asDiagonal() * w);
}

}  // namespace

Unmixed fast_ica(std::span<const double> rotated, std::size_t rows, std::uint64_t seed) {
  const ConstRows y = as_rows(rotated, rows);
  Unmixed unmixed;
  if (rows < 2 || y.cols() == 0) return unmixed;
  const Eigen::MatrixXd centred = y.rowwise() - y.colwise().mean();
  const Whitening whitening = whitening_of(centred);
  const Eigen::Index components = whitening.to_white.cols();
  unmixed.components = static_cast<std::size_t>(components);
  if (components == 0) return unmixed;
  const Eigen::MatrixXd white = centred * whitening.to_white;
  Eigen::MatrixXd w = random_start(components, seed);
  const std::size_t limit = iteration_limit(white);
  while (!unmixed.converged && unmixed.iterations < limit) {
    const Eigen::MatrixXd next = improved(w, white);
    const Eigen::ArrayXd turned = (next * w.transpose()).diagonal().array().abs() - 1;
    unmixed.converged = turned.abs().maxCoeff() < settled_within;
    ++unmixed.iterations;
    w = next;
  }
  // A column of the mixture is a feature's direction times its standard deviation.
  const Eigen::VectorXd deviations = (whitening.from_white * w.transpose()).colwise().norm();
  const RowMajor values = y * whitening.to_white * w.transpose() * deviations.asDiagonal();
  unmixed.values.assign(values.data(), values.data() + values.size());
  return unmixed;
}

MatchReading match(const Unmixed& unmixed, std::span<const double> truth, std::size_t rows) {
  MatchReading reading;
  const ConstRows x = as_rows(truth, rows);
  const ConstRows s = as_rows(unmixed.values, rows);
  if (unmixed.components == 0 || x.cols() == 0) return reading;
  Eigen::MatrixXd x_unit = x.rowwise() - x.colwise().mean();
  Eigen::MatrixXd s_unit = s.rowwise() - s.colwise().mean();
  const double scale = x_unit.colwise().norm().maxCoeff();
  for (Eigen::Index f = 0; f < x_unit.cols(); ++f) {
    const double norm = x_unit.col(f).norm();
    if (norm > varies_beyond * scale)
      x_unit.col(f) /= norm;
    else
      x_unit.col(f).setZero();
  }
  s_unit.colwise().normalize();
  const Eigen::MatrixXd correlations = x_unit.transpose() * s_unit;
  Eigen::MatrixXd left = correlations.cwiseAbs();
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

}  // namespace sotto::apps
