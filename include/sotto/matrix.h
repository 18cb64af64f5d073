// Matrix: real numbers in the clear; entries that a role does not know are NaN.
#pragma once

#include <Eigen/Core>

#include "sotto/protocol/sharing/shape.h"

namespace sotto {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

[[nodiscard]] inline Shape shape_of(const Matrix& matrix) {
  return Shape{static_cast<std::size_t>(matrix.rows()), static_cast<std::size_t>(matrix.cols())};
}

}  // namespace sotto
