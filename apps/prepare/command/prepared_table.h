// A company's table as the raw data of `sotto prepare csv`: all its columns made features by a recipe that is fitted to
// it (apps/prepare/tables/fit.h), without components and without a norm.
//
// Errors as in apps/prepare/tables/fit.h and apps/prepare/tables/labels.h.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "apps/prepare/data/raw_data.h"
#include "apps/prepare/tables/fit.h"

namespace sotto::apps::prepare {

struct PreparedTable {
  RawData data;  // with labels where options.label names their column
  std::vector<ColumnFinding> columns;
  std::vector<std::string> warnings;
  std::vector<std::string> labels;  // by arm, where they are not its number
};

[[nodiscard]] PreparedTable read_prepared_table(const std::filesystem::path& path, FitOptions options);

}  // namespace sotto::apps::prepare
