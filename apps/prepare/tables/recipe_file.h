// Recipes as files: recipe.toml, which people can read and change.
//
//     [recipe]          version, constant, scale, norm, unit_norm, decimal_comma, missing, values, labels
//     [[column]]        one for each column of the table, in its order: name and use ("number", "categories", "id",
//                       "label", "left out"), its own words for missing values and for itself (missing, values), and
//                       the numbers and categories of the use
//     [components]      count, mean, loadings; only where rows are principal components
//
// Version 2 compares texts in one Unicode form and keeps codes as texts (CellForm). A recipe of version 1 makes the
// same rows as ever. What is written reads back as the same recipe, bit for bit. At most 4 MB. Errors are InputError
// with file:line:column, and name the key.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

#include "apps/prepare/tables/recipe.h"

namespace sotto::apps::prepare {

inline constexpr std::size_t longest_recipe = std::size_t{1} << 22;

// Throws InputError where it would be longer.
[[nodiscard]] std::string recipe_text(const Recipe& recipe);
// `file` is the name for messages. Whether the parts fit together is RowMaker's to say.
[[nodiscard]] Recipe parse_recipe(const std::string& text, const std::string& file);
[[nodiscard]] Recipe read_recipe(const std::filesystem::path& path);

}  // namespace sotto::apps::prepare
