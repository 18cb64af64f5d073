// Ridge regression that learns one sample at a time. Let A = lambda I + the sum of x x', and let b = the sum of reward
// x. Ridge stores W = A^-1 and theta = W b.
//
// W is stored as S S' with S upper triangular. A sample x changes S by Carlson's formula. The formula cannot make W
// indefinite, because it works on S. It loses little to rounding, because the condition number of S is only the square
// root of the condition number of W. Each sample adds at most one rounding error to S and theta. Ridge can also compute
// S and theta from A and b, which costs about one rounding error times the condition number of A. After every
// refresh_every samples, Ridge does so if an estimate of this condition number is at most the number of samples since
// the last refresh. The matrix A is a rounded sum of many samples, so a small lambda may be lost in A, while S still
// contains it.
//
// Each row has stride() doubles, is aligned, and is zero beyond `dimension`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "apps/kit/learn/doubles.h"
#include "apps/kit/learn/factor_kernels.h"

namespace sotto::apps {

class Ridge {
 public:
  // All three numbers must be above 0. `kernels` must outlive this object.
  Ridge(std::size_t dimension, double lambda, std::uint64_t refresh_every, const FactorKernels& kernels);

  [[nodiscard]] std::size_t dimension() const noexcept { return dimension_; }
  [[nodiscard]] std::size_t stride() const noexcept { return stride_; }
  [[nodiscard]] std::uint64_t samples() const noexcept { return samples_; }
  // stride() entries.
  [[nodiscard]] const double* theta() const noexcept { return theta_.data(); }
  // The matrix W, dimension x dimension.
  [[nodiscard]] std::vector<double> inverse() const;

  // z = x S for each row x, so x' W x = z'z.
  void project(double* z, const double* x, std::size_t rows) const {
    kernels_.project(z, x, factor_.data(), rows, stride_);
  }
  // `reward`, z'z, and all numbers of x and z must be finite.
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

  Doubles sums_;     // A, lower triangle
  Doubles rewards_;  // b
  Doubles recent_;   // samples that are not in A yet
  std::size_t recent_columns_;
  std::size_t recent_count_ = 0;
};

// The functions below are for ridge regression in few dimensions, with many models that each learn few samples. The
// caller stores the inverse W of A = lambda I + the sum of x x' (dense and symmetric, d x d). The order of all sums is
// fixed, so results do not depend on the caller.

[[nodiscard]] inline double inner_product(const double* a, const double* b, std::size_t d) {
  double sum = 0;
  for (std::size_t i = 0; i < d; ++i) sum += a[i] * b[i];
  return sum;
}

// out = W x.
inline void multiply_symmetric(const double* w, const double* x, std::size_t d, double* out) {
  for (std::size_t j = 0; j < d; ++j) out[j] = 0;
  for (std::size_t i = 0; i < d; ++i, w += d) {
    const double factor = x[i];
    for (std::size_t j = 0; j < d; ++j) out[j] += factor * w[j];
  }
}

// x' W x. Sets gain = W x unless gain is null.
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
// Returns the factor 1 / (1 + x' W x). A caller that stores theta must add factor * (reward - prediction) * gain to
// theta.
inline double learn_sample(double* w, const double* gain, double squared_width, std::size_t d) {
  const double scale = 1 / (1 + squared_width);
  for (std::size_t i = 0; i < d; ++i, w += d) {
    const double factor = scale * gain[i];
    for (std::size_t j = 0; j < d; ++j) w[j] -= factor * gain[j];
  }
  return scale;
}

}  // namespace sotto::apps
