// Matrix: real numbers in the clear, the usual type of the inputs and results of programs. Entries are in row-major
// order, as in a shared value. Entries that a role does not know are NaN: for example, opened values at the dealer, or
// values opened only to another party.
#pragma once

#include <Eigen/Core>

#include "sotto/protocol/sharing/shape.h"

namespace sotto {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

[[nodiscard]] inline Shape shape_of(const Matrix& matrix) {
  return Shape{static_cast<std::size_t>(matrix.rows()), static_cast<std::size_t>(matrix.cols())};
}

}  // namespace sotto
