#include "sotto/protocol/sharing/shape.h"

#include <fmt/format.h>

#include <stdexcept>

namespace sotto {

std::string to_string(Shape shape) { return fmt::format("{}x{}", shape.rows, shape.columns); }

void require_same_shape(Shape a, Shape b, const char* what) {
  if (a == b) return;
  throw std::invalid_argument(fmt::format("{}: shapes {} and {} differ", what, to_string(a), to_string(b)));
}

void require_same_scale(unsigned a, unsigned b, const char* what) {
  if (a == b) return;
  throw std::invalid_argument(
      fmt::format("{}: values with {} and {} fraction bits do not add up, scale one of them", what, a, b));
}

}  // namespace sotto
