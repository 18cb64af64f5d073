#include "apps/kit/learn/ridge.h"

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <algorithm>
#include <cmath>

namespace sotto::apps {
namespace {

using Matrix = Eigen::MatrixXd;
using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Rows = Eigen::Map<const RowMajor, 0, Eigen::OuterStride<>>;

constexpr std::size_t most_recent = 64;  // samples that are added to A together

constexpr Eigen::Index small = 48;  // inverted without splitting

// Inverts an upper triangular matrix in place, by halves: [A B; 0 D]^-1 = [A^-1 -A^-1 B D^-1; 0 D^-1].
void invert_upper(Eigen::Ref<Matrix> u) {
  const Eigen::Index n = u.rows();
  if (n <= small) {
    const Matrix inverse = u.triangularView<Eigen::Upper>().solve(Matrix::Identity(n, n));
    u = inverse;
    return;
  }
  const Eigen::Index half = n / 2;
  auto first = u.topLeftCorner(half, half);
  auto last = u.bottomRightCorner(n - half, n - half);
  invert_upper(first);
  invert_upper(last);
  const Matrix left = first.triangularView<Eigen::Upper>() * u.topRightCorner(half, n - half);
  u.topRightCorner(half, n - half) = -left * last.triangularView<Eigen::Upper>();
}

Eigen::Index index(std::size_t i) { return static_cast<Eigen::Index>(i); }

}  // namespace

Ridge::Ridge(std::size_t dimension, double lambda, std::uint64_t refresh_every, const FactorKernels& kernels)
    : dimension_(dimension),
      stride_(padded(dimension)),
      refresh_every_(refresh_every),
      kernels_(kernels),
      factor_(factor_size(stride_)),
      theta_(stride_),
      gain_(stride_),
      work_(2 * stride_),
      sums_(stride_ * stride_),
      rewards_(stride_),
      recent_(stride_ * most_recent),
      recent_columns_(padded(static_cast<std::size_t>(std::min<std::uint64_t>(refresh_every, most_recent)))) {
  for (std::size_t j = 0; j < dimension; ++j) {
    factor_[factor_column(j) + j] = 1 / std::sqrt(lambda);
    sums_[j * stride_ + j] = lambda;
  }
}

void Ridge::learn(const double* x, const double* z, double reward) {
  const double error = reward - kernels_.dot(x, theta_.data(), stride_);
  const double spread = 1 + kernels_.dot(z, z, stride_);
  kernels_.shrink(factor_.data(), gain_.data(), z, work_.data(), stride_);
  const double weight = error / spread;
  for (std::size_t i = 0; i < stride_; ++i) {
    theta_[i] += weight * gain_[i];
    rewards_[i] += reward * x[i];
  }
  remember(x);
  ++samples_;
  ++since_refresh_;
  if (samples_ % refresh_every_ == 0) {
    sum_up();
    if (sums_are_finer()) refresh();
  }
}

void Ridge::remember(const double* x) {
  for (std::size_t i = 0; i < dimension_; ++i) recent_[i * recent_columns_ + recent_count_] = x[i];
  if (++recent_count_ == recent_columns_) sum_up();
}

void Ridge::sum_up() {
  kernels_.gram_add(sums_.data(), stride_, recent_.data(), stride_, recent_columns_);
  std::fill_n(recent_.data(), stride_ * recent_columns_, 0.0);
  recent_count_ = 0;
}

bool Ridge::sums_are_finer() {
  std::fill_n(work_.data(), stride_, 0.0);  // diagonal of W
  double largest = 0;                       // largest entry of A's diagonal
  for (std::size_t column = 0; column < dimension_; ++column) {
    const double* s = factor_.data() + factor_column(column);
    for (std::size_t i = 0; i <= column; ++i) work_[i] += s[i] * s[i];
    largest = std::max(largest, sums_[column * stride_ + column]);
  }
  const double condition = largest * *std::max_element(work_.data(), work_.data() + dimension_);
  return condition <= static_cast<double>(since_refresh_);
}

void Ridge::refresh() {
  const Eigen::Index d = index(dimension_);
  const Rows sums(sums_.data(), d, d, Eigen::OuterStride<>(index(stride_)));
  const Eigen::LLT<Matrix> llt(sums.selfadjointView<Eigen::Lower>());
  if (llt.info() != Eigen::Success) return;
  // Since A = L L', S = L'^-1 satisfies S S' = A^-1.
  Matrix factor = llt.matrixU();
  invert_upper(factor);
  for (std::size_t j = 0; j < dimension_; ++j) {
    std::copy_n(factor.data() + j * dimension_, j + 1, factor_.data() + factor_column(j));
  }
  const Eigen::Map<const Eigen::VectorXd> rewards(rewards_.data(), d);
  Eigen::VectorXd theta = llt.solve(rewards);
  theta += llt.solve(rewards - sums.selfadjointView<Eigen::Lower>() * theta);
  std::copy_n(theta.data(), dimension_, theta_.data());
  since_refresh_ = 0;
}

std::vector<double> Ridge::inverse() const {
  const std::size_t d = dimension_;
  std::vector<double> inverse(d * d);
  for (std::size_t column = 0; column < d; ++column) {
    const double* s = factor_.data() + factor_column(column);
    for (std::size_t i = 0; i <= column; ++i) {
      for (std::size_t j = 0; j <= column; ++j) inverse[i * d + j] += s[i] * s[j];
    }
  }
  return inverse;
}

}  // namespace sotto::apps
