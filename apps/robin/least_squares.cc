#include "sotto/apps/robin/least_squares.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "sotto/apps/kit/learn/symmetric_eigen.h"

namespace sotto::apps {
namespace {

// A direction with less than this part of the largest one's weight counts as one that no x has.
constexpr double negligible = 1e-10;

}  // namespace

LeastSquares::LeastSquares(std::size_t dimension)
    : dimension_(dimension), factor_(dimension * dimension), column_(dimension) {}

void LeastSquares::solve(std::span<const double> triangle, std::span<const double> moments, std::span<double> out) {
  if (!factorize(triangle, 0)) return solve_singular(triangle, moments, out);
  std::copy(moments.begin(), moments.end(), out.begin());
  substitute(out);
}

void LeastSquares::invert(std::span<const double> triangle, double ridge, std::span<double> inverse) {
  const std::size_t d = dimension_;
  factorize(triangle, ridge);
  for (std::size_t j = 0; j < d; ++j) {
    std::fill(column_.begin(), column_.end(), 0.0);
    column_[j] = 1;
    substitute(column_);
    for (std::size_t i = 0; i < d; ++i) inverse[i * d + j] = column_[i];
  }
}

bool LeastSquares::factorize(std::span<const double> triangle, double ridge) {
  const std::size_t d = dimension_;
  double largest = 0;
  double least = INFINITY;
  const double* entry = triangle.data();
  for (std::size_t i = 0; i < d; ++i) {
    double* row = factor_.data() + i * d;
    for (std::size_t j = 0; j <= i; ++j) {
      const double* other = factor_.data() + j * d;
      double sum = *entry++ + (i == j ? ridge : 0);
      if (i == j) largest = std::max(largest, sum);
      for (std::size_t k = 0; k < j; ++k) sum -= row[k] * other[k];
      if (j < i) {
        row[j] = sum / other[j];
        continue;
      }
      least = std::min(least, sum);
      if (!(sum > negligible * largest) && ridge == 0) return false;
      row[i] = std::sqrt(sum);
    }
  }
  return ridge > 0 || least > negligible * largest;
}

// values = (L L')^-1 values
void LeastSquares::substitute(std::span<double> values) const {
  const std::size_t d = dimension_;
  for (std::size_t i = 0; i < d; ++i) {
    for (std::size_t j = 0; j < i; ++j) values[i] -= factor_[i * d + j] * values[j];
    values[i] /= factor_[i * d + i];
  }
  for (std::size_t i = d; i-- > 0;) {
    for (std::size_t j = i + 1; j < d; ++j) values[i] -= factor_[j * d + i] * values[j];
    values[i] /= factor_[i * d + i];
  }
}

void LeastSquares::solve_singular(std::span<const double> triangle, std::span<const double> moments,
                                  std::span<double> out) const {
  const std::size_t d = dimension_;
  const SymmetricEigen eigen = symmetric_eigen(triangle.first(d * (d + 1) / 2), d);
  const double enough = negligible * std::max(eigen.values[d - 1], 0.0);
  std::fill(out.begin(), out.end(), 0.0);
  for (std::size_t i = 0; i < d; ++i) {
    if (!(eigen.values[i] > enough)) continue;
    const double* vector = eigen.vectors.data() + i * d;
    const double part = std::inner_product(vector, vector + d, moments.data(), 0.0) / eigen.values[i];
    for (std::size_t j = 0; j < d; ++j) out[j] += part * vector[j];
  }
}

}  // namespace sotto::apps
