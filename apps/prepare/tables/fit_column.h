// One column of a table on its way into a recipe (fit.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "apps/prepare/tables/fit_settings.h"
#include "apps/prepare/tables/recipe.h"
#include "apps/prepare/tables/text_table.h"

namespace sotto::apps::prepare {

struct FittedColumn {
  ColumnRecipe recipe;
  std::string done;
  std::vector<std::string> warnings;
};

// The column of that number, with the name that FitOptions may ask for it by. `words` are those of the options.
[[nodiscard]] FittedColumn fit_column(const TextTable& table, std::size_t column, const FitOptions& options,
                                      const TableWords& words, const std::vector<std::uint32_t>& labels);

}  // namespace sotto::apps::prepare
