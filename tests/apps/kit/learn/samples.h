#pragma once

#include "apps/kit/learn/seeded.h"
#include "tests/apps/support.h"

namespace sotto::apps::testing {

inline std::vector<double> normals(StepStream& stream, std::size_t count, double deviation = 1) {
  std::vector<double> values(count + 1);
  for (std::size_t i = 0; i < count; i += 2) {
    const NormalPair pair = normal_pair(stream);
    values[i] = deviation * pair.first;
    values[i + 1] = deviation * pair.second;
  }
  values.resize(count);
  return values;
}

inline std::vector<double> directions(StepStream& stream, std::size_t count, std::size_t d) {
  return normals(stream, count * d, 1 / std::sqrt(static_cast<double>(d)));
}

template <class Counts>
double chi_square(const Counts& counts, double expected) {
  double sum = 0;
  for (const double count : counts) sum += (count - expected) * (count - expected) / expected;
  return sum;
}

inline double dot(const double* a, const double* b, std::size_t n) {
  double sum = 0;
  for (std::size_t i = 0; i < n; ++i) sum += a[i] * b[i];
  return sum;
}

// Returns Q x for each row x of length d, where Q is a d x d matrix.
inline std::vector<double> times(const std::vector<double>& rows, const std::vector<double>& q, std::size_t d) {
  std::vector<double> result(rows.size());
  for (std::size_t r = 0; r < rows.size() / d; ++r) {
    for (std::size_t i = 0; i < d; ++i) result[r * d + i] = dot(q.data() + i * d, rows.data() + r * d, d);
  }
  return result;
}

}  // namespace sotto::apps::testing
