// Ridge regression that learns one sample at a time. Let A = lambda I + the sum of x x', and
// let b = the sum of reward x. The class Ridge stores W = A^-1 and theta = W b.
//
// W is stored as S S' with S upper triangular. A sample x changes S by Carlson's formula. The formula works on S, whose
// condition number is the square root of the condition number of W, and cannot make W indefinite. The sample changes
// theta by a multiple of the gain W x. S and theta drift by at most one rounding per sample. Every refresh_every
// samples, Ridge may compute S and theta from scratch, from A and b. After such a refresh, the error of S and theta is
// one rounding for each unit of A's condition number. Ridge therefore refreshes only if this error is smaller than the
// drift. A rounded sum of many samples may have lost a small lambda that S still contains.
//
// Rows have stride() doubles, aligned and zero beyond `dimension`, as in factor_kernels.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "apps/kit/learn/doubles.h"
#include "apps/kit/learn/factor_kernels.h"

namespace sotto::apps {

class Ridge {
 public:
  // dimension, lambda and refresh_every must be above 0. `kernels` must outlive this object.
  Ridge(std::size_t dimension, double lambda, std::uint64_t refresh_every, const FactorKernels& kernels);

  [[nodiscard]] std::size_t dimension() const noexcept { return dimension_; }
  [[nodiscard]] std::size_t stride() const noexcept { return stride_; }
  [[nodiscard]] std::uint64_t samples() const noexcept { return samples_; }
  // The vector theta, with stride() entries.
  [[nodiscard]] const double* theta() const noexcept { return theta_.data(); }
  // The matrix W, dimension x dimension.
  [[nodiscard]] std::vector<double> inverse() const;

  // Computes z = x S for each row x, so that x' W x is z'z.
  void project(double* z, const double* x, std::size_t rows) const {
    kernels_.project(z, x, factor_.data(), rows, stride_);
  }
  // Learns that the context x, whose projection is z, earned `reward`. All numbers and z'z must be finite.
  void learn(const double* x, const double* z, double reward);

 private:
  void remember(const double* x);
  void sum_up();
  [[nodiscard]] bool sums_are_finer();
  void refresh();

  std::size_t dimension_;
  std::size_t stride_;
  std::uint64_t refresh_every_;
  const FactorKernels& kernels_;
  std::uint64_t samples_ = 0;
  std::uint64_t since_refresh_ = 0;

  Doubles factor_;  // S
  Doubles theta_;
  Doubles gain_;
  Doubles work_;

  Doubles sums_;     // A, lower triangle, rows of stride()
  Doubles rewards_;  // b
  Doubles recent_;   // samples that A lacks, transposed: stride() rows, one column per sample
  std::size_t recent_columns_;
  std::size_t recent_count_ = 0;
};

// The functions below do ridge regression in few dimensions, on arrays of the caller. The caller stores the inverse W
// of A = lambda I + the sum of x x' (dense and symmetric, d x d). The functions suit many models that learn little
// each; the class Ridge suits one model that learns much. The order of all sums is fixed, so results do not depend on
// the caller.

[[nodiscard]] inline double inner_product(const double* a, const double* b, std::size_t d) {
  double sum = 0;
  for (std::size_t i = 0; i < d; ++i) sum += a[i] * b[i];
  return sum;
}

// Computes out = W x. The function adds up the rows of W, so that the compiler vectorises the loop.
inline void multiply_symmetric(const double* w, const double* x, std::size_t d, double* out) {
  for (std::size_t j = 0; j < d; ++j) out[j] = 0;
  for (std::size_t i = 0; i < d; ++i, w += d) {
    const double factor = x[i];
    for (std::size_t j = 0; j < d; ++j) out[j] += factor * w[j];
  }
}

// Returns x' W x. Sets gain = W x unless gain is null.
[[nodiscard]] inline double squared_width(const double* w, const double* x, std::size_t d, double* gain = nullptr) {
  double width = 0;
  for (std::size_t i = 0; i < d; ++i, w += d) {
    const double sum = inner_product(w, x, d);
    if (gain != nullptr) gain[i] = sum;
    width += sum * x[i];
  }
  return width;
}

// Changes W by the sample x with Sherman and Morrison's formula, where `gain` is W x and `squared_width` is x' W x.
// Returns the factor 1 / (1 + x' W x). A caller that stores theta must increase theta by the factor times the error of
// the prediction times `gain`. The error is the reward minus the prediction.
inline double learn_sample(double* w, const double* gain, double squared_width, std::size_t d) {
  const double scale = 1 / (1 + squared_width);
  for (std::size_t i = 0; i < d; ++i, w += d) {
    const double factor = scale * gain[i];
    for (std::size_t j = 0; j < d; ++j) w[j] -= factor * gain[j];
  }
  return scale;
}

}  // namespace sotto::apps
