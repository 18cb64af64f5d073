#pragma once

#include <algorithm>

#include "bench/lab/experiment.h"

namespace sotto::apps::lab {

inline nlohmann::json rows_of(const std::vector<FigureTable>& tables, const std::string& key) {
  const auto found = std::find_if(tables.begin(), tables.end(), [&](const FigureTable& t) { return t.key() == key; });
  return found == tables.end() ? nlohmann::json::array() : nlohmann::json::parse(found->to_json().dump());
}

}  // namespace sotto::apps::lab
