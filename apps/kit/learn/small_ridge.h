// Ridge regression in few dimensions, on plain arrays of the caller's: the inverse W of
// A = lambda I + the sum of x x', dense and symmetric, d x d. For many models that learn little each; Ridge (ridge.h)
// is for one that learns much. Sums are in a fixed order, so results do not depend on who asks.
#pragma once

#include <cstddef>

namespace sotto::apps {

[[nodiscard]] inline double inner_product(const double* a, const double* b, std::size_t d) {
  double sum = 0;
  for (std::size_t i = 0; i < d; ++i) sum += a[i] * b[i];
  return sum;
}

// out = W x: rows are added up, so that the loop vectorises.
inline void multiply_symmetric(const double* w, const double* x, std::size_t d, double* out) {
  for (std::size_t j = 0; j < d; ++j) out[j] = 0;
  for (std::size_t i = 0; i < d; ++i, w += d) {
    const double factor = x[i];
    for (std::size_t j = 0; j < d; ++j) out[j] += factor * w[j];
  }
}

// x' W x, and gain = W x unless gain is null.
[[nodiscard]] inline double squared_width(const double* w, const double* x, std::size_t d, double* gain = nullptr) {
  double width = 0;
  for (std::size_t i = 0; i < d; ++i, w += d) {
    const double sum = inner_product(w, x, d);
    if (gain != nullptr) gain[i] = sum;
    width += sum * x[i];
  }
  return width;
}

// W learns x by Sherman and Morrison's formula, gain being W x and squared_width x' W x. Gives
// 1 / (1 + x' W x): theta grows by gain times that times the error of the prediction.
inline double learn_sample(double* w, const double* gain, double squared_width, std::size_t d) {
  const double scale = 1 / (1 + squared_width);
  for (std::size_t i = 0; i < d; ++i, w += d) {
    const double factor = scale * gain[i];
    for (std::size_t j = 0; j < d; ++j) w[j] -= factor * gain[j];
  }
  return scale;
}

}  // namespace sotto::apps
