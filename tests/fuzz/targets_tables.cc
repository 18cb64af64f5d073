// The targets for companies' own tables and for recipes. Rows made from such tables and recipes must be finite, and
// their norms must be within the bound.
#include <cmath>
#include <cstring>
#include <vector>

#include "apps/kit/files/json.h"
#include "apps/kit/files/row_order.h"
#include "apps/kit/settings/toml_text.h"
#include "apps/prepare/tables/fit.h"
#include "apps/prepare/tables/recipe.h"
#include "apps/prepare/tables/table_rows.h"
#include "tests/fuzz/targets.h"

namespace sotto::fuzz {

using namespace sotto::apps::prepare;

using namespace apps;

namespace {

constexpr double room = 1 + 1e-9;

void check_row(std::span<const double> row, double norm) {
  double square = 0;
  for (const double value : row) {
    require(std::isfinite(value), "features are finite");
    square += value * value;
  }
  require(square <= norm * norm * room, "a row keeps to its norm");
}

// The limit exists because fitting large tables takes long, and many small tables find more faults.
constexpr std::size_t most_cells = 20'000;

void check_fit(const TextTable& table, const FitOptions& options) {
  or_refused([&] {
    const FittedRecipe fitted = fit_recipe(table, options);
    const RowMaker maker(fitted.recipe);
    const RowMaker again(parse_recipe(recipe_text(fitted.recipe), "recipe.toml"));
    require(again.width() == maker.width(), "a recipe that is written reads back");
    RowNotes notes;
    const std::vector<double> rows = make_rows(table, maker, notes);
    const std::vector<double> same = make_rows(table, again, notes);
    require(rows.size() == same.size() && std::memcmp(rows.data(), same.data(), rows.size() * sizeof(double)) == 0,
            "and makes the same rows");
    for (std::size_t r = 0; r < table.rows(); ++r) {
      check_row(std::span(rows).subspan(r * maker.width(), maker.width()), options.norm);
    }
  });
}

}  // namespace

void text_table(const std::filesystem::path& path) {
  or_refused([&] { (void)TextTable::read(path, false); });
  or_refused([&] {
    const TextTable table = TextTable::read(path);
    require(table.rows() > 0 && !table.columns().empty(), "a table has rows and columns");
    if (table.rows() * table.columns().size() > most_cells) return;
    or_refused([&] {
      const ArmLabels labels = read_labels(table, 0, {});
      for (const std::uint32_t arm : labels.arms) require(arm < labels.count, "a label is one of the arms");
    });
    FitOptions options;
    options.norm = 0.5;
    check_fit(table, options);
    options.robust = options.unit = options.form.decimal_comma = true;
    options.clip = 0;
    options.categories = 2;
    options.one_hot = {table.columns().front()};
    check_fit(table, options);
  });
}

void comparable_ids(Input input) {
  constexpr std::size_t longest_growth = 18;
  const std::string_view id = text_of(input);
  for (const UnicodeForm unicode : {UnicodeForm::as_written, UnicodeForm::nfc, UnicodeForm::nfkc}) {
    for (const IdCase letters : {IdCase::keep, IdCase::fold}) {
      for (const IdBlanks blanks : {IdBlanks::ends, IdBlanks::one, IdBlanks::none}) {
        or_refused([&] {
          const std::string same = comparable_id(id, {unicode, letters, blanks});
          require(is_utf8(same), "an id is text");
          require(same.size() <= longest_growth * id.size(), "an id has a bound on its length");
        });
      }
    }
  }
}

void recipe(Input input) {
  or_refused([&] {
    const RowMaker maker(parse_recipe(std::string(text_of(input)), "recipe.toml"));
    const Recipe& read = maker.recipe();
    const std::string text = recipe_text(read);
    require(recipe_text(parse_recipe(text, "recipe.toml")) == text, "a recipe that is written reads back");
    require(read.names().size() == maker.width(), "a name a feature");
    for (const double number : {0.0, -1e30, 1e30, 1e-300}) {
      nlohmann::json row = nlohmann::json::object();
      for (const ColumnRecipe& column : read.columns) {
        if (column.has_features()) row[column.name] = number;
      }
      check_row(maker.make(row), read.norm);
    }
  });
}

}  // namespace sotto::fuzz
