// How a recipe is learned of a table (fit.h).
#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "apps/prepare/tables/recipe.h"

namespace sotto::apps::prepare {

inline constexpr double default_clip = 4;
inline constexpr std::size_t default_categories = 16;
inline constexpr std::size_t most_features_of_components = 2048;

struct FitOptions {
  CellForm form{};                     // its words may be COLUMN=WORD (missing_words.h)
  std::optional<std::string> id{};     // columns, by name
  std::optional<std::string> label{};  // no feature; its text decides whether a column tells it
  std::vector<std::string> drop{};
  std::vector<std::string> one_hot{};           // categories, also where cells are numbers
  std::vector<std::string> numbers{};           // also where they look like ids or codes, or have three decimals
  std::vector<std::string> percent{};           // numbers that may end with %
  bool standardise = true;                      // else numbers stay as they are, and constant ones are kept
  bool robust = false;                          // median and quartiles, for mean and deviation
  double clip = default_clip;                   // in deviations; 0: none
  std::size_t categories = default_categories;  // of a column, at most, above 0
  std::size_t components = 0;                   // principal components; 0: the features themselves
  // A further feature that is the same in each row, in parts of the rows' usual length (the root of the mean square);
  // 0: none. With it arms need not be equally good on the average, and rows of one norm still tell how far they are
  // from the mean.
  double constant = 0;
  bool unit = false;  // every row gets norm `norm`
  // Infinite: rows are neither scaled nor shortened.
  double norm = std::numeric_limits<double>::infinity();
};

}  // namespace sotto::apps::prepare
