// ValueGroups: values in groups of one row each, of which the last may be short, and the pairs that are compared.
#pragma once

#include <algorithm>
#include <cstddef>

#include "sotto/core/sharing/shape.h"

namespace sotto {

// Value i is in row i / shape.columns and column i % shape.columns.
struct ValueGroups {
  std::size_t count;  // values
  Shape shape;

  [[nodiscard]] std::size_t members(std::size_t group) const {
    return std::min(shape.columns, count - group * shape.columns);
  }
  // f(pair, i, j) for all pairs i < j of a group, group by group.
  template <class F>
  void for_each_pair(F f) const {
    std::size_t pair = 0;
    for (std::size_t g = 0; g < shape.rows; ++g) {
      const std::size_t end = g * shape.columns + members(g);
      for (std::size_t i = g * shape.columns; i < end; ++i) {
        for (std::size_t j = i + 1; j < end; ++j) f(pair++, i, j);
      }
    }
  }
  [[nodiscard]] std::size_t pairs() const {
    std::size_t sum = 0;
    for (std::size_t g = 0; g < shape.rows; ++g) sum += members(g) * (members(g) - 1) / 2;
    return sum;
  }
};

}  // namespace sotto
