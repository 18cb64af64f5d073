// Row-major matrices over an auditor's numbers.
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <span>

namespace sotto::apps {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using ConstRows = Eigen::Map<const RowMajor>;

inline Eigen::Index index(std::size_t i) { return static_cast<Eigen::Index>(i); }

inline ConstRows as_rows(std::span<const double> values, std::size_t rows) {
  return {values.data(), index(rows), index(rows == 0 ? 0 : values.size() / rows)};
}

}  // namespace sotto::apps
