#include "apps/data/contexts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <utility>

#include "core/error/errors.h"

namespace sotto::apps {
namespace {

double square_norm(std::span<const double> row) {
  return std::inner_product(row.begin(), row.end(), row.begin(), 0.0);
}

std::string joined_files(std::span<const Block> blocks) {
  std::string names;
  for (const Block& block : blocks) names += (names.empty() ? "" : ", ") + block.table.file;
  return names;
}

}  // namespace

double round_up_norm(double norm) {
  return std::max(1.0, std::ceil(norm * (1 - norm_slack) / norm_step)) * norm_step;
}

double largest_row_norm(const Table& table) {
  double largest = 0;
  for (std::size_t r = 0; r < table.rows; ++r)
    largest = std::max(largest, square_norm(table.row(r)));
  return std::sqrt(largest);
}

Block read_block(const std::filesystem::path& path) {
  Block block{read_csv(path), 0};
  const double norm = largest_row_norm(block.table);
  if (!std::isfinite(norm)) {
    throw InputError(block.table.file, "the features are too large to have a norm; scale them");
  }
  block.bound = round_up_norm(norm);
  return block;
}

double joint_bound(std::span<const double> bounds) { return std::sqrt(square_norm(bounds)); }

void check_aligned(std::span<const Block> blocks, std::size_t environment_rows,
                   const std::string& environment_file) {
  for (const Block& block : blocks) {
    if (block.table.rows == environment_rows) continue;
    throw InputError(
        block.table.file,
        fmt::format("{} rows, but {} has {}; row t of every file must be about the same case",
                    block.table.rows, environment_file, environment_rows));
  }
}

void check_max_norm(double max_norm) {
  if (!(max_norm > 0) || !std::isfinite(max_norm)) {
    throw InputError("--max-norm", "the bound on the norm of a context must be a positive number");
  }
  if (max_norm > largest_max_norm * (1 + norm_slack)) {
    // Down to a round figure, so that the advice can be followed to the letter.
    throw InputError(
        "--max-norm",
        fmt::format("a context may have norm {} here, at most {} is possible; multiply all "
                    "features by {:.3g} or less",
                    max_norm, largest_max_norm, largest_max_norm / max_norm * 0.99));
  }
}

void check_norms(std::span<const Block> blocks, double max_norm) {
  check_max_norm(max_norm);
  if (blocks.empty()) return;
  const double limit = max_norm * (1 + norm_slack);
  std::size_t rows = std::numeric_limits<std::size_t>::max();
  for (const Block& block : blocks) rows = std::min(rows, block.table.rows);
  for (std::size_t r = 0; r < rows; ++r) {
    double sum = 0;
    for (const Block& block : blocks) sum += square_norm(block.table.row(r));
    if (std::sqrt(sum) <= limit) continue;
    // Line r + 2 of every file: the row of the first is named, the others only follow it.
    throw InputError(
        blocks.front().table.where(r),
        fmt::format("the norm of this row{} is above {}; raise --max-norm or scale the features",
                    blocks.size() == 1 ? "" : " of " + joined_files(blocks) + " together",
                    max_norm));
  }
}

}  // namespace sotto::apps
