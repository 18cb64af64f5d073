// The features that a party contributes to a run, and the public bound on the norm of a context.
//
// A party's block is a CSV (apps/kit/files/table.h) of feature columns; row t is the party's part of context t. A party
// announces its block's shape and a bound on the norm of its rows. The announced bound is rounded up to sixteenths, so
// that it reveals little about any one row.
//
// The public bound B on the norm of a joint context is the root of the sum of the squared bounds, unless the user gives
// max_norm. With max_norm, no joint row may have a norm above max_norm. Either the announced bounds must show this, or
// somebody who has seen the joint rows must confirm it. No party can check the norms of joint rows by itself.
//
// Errors are InputError. An error names files and lines, never a feature or a row's norm.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "apps/kit/files/table.h"

namespace sotto::apps::prepare {

// The tolerated relative error of a norm, because files contain rounded numbers. The ranges of a run allow for this
// error.
inline constexpr double norm_slack = 1e-4;
// Digits of a written feature: the norm of a written unit row stays within norm_slack of 1.
inline constexpr int row_digits = 10;
inline constexpr double rounding_slack = 1e-9;  // relative error that the rounding of doubles causes
inline constexpr double norm_step = 1.0 / 16;
inline constexpr double largest_max_norm = 8;  // with more, the protocol's numbers could leave their ranges

struct Block {
  Table table;
  double bound = 0;
};

[[nodiscard]] Block read_block(const std::filesystem::path& path);

// If a run has a max_norm, each party announces this bound: the bound of its block, but at most a limit. The limit is
// the party's share, max_norm / sqrt(parties), if no row has a norm above this share. The limit is max_norm if some row
// is above the share but no row is above max_norm. If some row is above max_norm, there is no limit.
[[nodiscard]] double announced_bound(const Block& block, double max_norm, std::size_t parties);

// Rounds the norm up to a multiple of norm_step, and zero up to one step. A norm that exceeds a multiple by at most the
// relative `slack` is rounded down to that multiple.
[[nodiscard]] double round_up_norm(double norm, double slack = norm_slack);

[[nodiscard]] double largest_row_norm(const Table& table);

[[nodiscard]] double joint_bound(std::span<const double> bounds);

// Returns nothing if the joint bound is at most max_norm. If `names` is empty, the roles are "party 0", ...
[[nodiscard]] std::optional<std::string> joint_norm_excess(std::span<const double> bounds, double max_norm,
                                                           std::span<const std::string> names = {});
[[nodiscard]] std::string joint_norm_advice(std::size_t parties, double max_norm);

void check_aligned(std::span<const Block> blocks, std::size_t environment_rows, const std::string& environment_file);

// Throws InputError if the bound is not positive or above largest_max_norm.
void check_max_norm(double max_norm);

// Throws InputError where check_max_norm() does, and if the joint norm of a row is above max_norm. A party that knows
// only its own block calls check_norms with only that block.
void check_norms(std::span<const Block> blocks, double max_norm);

// Steps are consecutive integers from 0 or from 1. Arms are the integers 0 .. K-1 with K at most max_arms
// (apps/prepare/data/environment.h). The table has exactly one row for each step, each arm, or each pair of a step and
// an arm. Rows may be in any order. Errors are InputError and name file:line.
struct LongForm {
  std::size_t steps = 1;
  std::size_t arms = 1;
  std::uint64_t first_step = 0;
  std::vector<std::size_t> rows;  // rows[t * arms + arm], with t from 0: index of a row of the table
};

// Without a column t there is one step, and without a column arm there is one arm. The function needs as much time and
// memory as sorting the rows. Large step numbers cost nothing extra.
[[nodiscard]] LongForm index_rows(const Table& table, std::optional<std::size_t> t_column,
                                  std::optional<std::size_t> arm_column);

}  // namespace sotto::apps::prepare
