// The columns of a figure table in one sentence: "parties; step_us: step, us" is a column whose key and head are
// "parties", and one whose key is "step_us" and whose head is "step, us".
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "sotto/apps/kit/report/table.h"

namespace sotto::apps {

[[nodiscard]] inline std::vector<Column> columns(std::string_view list) {
  std::vector<Column> all;
  while (!list.empty()) {
    const std::string_view column = list.substr(0, list.find("; "));
    list.remove_prefix(std::min(list.size(), column.size() + 2));
    const std::size_t colon = column.find(": ");
    const std::string_view head = colon == std::string_view::npos ? column : column.substr(colon + 2);
    all.push_back({std::string(column.substr(0, colon)), std::string(head)});
  }
  return all;
}

}  // namespace sotto::apps
