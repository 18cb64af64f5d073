// Contexts and their best arms as the lab plays them: made up, or from data that somebody has. In memory for the
// plain-text twin, and as the files of a run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include "apps/bandit/run/settings/options.h"
#include "apps/prepare/data/reduction.h"

namespace sotto::apps::lab {

struct LabelledData {
  std::size_t rows = 0;
  std::size_t features = 0;
  std::size_t arms = 0;
  std::vector<double> contexts;       // rows x features, each row of norm 1 or less
  std::vector<std::uint32_t> labels;  // a row's best arm: it earns 1, all others 0

  [[nodiscard]] std::span<const double> context(std::size_t row) const {
    return std::span(contexts).subspan(row * features, features);
  }
};

// For runs whose speed is measured, the same on every machine: uniform directions; each arm has a direction of its own,
// and the arm nearest to the context is its label.
[[nodiscard]] LabelledData make_data(std::size_t rows, std::size_t features, std::size_t arms, std::uint64_t seed);

// Rows as contexts of norm 1, or 0: their principal components. One arm a class.
[[nodiscard]] LabelledData reduced(const prepare::Pca& pca, const prepare::RowSource& rows,
                                   std::vector<std::uint32_t> labels);

// Writes a file for each party, whose columns are split as even_columns() says, and the environment, and returns the
// arguments of `sotto bandit` on them: --max-norm 1, all else as by default. Throws ResourceError.
[[nodiscard]] bandit::run::BanditOptions write_data(const LabelledData& data, std::size_t parties,
                                                    const std::filesystem::path& folder);

}  // namespace sotto::apps::lab
