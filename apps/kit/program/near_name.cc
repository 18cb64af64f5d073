#include "apps/kit/program/near_name.h"

#include <fmt/format.h>

#include <algorithm>

namespace sotto::apps {
namespace {

// Longer names are nobody's slip of the finger, and the table grows with the product of lengths.
constexpr std::size_t longest_name = 64;

}  // namespace

std::size_t name_distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) d[i][0] = i;
  for (std::size_t j = 0; j <= b.size(); ++j) d[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t changed = a[i - 1] == b[j - 1] ? 0 : 1;
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + changed});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  }
  return d[a.size()][b.size()];
}

std::string near_name(std::string_view name, const std::vector<std::string>& candidates) {
  if (name.size() > longest_name) return {};
  std::string best;
  std::size_t least = 3;
  for (const std::string& candidate : candidates) {
    const std::size_t distance = name_distance(name, candidate);
    if (distance < least && 3 * distance <= std::max(name.size(), candidate.size())) {
      least = distance;
      best = candidate;
    }
  }
  return best;
}

std::string did_you_mean(std::string_view name, const std::vector<std::string>& candidates) {
  const std::string near = near_name(name, candidates);
  return near.empty() ? near : fmt::format("; did you mean {}?", near);
}

}  // namespace sotto::apps
