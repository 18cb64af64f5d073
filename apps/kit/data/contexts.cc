#include "sotto/apps/kit/data/contexts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "sotto/apps/kit/report/human.h"
#include "sotto/core/error/errors.h"
#include "sotto/core/text/count.h"

namespace sotto::apps {
namespace {

double square_norm(std::span<const double> row) { return std::inner_product(row.begin(), row.end(), row.begin(), 0.0); }

std::string joined_files(std::span<const Block> blocks) {
  std::string names;
  for (const Block& block : blocks) names += (names.empty() ? "" : ", ") + block.table.file;
  return names;
}

}  // namespace

double round_up_norm(double norm, double slack) {
  return std::max(1.0, std::ceil(norm / (1 + slack) / norm_step)) * norm_step;
}

double largest_row_norm(const Table& table) {
  double largest = 0;
  for (std::size_t r = 0; r < table.rows; ++r) largest = std::max(largest, square_norm(table.row(r)));
  return std::sqrt(largest);
}

Block read_block(const std::filesystem::path& path) {
  Block block{read_csv(path), 0};
  block.bound = round_up_norm(largest_row_norm(block.table));
  return block;
}

double announced_bound(const Block& block, double max_norm, std::size_t parties) {
  const double norm = largest_row_norm(block.table);
  const double share = max_norm / std::sqrt(static_cast<double>(parties));
  for (const double limit : {share, max_norm}) {
    if (norm <= limit * (1 + norm_slack)) return std::min(block.bound, limit);
  }
  return block.bound;
}

double joint_bound(std::span<const double> bounds) { return std::sqrt(square_norm(bounds)); }

std::optional<std::string> joint_norm_excess(std::span<const double> bounds, double max_norm) {
  const double joint = joint_bound(bounds);
  if (joint <= max_norm * (1 + norm_slack)) return std::nullopt;
  std::string parties;
  for (std::size_t p = 0; p < bounds.size(); ++p) {
    parties += fmt::format("{}{:.6g} at party {}", p == 0 ? "" : ", ", bounds[p], p);
  }
  return fmt::format("rows have norms up to {}: together up to {:.6g}, above max_norm = {:.6g}", parties, joint,
                     max_norm);
}

std::string joint_norm_advice(std::size_t parties, double max_norm) {
  return fmt::format(
      "scale every party's rows to norm max_norm / sqrt({}) = {:.6g}, or raise max_norm; only if somebody has seen "
      "that the joint rows keep to it, set joint_norm_holds = true at all roles (--joint-norm-holds)",
      parties, max_norm / std::sqrt(static_cast<double>(parties)));
}

void check_aligned(std::span<const Block> blocks, std::size_t environment_rows, const std::string& environment_file) {
  for (const Block& block : blocks) {
    if (block.table.rows == environment_rows) continue;
    throw InputError(block.table.file,
                     fmt::format("{}, but {} has {}; row t of every file must be about the same case",
                                 counted(block.table.rows, "row"), environment_file, environment_rows));
  }
}

void check_max_norm(double max_norm) {
  if (!(max_norm > 0) || !std::isfinite(max_norm)) {
    throw InputError("--max-norm", "the bound on the norm of a context must be a positive number");
  }
  if (max_norm > largest_max_norm) {
    // Down to a round figure, so that the advice can be followed to the letter.
    throw InputError(
        "--max-norm",
        fmt::format(
            "a context may have norm {} here, at most {:g} is possible; multiply all features by {:.3g} or less",
            advised(max_norm), largest_max_norm, largest_max_norm / max_norm * 0.99));
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
                    blocks.size() == 1 ? "" : " of " + joined_files(blocks) + " together", advised(max_norm)));
  }
}

}  // namespace sotto::apps
