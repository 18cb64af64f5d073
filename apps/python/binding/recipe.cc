#include <fmt/format.h>
#include <pybind11/functional.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "apps/kit/files/output_file.h"
#include "apps/kit/program/say.h"
#include "apps/prepare/tables/doubts.h"
#include "apps/prepare/tables/party_recipe.h"
#include "apps/prepare/tables/row_ids.h"
#include "apps/prepare/tables/table_rows.h"
#include "apps/python/binding/arrays.h"
#include "apps/python/binding/arrow.h"
#include "apps/python/binding/module.h"
#include "sotto/protocol/error/errors.h"

namespace sotto::python {
namespace {

namespace py = pybind11;
using apps::prepare::CellForm;
using apps::prepare::ColumnFinding;
using apps::prepare::ColumnRecipe;
using apps::prepare::ColumnUse;
using apps::prepare::FitOptions;
using apps::prepare::PartyFitOptions;
using apps::prepare::PartyRecipe;
using apps::prepare::Recipe;
using apps::prepare::RowMaker;
using apps::prepare::RowNotes;
using apps::prepare::TextTable;

std::size_t length_of_word(std::string_view text) {
  if (text.empty() || text.front() != '\'') return std::min(text.find_first_of(" ;,)"), text.size());
  for (std::size_t at = text.find('\'', 1); at != std::string_view::npos; at = text.find('\'', at + 1)) {
    if (text.substr(at).starts_with("'\\''")) {  // an inner quote
      at += 3;
    } else {
      return at + 1;
    }
  }
  return 0;
}

std::string as_python(std::string_view word) {
  std::string text(word);
  if (text.starts_with('\'')) text = text.substr(1, text.size() - 2);
  constexpr std::string_view quote = "'\\''";
  for (std::size_t at = text.find(quote); at != std::string::npos; at = text.find(quote, at + 1)) {
    text.replace(at, quote.size(), 1, '\'');
  }
  return py::repr(py::str(text)).cast<std::string>();
}

// "--one-hot plan makes" becomes "one_hot=['plan'] makes".
std::string with_arguments(std::string text) {
  struct Flag {
    std::string_view flag;
    std::string_view before;
    std::string_view after;
  };
  constexpr std::array<Flag, 7> flags{{{"--one-hot ", "one_hot=[", "]"},
                                       {"--drop ", "drop=[", "]"},
                                       {"--number ", "number=[", "]"},
                                       {"--percent ", "percent=[", "]"},
                                       {"--missing ", "missing=[", "]"},
                                       {"--not-missing ", "not_missing=[", "]"},
                                       {"--label ", "label=", ""}}};
  for (const Flag& flag : flags) {
    for (std::size_t at = text.find(flag.flag); at != std::string::npos; at = text.find(flag.flag, at + 1)) {
      const std::size_t begin = at + flag.flag.size();
      const std::size_t length = length_of_word(std::string_view(text).substr(begin));
      if (length == 0) continue;
      const std::string word = as_python(std::string_view(text).substr(begin, length));
      text.replace(at, flag.flag.size() + length, fmt::format("{}{}{}", flag.before, word, flag.after));
    }
  }
  return text;
}

// "row 3, column 'age': column 'age': a text" becomes "row 3, column 'age': a text".
std::string named_once(std::string text) {
  const std::size_t at = text.find(", column '");
  const std::size_t end = at == std::string::npos ? at : text.find("': ", at);
  if (!text.starts_with("row ") || end == std::string::npos) return text;
  const std::string name = text.substr(at + 2, end + 3 - (at + 2));
  if (std::string_view(text).substr(end + 3).starts_with(name)) text.erase(end + 3, name.size());
  return text;
}

std::string in_python_words(const std::string& message) {
  return apps::respell_flags(
      with_arguments(named_once(message)),
      std::map<std::string, std::string>{{"--decimal-comma", "decimal_comma=True"}, {"--robust", "robust=True"}});
}

template <class Use>
auto unlocked(const Use& use) {
  try {
    const py::gil_scoped_release released;
    return use();
  } catch (const InputError& error) {
    throw InputError(in_python_words(error.what()));
  }
}

std::vector<std::string> in_python_words(std::vector<std::string> warnings) {
  for (std::string& warning : warnings) warning = in_python_words(warning);
  return warnings;
}

struct FileRecipe {
  std::string text;
  RowMaker maker;

