#include "apps/prepare/data/contexts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <tuple>

#include "apps/kit/report/human.h"
#include "apps/prepare/data/environment.h"
#include "core/text/count.h"
#include "sotto/protocol/error/errors.h"

namespace sotto::apps::prepare {
namespace {

double square_norm(std::span<const double> row) { return std::inner_product(row.begin(), row.end(), row.begin(), 0.0); }

std::string joined_files(std::span<const Block> blocks) {
  std::string names;
  for (const Block& block : blocks) names += (names.empty() ? "" : ", ") + block.table.file;
  return names;
}

constexpr double largest_step = 1e15;

struct Key {
  std::uint64_t t = 0;
  std::uint64_t arm = 0;
  std::size_t row = 0;

  friend bool operator<(const Key& a, const Key& b) {
    return std::tie(a.t, a.arm, a.row) < std::tie(b.t, b.arm, b.row);
  }
};

std::uint64_t read_step(const Table& table, std::size_t row, std::size_t column) {
  const auto value = table.whole_number(row, column);
  if (value && *value <= largest_step) return static_cast<std::uint64_t>(*value);
  throw InputError(table.where(row, column), "the step is not an integer from 0 (column 't')");
}

std::uint64_t read_arm(const Table& table, std::size_t row, std::size_t column) {
  const auto value = table.whole_number(row, column);
  if (!value) throw InputError(table.where(row, column), "the arm is not an integer from 0 (column 'arm')");
  if (*value < static_cast<double>(max_arms)) return static_cast<std::uint64_t>(*value);
  throw InputError(table.where(row, column),
                   fmt::format("the arm is outside 0 to {}, the most arms there can be (column 'arm')", max_arms - 1));
}

std::vector<Key> sorted_keys(const Table& table, std::optional<std::size_t> t_column,
                             std::optional<std::size_t> arm_column) {
  std::vector<Key> keys(table.rows);
  for (std::size_t row = 0; row < table.rows; ++row) {
    keys[row].row = row;
    if (t_column) keys[row].t = read_step(table, row, *t_column);
    if (arm_column) keys[row].arm = read_arm(table, row, *arm_column);
  }
  if (!std::is_sorted(keys.begin(), keys.end())) std::sort(keys.begin(), keys.end());
  return keys;
}

std::string pair_text(const Key& key, bool has_t, bool has_arm) {
  if (!has_arm) return fmt::format("step {}", key.t);
  if (!has_t) return fmt::format("arm {}", key.arm);
  return fmt::format("step {}, arm {}", key.t, key.arm);
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

std::optional<std::string> joint_norm_excess(std::span<const double> bounds, double max_norm,
                                             std::span<const std::string> names) {
  const double joint = joint_bound(bounds);
  if (joint <= max_norm * (1 + norm_slack)) return std::nullopt;
  std::string parties;
  for (std::size_t p = 0; p < bounds.size(); ++p) {
    const std::string name = names.empty() ? fmt::format("party {}", p) : names[p];
    parties += fmt::format("{}{:.6g} at {}", p == 0 ? "" : ", ", bounds[p], name);
  }
  return fmt::format("rows have norms up to {}: together up to {:.6g}, above max_norm = {:.6g}", parties, joint,
                     max_norm);
}

std::string joint_norm_advice(std::size_t parties, double max_norm) {
  return fmt::format(
      "scale every party's rows to norm max_norm / sqrt({}) = {:.6g}, or raise max_norm. Only if somebody has seen "
      "that the joint rows keep to it, set joint_norm_holds = true in [run] at all roles",
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
    // The advised factor is rounded down, so that a user who applies exactly this factor stays within the limit.
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
    throw InputError(
        blocks.front().table.where(r),
        fmt::format("the norm of this row{} is above {}; raise --max-norm or scale the features",
                    blocks.size() == 1 ? "" : " of " + joined_files(blocks) + " together", advised(max_norm)));
  }
}

LongForm index_rows(const Table& table, std::optional<std::size_t> t_column, std::optional<std::size_t> arm_column) {
  const std::vector<Key> keys = sorted_keys(table, t_column, arm_column);
  const auto text = [&](const Key& key) { return pair_text(key, t_column.has_value(), arm_column.has_value()); };
  if (keys.front().t > 1) {
    throw InputError(table.where(keys.front().row, *t_column),
                     "the smallest step is neither 0 nor 1; number the steps from 0 or from 1");
  }
  LongForm form;
  form.first_step = keys.front().t;
  for (const Key& key : keys) form.arms = std::max(form.arms, std::size_t{key.arm} + 1);
  form.rows.reserve(keys.size());
  Key expected{form.first_step, 0, 0};
  const auto refuse_gap = [&](const Key& next) {
    throw InputError(
        table.where(next.row),
        fmt::format("no row of {}, which belongs about here; {} needs one", text(expected),
                    arm_column && t_column ? fmt::format("every step with every arm from 0 to {}", form.arms - 1)
                                           : std::string("each up to the largest")));
  };
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const Key& key = keys[i];
    if (i > 0 && key.t == keys[i - 1].t && key.arm == keys[i - 1].arm) {
      throw InputError(table.where(key.row),
                       fmt::format("a second row of {}; the first is {}", text(key), table.where(keys[i - 1].row)));
    }
    if (key.t != expected.t || key.arm != expected.arm) refuse_gap(key);
    form.rows.push_back(key.row);
    expected.arm = (expected.arm + 1) % form.arms;
    if (expected.arm == 0) ++expected.t;
  }
  if (expected.arm != 0) refuse_gap(keys.back());
  form.steps = keys.size() / form.arms;
  return form;
}

}  // namespace sotto::apps::prepare
