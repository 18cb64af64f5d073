// A dot in a page's table shows a value with its interval, on the scale of its column.
#pragma once

#include <optional>
#include <span>
#include <string>

namespace sotto::apps {

struct Dot {
  std::optional<double> value{};  // if absent, only the interval is drawn
  std::optional<double> low{};    // set if and only if `high` is set
  std::optional<double> high{};
  bool is_own = false;  // the private run
};

// The range of a column's dots, which always includes 0.
struct DotScale {
  double low = 0;
  double high = 0;
};
[[nodiscard]] DotScale dot_scale(std::span<const Dot> dots);

// Screen readers skip the dot, because other columns show the numbers.
[[nodiscard]] std::string dot_cell(const Dot& dot, const DotScale& scale);

}  // namespace sotto::apps
