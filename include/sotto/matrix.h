// Matrix: real numbers in the clear, as programs take and give them: row by row, as a value of shares is. What a role
// does not know is NaN: the opened values at the dealer, or of another party.
#pragma once

#include <Eigen/Core>

#include "sotto/protocol/sharing/shape.h"

namespace sotto {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

[[nodiscard]] inline Shape shape_of(const Matrix& matrix) {
  return Shape{static_cast<std::size_t>(matrix.rows()), static_cast<std::size_t>(matrix.cols())};
}

}  // namespace sotto
