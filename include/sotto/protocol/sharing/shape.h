// Rows x columns, row-major; a vector is one row or one column.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>

namespace sotto {

struct Shape {
  std::size_t rows = 1;
  std::size_t columns = 1;

  [[nodiscard]] constexpr std::size_t lanes() const { return rows * columns; }
  friend constexpr bool operator==(const Shape&, const Shape&) = default;
};

[[nodiscard]] std::string to_string(Shape shape);

// Throws a std::invalid_argument whose text names `what`, unless a and b are equal.
void require_same_shape(Shape a, Shape b, const char* what);
void require_same_scale(unsigned a, unsigned b, const char* what);

// ValueGroups: the values of each event, in groups of `columns` lanes. Within a group, all pairs of values are
// compared. The last group of an event may have fewer values than lanes.
struct ValueGroups {
  std::size_t events;
  std::size_t candidates;  // number of values of each event
  std::size_t columns;

  [[nodiscard]] std::size_t an_event() const { return (candidates + columns - 1) / columns; }
  [[nodiscard]] Shape shape() const { return {events * an_event(), columns}; }
  [[nodiscard]] std::size_t members(std::size_t group) const {
    return std::min(columns, candidates - group % an_event() * columns);
  }
  [[nodiscard]] std::size_t event_of(std::size_t group) const { return group / an_event(); }
  [[nodiscard]] std::size_t lane(std::size_t event, std::size_t candidate) const {
    return event * an_event() * columns + candidate;
  }
  // Calls f(pair, i, j) for the lanes i < j of all pairs within a group, group by group.
  template <class F>
  void for_each_pair(F f) const {
    std::size_t pair = 0;
    for (std::size_t g = 0; g < shape().rows; ++g) {
      const std::size_t end = g * columns + members(g);
      for (std::size_t i = g * columns; i < end; ++i) {
        for (std::size_t j = i + 1; j < end; ++j) f(pair++, i, j);
      }
    }
  }
  [[nodiscard]] std::size_t pairs() const {
    std::size_t sum = 0;
    for (std::size_t g = 0; g < an_event(); ++g) sum += members(g) * (members(g) - 1) / 2;
    return events * sum;
  }
};

}  // namespace sotto
