// A dot with whiskers, as a cell of a page's table: a value with its interval, on the scale of its column.
#pragma once

#include <optional>
#include <span>
#include <string>

namespace sotto::apps {

struct Dot {
  std::optional<double> value{};  // absent: only whiskers
  std::optional<double> low{};    // both ends of the whiskers, or none
  std::optional<double> high{};
  bool is_own = false;  // whether the dot has the colour of the private run
};

// The range of a column: all dots with their whiskers, and 0.
struct DotScale {
  double low = 0;
  double high = 0;
};
[[nodiscard]] DotScale dot_scale(std::span<const Dot> dots);

// Markup for a table's cell. Screen readers skip the markup, because other columns show the numbers.
[[nodiscard]] std::string dot_cell(const Dot& dot, const DotScale& scale);

}  // namespace sotto::apps
