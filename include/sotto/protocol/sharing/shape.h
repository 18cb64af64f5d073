// The shape of a value: rows x columns, row-major. A vector is one row or one column.
#pragma once

#include <cstddef>
#include <string>

namespace sotto {

struct Shape {
  std::size_t rows = 1;
  std::size_t columns = 1;

  [[nodiscard]] constexpr std::size_t lanes() const { return rows * columns; }
  friend constexpr bool operator==(const Shape&, const Shape&) = default;
};

// "3x4".
[[nodiscard]] std::string to_string(Shape shape);

// Throws std::invalid_argument naming `what` unless the two are equal.
void require_same_shape(Shape a, Shape b, const char* what);
void require_same_scale(unsigned a, unsigned b, const char* what);

}  // namespace sotto
