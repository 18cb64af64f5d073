// Contexts, each with its best arm.
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

// Random contexts, the same on every machine. The label of a context is the arm with the nearest direction.
[[nodiscard]] LabelledData make_data(std::size_t rows, std::size_t features, std::size_t arms, std::uint64_t seed);

// The principal components of the rows, scaled to norm 1 (a context of zeros stays 0), with one arm for each class.
[[nodiscard]] LabelledData reduced(const prepare::Pca& pca, const prepare::RowSource& rows,
                                   std::vector<std::uint32_t> labels);

// Returns the arguments of `sotto bandit` for these files.
[[nodiscard]] bandit::run::BanditOptions write_data(const LabelledData& data, std::size_t parties,
                                                    const std::filesystem::path& folder);

}  // namespace sotto::apps::lab
