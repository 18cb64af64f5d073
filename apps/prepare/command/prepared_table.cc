#include "apps/prepare/command/prepared_table.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <utility>

#include "apps/prepare/tables/labels.h"
#include "apps/prepare/tables/row_maker.h"
#include "apps/prepare/tables/table_rows.h"
#include "apps/prepare/tables/text_table.h"

namespace sotto::apps::prepare {

PreparedTable read_prepared_table(const std::filesystem::path& path, FitOptions options) {
  options.components = 0;
  options.unit = false;
  options.norm = std::numeric_limits<double>::infinity();
  const TextTable table = TextTable::read(path);
  PreparedTable prepared;
  std::string warning;
  if (options.label) {
    ArmLabels labels =
        read_labels(table, table.column(*options.label, "--label-column"),
                    form_of_column(table_words(options.form, table.columns()), plain_text(*options.label)));
    prepared.data.labels = std::move(labels.arms);
    prepared.labels = std::move(labels.texts);
    warning = std::move(labels.warning);
  }
  FittedRecipe fitted = fit_recipe(table, options, prepared.data.labels);
  prepared.columns = std::move(fitted.columns);
  prepared.warnings = std::move(fitted.warnings);
  if (!warning.empty()) prepared.warnings.push_back(std::move(warning));
  const RowMaker maker(std::move(fitted.recipe));
  RowNotes ignored;
  const auto values = std::make_shared<const std::vector<double>>(make_rows(table, maker, ignored));
  const std::size_t width = maker.width();
  prepared.data.columns = maker.recipe().names();
  prepared.data.features = {table.rows(), width, [values, width](std::size_t r, std::span<double> out) {
                              const auto row = std::span(*values).subspan(r * width, width);
                              std::copy(row.begin(), row.end(), out.begin());
                            }};
  return prepared;
}

}  // namespace sotto::apps::prepare