  FileRecipe(std::string written, const std::string& file)
      : text(std::move(written)), maker(apps::prepare::parse_recipe(text, file)) {}
  explicit FileRecipe(const Recipe& recipe) : FileRecipe(apps::prepare::recipe_text(recipe), "recipe.toml") {}
};

void append(std::vector<std::string>& to, std::vector<std::string> more) {
  to.insert(to.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

// The ids of the table are checked as for a file of rows. Returns warnings.
std::vector<std::string> check_ids_of(const TextTable& table, const Recipe& recipe) {
  (void)apps::prepare::checked_ids(table, recipe);
  return apps::prepare::damaged_ids(table, apps::prepare::id_columns(table, recipe));
}

struct Fitted {
  FileRecipe recipe;
  std::vector<ColumnFinding> columns;
  std::vector<std::string> warnings;
};

Fitted fitted_to(const TextTable& table, const PartyFitOptions& options) {
  PartyRecipe made = apps::prepare::fit_party(table, options);
  append(made.warnings, check_ids_of(table, made.recipe));
  return {FileRecipe(made.recipe), std::move(made.columns), std::move(made.warnings)};
}

py::tuple fit(const TextTable& table, const PartyFitOptions& options) {
  Fitted fitted = unlocked([&] { return fitted_to(table, options); });
  py::dict uses;
  for (const ColumnFinding& column : fitted.columns) uses[py::str(column.name)] = column.done;
  return py::make_tuple(std::move(fitted.recipe), uses, in_python_words(std::move(fitted.warnings)));
}

struct Made {
  std::vector<double> values;
  std::vector<std::string> warnings;
};

Made rows_of(const FileRecipe& recipe, const TextTable& table) {
  PartyRecipe used = apps::prepare::use_recipe(table, recipe.maker.recipe());
  append(used.warnings, check_ids_of(table, used.recipe));
  RowNotes notes;
  std::vector<double> values = apps::prepare::make_rows(table, recipe.maker, notes);
  append(used.warnings, apps::prepare::warnings_of_rows(used.recipe, notes, true));
  return {std::move(values), std::move(used.warnings)};
}

py::tuple transform(const FileRecipe& recipe, const TextTable& table) {
  Made made = unlocked([&] { return rows_of(recipe, table); });
  const auto width = static_cast<py::ssize_t>(recipe.maker.width());
  const py::array values = array_of(std::move(made.values));
  return py::make_tuple(values.attr("reshape")(static_cast<py::ssize_t>(table.rows()), width),
                        in_python_words(std::move(made.warnings)));
}

py::array arms_of(const FileRecipe& recipe, const TextTable& table) {
  auto labels = unlocked([&] { return apps::prepare::use_recipe(table, recipe.maker.recipe()).labels; });
  if (!labels) throw InputError("the frame lacks the column of labels of the recipe, or the recipe has none");
  return array_of(std::vector<std::int64_t>(labels->arms.begin(), labels->arms.end()));
}

std::optional<std::string> name_of(const FileRecipe& recipe, ColumnUse use) {
  const Recipe& read = recipe.maker.recipe();
  const std::size_t column = read.column_of(use);
  return column < read.columns.size() ? std::optional(read.columns[column].name) : std::nullopt;
}

std::vector<std::string> ids_of(const FileRecipe& recipe) {
  const Recipe& read = recipe.maker.recipe();
  const auto only = name_of(recipe, ColumnUse::id);
  return read.ids.empty() && only ? std::vector{*only} : read.ids;
}

std::vector<std::string> columns_of(const FileRecipe& recipe, bool with_features) {
  std::vector<std::string> names;
  for (const ColumnRecipe& column : recipe.maker.recipe().columns) {
    if (column.has_features() == with_features) names.push_back(column.name);
  }
  return names;
}

TextTable table_of_stream(const py::capsule& stream, const std::function<bool(const std::string&)>& is_read) {
  FrameCells cells = cells_of_stream(stream, is_read);
  return unlocked([&] { return TextTable::of_frame(std::move(cells.names), cells.columns); });
}

std::vector<std::string> cells_of(const TextTable& table, std::size_t column) {
  std::vector<std::string> cells;
  cells.reserve(table.rows());
  for (std::size_t row = 0; row < table.rows(); ++row) cells.emplace_back(table.cell(row, column));
  return cells;
}
void add_options(py::module_& module) {
  const auto member = [](auto FitOptions::*field) {
    return std::pair(
        [field](const PartyFitOptions& all) { return all.fit.*field; },
        [field](PartyFitOptions& all, decltype(std::declval<FitOptions>().*field) value) { all.fit.*field = value; });
  };
  py::class_<PartyFitOptions> options(module, "FitOptions");
  const auto add = [&](const char* name, auto FitOptions::*field) {
    const auto [get, set] = member(field);
    options.def_property(name, get, set);
  };
  options.def(py::init<>())
      .def_readwrite("parties", &PartyFitOptions::parties)
      .def_readwrite("max_norm", &PartyFitOptions::max_norm)
      .def_readwrite("share", &PartyFitOptions::share);
  add("id", &FitOptions::id);
  add("subject", &FitOptions::subject);
  add("label", &FitOptions::label);
  add("drop", &FitOptions::drop);
  add("one_hot", &FitOptions::one_hot);
  add("number", &FitOptions::numbers);
  add("percent", &FitOptions::percent);
  add("robust", &FitOptions::robust);
  add("clip", &FitOptions::clip);
  add("categories", &FitOptions::categories);
  add("components", &FitOptions::components);
  add("constant", &FitOptions::constant);
  add("normalise", &FitOptions::unit);
  const auto form = [&](const char* name, auto CellForm::*field) {
    options.def_property(
        name, [field](const PartyFitOptions& all) { return all.fit.form.*field; },
        [field](PartyFitOptions& all, decltype(std::declval<CellForm>().*field) value) {
          all.fit.form.*field = value;
        });
  };
  form("missing", &CellForm::missing);
  form("not_missing", &CellForm::values);
  form("decimal_comma", &CellForm::decimal_comma);
}

void add_tables(py::module_& module) {
  py::class_<TextTable>(module, "Table")
      .def(py::init([](std::vector<std::string> names, const std::vector<std::vector<std::string>>& columns) {
             return unlocked([&] { return TextTable::of_frame(std::move(names), columns); });
           }),
           py::arg("names"), py::arg("columns"))
      .def_static("of_stream", &table_of_stream, py::arg("stream"), py::arg("is_read"))
      .def_property_readonly("columns", &TextTable::columns)
      .def("cells", &cells_of, py::arg("column"));
}

}  // namespace

void add_recipes(py::module_& module) {
  module.def("plain_name", &apps::prepare::plain_text, py::arg("name"));
  add_tables(module);
  add_options(module);
  py::class_<FileRecipe>(module, "Recipe")
      .def(py::init<std::string, const std::string&>(), py::arg("text"), py::arg("file"))
      .def_static("fit", &fit, py::arg("table"), py::arg("options"))
      .def("transform", &transform, py::arg("table"))
      .def("arms_of", &arms_of, py::arg("table"))
      .def(
          "save", [](const FileRecipe& recipe, const std::string& path) { apps::write_file(path, recipe.text); },
          py::arg("path"))
      .def("columns", &columns_of, py::arg("with_features"))
      .def_property_readonly("id", &ids_of)
      .def_property_readonly("label", [](const FileRecipe& recipe) { return name_of(recipe, ColumnUse::label); })
      .def_property_readonly("arms", [](const FileRecipe& recipe) { return recipe.maker.recipe().labels; })
      .def_property_readonly("features", [](const FileRecipe& recipe) { return recipe.maker.recipe().names(); })
      .def_property_readonly("norm", [](const FileRecipe& recipe) { return recipe.maker.recipe().norm; })
      .def_readonly("text", &FileRecipe::text);
}

}  // namespace sotto::python
