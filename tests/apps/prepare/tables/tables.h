#pragma once

#include "apps/prepare/tables/fit.h"
#include "apps/prepare/tables/row_maker.h"
#include "apps/prepare/tables/text_table.h"
#include "tests/apps/support.h"

namespace sotto::apps::prepare {

inline TextTable table_of(const TestFolder& folder, std::string_view text, bool has_header = true) {
  return TextTable::read(folder.put("t.csv", text), has_header);
}

// Returns the error message, without the folder's name, of a table that is refused when it is read or fitted.
inline std::string refusal_of(const TestFolder& folder, std::string_view text, const FitOptions& options = {}) {
  const auto path = folder.put("t.csv", text);
  return message_of<InputError>(folder, [&] { (void)fit_recipe(TextTable::read(path), options); });
}

inline std::string column_text(const std::string& name, const std::vector<std::string>& cells) {
  std::string text = name + "\n";
  for (const std::string& cell : cells) text += (cell.empty() ? "\"\"" : cell) + "\n";
  return text;
}

inline FittedRecipe fitted_column(const TestFolder& folder, const std::string& name,
                                  const std::vector<std::string>& cells, const FitOptions& options = {},
                                  const std::vector<std::uint32_t>& labels = {}) {
  // The second column ensures that the table has a feature even if the first column gives none.
  std::string text = name + ",beside\n";
  for (std::size_t i = 0; i < cells.size(); ++i) text += cells[i] + "," + (i % 2 == 0 ? "1" : "2.5") + "\n";
  return fit_recipe(table_of(folder, text), options, labels);
}

}  // namespace sotto::apps::prepare
