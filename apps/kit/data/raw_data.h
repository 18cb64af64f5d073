// The raw data of `sotto prepare`, whatever it was read from: rows of numbers, and labels if there are any.
//
// Errors as in apps/kit/files/table.h, apps/kit/data/idx.h and apps/kit/data/environment.h.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "sotto/apps/kit/data/rows.h"

namespace sotto::apps {

struct RawData {
  std::vector<std::string> columns;   // names of the features
  RowSource features;                 // owns what it reads from
  std::vector<std::uint32_t> labels;  // one a row, or empty
};

// A CSV; the label column, if one is named, is not a feature.
[[nodiscard]] RawData read_raw_csv(const std::filesystem::path& path, const std::optional<std::string>& label_column);

// MNIST's training set from a folder of IDX files; pixels are divided by 255.
[[nodiscard]] RawData read_raw_mnist(const std::filesystem::path& folder);

// The rows in this order (indices from 0; a row may be left out), features and labels alike.
[[nodiscard]] RawData select_rows(RawData data, std::vector<std::size_t> order);

}  // namespace sotto::apps
