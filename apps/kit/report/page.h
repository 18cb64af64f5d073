// What one measurement prints: where its figures come from, and its tables.
//
// JSON: {"bench": name, "provenance": {...}, "tables": {key: [{column: figure}, ...], ...}}. Markdown: a page for
// bench/results/.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "sotto/apps/kit/report/provenance.h"
#include "sotto/apps/kit/report/table.h"

namespace sotto::apps {

struct Page {
  std::string name;   // of the measurement, "floor"
  std::string title;  // of the Markdown page
  std::string about;  // what was measured, and how: a paragraph
  Provenance provenance;
  std::vector<FigureTable> tables;
};

[[nodiscard]] std::string to_text(const Page& page);
[[nodiscard]] std::string to_markdown(const Page& page);
[[nodiscard]] nlohmann::ordered_json to_json(const Page& page);

}  // namespace sotto::apps
