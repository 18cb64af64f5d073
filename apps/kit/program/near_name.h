// The name that somebody probably meant.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace sotto::apps {

// How many letters to change, add, leave out or swap with their neighbour to get from one name to the other.
[[nodiscard]] std::size_t name_distance(std::string_view a, std::string_view b);

// The candidate nearest to `name` if it is near: at most two letters away, and at most a third of the longer name;
// empty if none is. Of equally near ones the first.
[[nodiscard]] std::string near_name(std::string_view name, const std::vector<std::string>& candidates);

// "; did you mean X?" of the near candidate X, or nothing.
[[nodiscard]] std::string did_you_mean(std::string_view name, const std::vector<std::string>& candidates);

}  // namespace sotto::apps
