// Makes the files of a run from raw data: one CSV of features per party, and the environment.
//
// Only somebody who has the data of all parties can prepare files in this way, for trials and figures. Parties that do
// not share their data each prepare their own features (apps/prepare/tables/prepare_party.h).
//
// prepare() first applies a recipe if the input is a CSV (apps/prepare/tables/fit.h). It then permutes the rows, drops
// the rows beyond the limit, computes principal components (apps/prepare/data/reduction.h), and scales each row to norm
// 1. The columns are then split between the parties in order: party_0.csv has the first split[0] columns, and so on.
// The environment has a column `label`, or the reward columns of k-means arms.
//
// Throws InputError for options or data that do not fit (naming the flag or file:line:column), and ResourceError if the
// files cannot be written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "apps/prepare/data/raw_data.h"
#include "apps/prepare/tables/fit.h"

namespace sotto::apps {
class Command;
}  // namespace sotto::apps

namespace sotto::apps::prepare {

enum class DataSource { digits, mnist, csv };

inline constexpr std::size_t default_components = 20;

struct PrepareOptions {
  DataSource source = DataSource::digits;
  // mnist: the folder of IDX files; csv: the file; digits: the file, or empty for the file that comes with sotto.
  std::filesystem::path input;
  std::optional<std::string> label_column;  // csv only
  FitOptions fit{};
  // 0 keeps the columns unchanged. The default is 20, or the number of columns if there are fewer than 20.
  std::optional<std::size_t> components;
  std::vector<std::size_t> split;
  bool normalise = true;                 // whether to scale every row to norm 1
  std::optional<std::size_t> kmeans;     // number of arms made from the contexts, instead of labels
  std::uint64_t seed = 1;                // seed of k-means, and of the rewards of the arms made by k-means
  std::optional<std::uint64_t> shuffle;  // seed of a permutation of the rows; absent: the order of the file
  std::optional<std::size_t> limit;
  std::filesystem::path output;
};

struct PrepareResult {
  std::vector<std::filesystem::path> parties;
  std::filesystem::path environment;
  double max_norm = 0;
  std::size_t rows = 0;
  std::vector<std::size_t> split;
  std::size_t arms = 0;
  bool has_each_label = true;
  std::size_t zero_rows = 0;
  std::optional<double> explained_variance;  // fraction of the variance that the components keep
  double best_reward = 0;                    // mean over the rows of the expected reward of the best arm
  double uniform_reward = 0;                 // mean over the rows of the expected reward of an arm chosen at random
  std::vector<ColumnFinding> columns;
  std::vector<std::string> warnings;
  std::vector<std::string> labels;
};

// Parses a list of counts such as "10,10". Throws InputError for anything but positive integers between commas.
[[nodiscard]] std::vector<std::size_t> parse_split(const std::string& text);

[[nodiscard]] PrepareResult prepare(const PrepareOptions& options);

void add_prepare_command(Command& app);

// A company's table as the raw data of `sotto prepare csv`, by a recipe without components and without a norm. Throws
// the errors of apps/prepare/tables/fit.h and apps/prepare/tables/table_rows.h.

struct PreparedTable {
  RawData data;
  std::vector<ColumnFinding> columns;
  std::vector<std::string> warnings;
  std::vector<std::string> labels;
};

[[nodiscard]] PreparedTable read_prepared_table(const std::filesystem::path& path, FitOptions options);

}  // namespace sotto::apps::prepare
