// Contexts that the lab plays, each with its best arm. The contexts are made up, or come from existing data. The
// plain-text twin reads the contexts from memory, and a run reads them from files.
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
  std::vector<double> contexts;       // rows x features, each row of norm at most 1
  std::vector<std::uint32_t> labels;  // the best arm of each row, which earns 1; all other arms earn 0

  [[nodiscard]] std::span<const double> context(std::size_t row) const {
    return std::span(contexts).subspan(row * features, features);
  }
};

// Makes data for runs whose speed is measured; the data are the same on every machine. The contexts have uniform
// directions. Each arm has its own direction, and the label of a context is the arm with the nearest direction.
[[nodiscard]] LabelledData make_data(std::size_t rows, std::size_t features, std::size_t arms, std::uint64_t seed);

// Contexts from the principal components of the rows, scaled to norm 1 (a context of zeros stays 0), with one arm for
// each class.
[[nodiscard]] LabelledData reduced(const prepare::Pca& pca, const prepare::RowSource& rows,
                                   std::vector<std::uint32_t> labels);

// Writes one file for each party and one file for the environment; even_columns() splits the columns. Returns the
// arguments of `sotto bandit` for these files: --max-norm 1, and defaults for all other options. Throws ResourceError.
[[nodiscard]] bandit::run::BanditOptions write_data(const LabelledData& data, std::size_t parties,
                                                    const std::filesystem::path& folder);

}  // namespace sotto::apps::lab
