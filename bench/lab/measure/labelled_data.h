// Contexts and their best arms, which the lab plays. They are made up, or come from existing data. They are in memory
// for the plain-text twin, and in files for a run.
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
  std::vector<std::uint32_t> labels;  // the best arm of each row: it earns 1, all other arms 0

  [[nodiscard]] std::span<const double> context(std::size_t row) const {
    return std::span(contexts).subspan(row * features, features);
  }
};

// Data for runs whose speed is measured, the same on every machine. Directions are uniform; each arm has a direction of
// its own, and the label is the arm that is nearest to the context.
[[nodiscard]] LabelledData make_data(std::size_t rows, std::size_t features, std::size_t arms, std::uint64_t seed);

// Contexts from the principal components of the rows, scaled to norm 1 (a context of zeros stays 0), with one arm for
// each class.
[[nodiscard]] LabelledData reduced(const prepare::Pca& pca, const prepare::RowSource& rows,
                                   std::vector<std::uint32_t> labels);

// Writes a file for each party and the environment; even_columns() splits the columns. Returns the arguments of `sotto
// bandit` for these files: --max-norm 1, otherwise the defaults. Throws ResourceError.
[[nodiscard]] bandit::run::BanditOptions write_data(const LabelledData& data, std::size_t parties,
                                                    const std::filesystem::path& folder);

}  // namespace sotto::apps::lab
