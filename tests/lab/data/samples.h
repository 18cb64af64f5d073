// Generated multi-label data: each label has features of its own, whose values are larger in the rows of the label.
#pragma once

#include <fmt/format.h>

#include "apps/kit/learn/seeded.h"
#include "bench/lab/data/multi_label.h"
#include "tests/apps/support.h"

namespace sotto::apps::lab {

struct MultiLabelSample {
  std::size_t features = 0;
  std::size_t labels = 0;
  std::vector<MultiLabelRow> rows;

  [[nodiscard]] std::string libsvm() const {
    std::string text;
    for (const MultiLabelRow& row : rows) {
      text += fmt::format("{}", fmt::join(row.labels, ","));
      for (const auto& [feature, value] : row.features) text += fmt::format(" {}:{}", feature + 1, value);
      text += '\n';
    }
    return text;
  }

  [[nodiscard]] std::string arff() const {
    std::string text = fmt::format("@relation 'sample: -C -{}'\n", labels);
    for (std::size_t f = 0; f < features; ++f) text += fmt::format("@attribute 'f {}' numeric\n", f);
    for (std::size_t l = 0; l < labels; ++l) text += fmt::format("@attribute l{} {{0,1}}\n", l);
    text += "@data\n";
    for (const MultiLabelRow& row : rows) {
      std::vector<std::string> cells;
      for (const auto& [feature, value] : row.features) cells.push_back(fmt::format("{} {}", feature, value));
      for (const std::uint32_t label : row.labels) cells.push_back(fmt::format("{} 1", features + label));
      text += fmt::format("{{{}}}\n", fmt::join(cells, ","));
    }
    return text;
  }
};

inline MultiLabelSample multi_label_sample(std::size_t rows, std::size_t features, std::size_t labels,
                                           std::uint64_t seed) {
  SeededDraws draws(seed);
  MultiLabelSample sample{features, labels, {}};
  for (std::size_t r = 0; r < rows; ++r) {
    MultiLabelRow row;
    const std::uint64_t main = draws.below(labels);
    for (std::uint32_t l = 0; l < labels; ++l) {
      if (l == main || draws.below(4 * labels) == 0) row.labels.push_back(l);
    }
    for (std::uint32_t f = 0; f < features; ++f) {
      const bool own = f % labels == main;
      if (draws.below(4) == 0 && !own) continue;
      row.features.emplace_back(f, (own ? 1 : .05) * (.1 + draws.unit()));
    }
    sample.rows.push_back(row);
  }
  return sample;
}

// A generated log in Criteo's format: a few kinds of items, whose clicks depend on the user's first two integers, and
// also rare items.
inline std::string criteo_sample(std::size_t rows, std::uint64_t seed, std::size_t kinds = 48) {
  SeededDraws draws(seed);
  std::string text;
  for (std::size_t r = 0; r < rows; ++r) {
    const std::uint64_t kind = draws.below(4) == 0 ? draws.below(1000) : draws.below(kinds);
    const double interest = draws.unit();
    const double taste = static_cast<double>(kind % 7) / 6;
    const double chance = .05 + .5 * interest * taste;
    text += draws.unit() < chance ? '1' : '0';
    for (int i = 0; i < 13; ++i) {
      text += '\t';
      if (i == 0) {
        text += fmt::format("{}", static_cast<int>(100 * interest));
      } else if (draws.below(8) != 0) {
        text += fmt::format("{}", static_cast<std::int64_t>(draws.below(5000)) - 3);
      }
    }
    SeededDraws item(kind + 1);
    for (int i = 0; i < 26; ++i) {
      text += '\t';
      if (item.below(10) != 0) text += fmt::format("{:08x}", item.below(std::uint64_t{1} << 32));
    }
    text += '\n';
  }
  return text;
}

}  // namespace sotto::apps::lab
