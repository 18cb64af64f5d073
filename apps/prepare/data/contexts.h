// The features that a party brings to a run, and the public bound on the norm of a context.
//
// A party's block is a CSV (apps/kit/files/table.h) of one or more feature columns; row t is the party's part of
// context t. A party announces its block's shape and a bound on the norm of its rows. The bound is rounded up to
// sixteenths, so that it reveals little about any one row.
//
// The protocol takes its ranges from the public bound B on the norm of a joint context. B is the root of the sum of the
// squared bounds, unless the user gives max_norm. Either the announced bounds show that the joint rows keep to
// max_norm, or somebody who has seen the joint rows must say so. No party can find that out by itself.
//
// Norms are compared with a relative slack of norm_slack, because files have rounded numbers. The widths of a run have
// room for it (apps/bandit/model/parameters.cc). Errors are InputError. They name files and lines, never a feature or a
// row's norm.
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

inline constexpr double norm_slack = 1e-4;
inline constexpr double rounding_slack = 1e-9;  // relative loss by only the rounding of doubles
inline constexpr double norm_step = 1.0 / 16;   // bounds are rounded up to multiples of this
inline constexpr double largest_max_norm = 8;   // beyond it the protocol's ranges do not hold

struct Block {
  Table table;
  double bound = 0;  // bound on the norm of every row
};

// Reads a party's features and computes their bound: the norm rounded up.
[[nodiscard]] Block read_block(const std::filesystem::path& path);

// The bound that a party of a run with max_norm announces. It is the bound of the block, with a limit. The limit is the
// share max_norm / sqrt(parties) if all rows keep to that share. Otherwise the limit is max_norm if all rows keep to
// max_norm. If some row exceeds max_norm, there is no limit. Parties that prepare their rows separately scale them to
// the share.
[[nodiscard]] double announced_bound(const Block& block, double max_norm, std::size_t parties);

// The norm, rounded up to a multiple of norm_step (one step for zero), except for a relative `slack`.
[[nodiscard]] double round_up_norm(double norm, double slack = norm_slack);

// The largest row norm of a table.
[[nodiscard]] double largest_row_norm(const Table& table);

// The bound on a joint context of parties with these bounds: the root of the sum of their squares.
[[nodiscard]] double joint_bound(std::span<const double> bounds);

// One phrase with the announced bounds and their sum if they allow joint rows above max_norm. Nothing if the bounds
// keep to max_norm. `names` are the roles that announced the bounds; if empty, they are "party 0", ...
[[nodiscard]] std::optional<std::string> joint_norm_excess(std::span<const double> bounds, double max_norm,
                                                           std::span<const std::string> names = {});
// The advice if the announced bounds allow joint rows above max_norm.
[[nodiscard]] std::string joint_norm_advice(std::size_t parties, double max_norm);

// Refuses blocks whose number of rows differs from the environment's, naming two files and their counts.
void check_aligned(std::span<const Block> blocks, std::size_t environment_rows, const std::string& environment_file);

// Refuses a bound that is not a positive number, or above largest_max_norm (saying by how much to scale).
void check_max_norm(double max_norm);

// Calls check_max_norm, and refuses a row whose joint norm is above max_norm. A party that knows only its own block
// calls it with that one block.
void check_norms(std::span<const Block> blocks, double max_norm);

// Tables whose rows are about steps t, about arms, or about pairs of both, in any order.
//
// Steps are consecutive integers from 0 or from 1, arms the integers 0 .. K-1 with K at most max_arms
// (apps/prepare/data/environment.h). Every step, arm or pair has exactly one row. Errors are InputError and name
// file:line: the second of two rows, or the row before which one is missing.
struct LongForm {
  std::size_t steps = 1;
  std::size_t arms = 1;
  std::uint64_t first_step = 0;   // number of the first step in the file: 0 or 1
  std::vector<std::size_t> rows;  // [t][arm], with t from 0: the number of the row in the table
};

// The columns are numbers of table.columns. Without t there is one step, without arm one arm. The work and the memory
// are those of sorting the rows, however large the numbers of steps are.
[[nodiscard]] LongForm index_rows(const Table& table, std::optional<std::size_t> t_column,
                                  std::optional<std::size_t> arm_column);

}  // namespace sotto::apps::prepare
