// A run of the private bandit in this process. All roles play the same program as in processes of their own
// (include/sotto/protocol/simulate/simulate.h). The rows are in memory, and a function returns the rewards. A run in
// one process is only for experiments, because that process has the rows of all parties.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "apps/bandit/model/bandit_plan.h"
#include "apps/bandit/model/parameters.h"
#include "apps/bandit/run/result/result.h"
#include "apps/bandit/run/settings/settings.h"
#include "sotto/protocol/party/ledger.h"
#include "sotto/protocol/transport/emulate/conditions.h"

namespace sotto::apps::bandit::run {

// A view of rows of features in memory that somebody else owns, such as a numpy matrix, in any memory order.
//
// Errors are InputError. An error names the part as callers in Python do (X[1]), the row and the column. Errors never
// show a feature or a row's norm.

struct RowsView {
  const std::byte* first = nullptr;  // doubles in this machine's byte order, aligned or not
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::ptrdiff_t row_stride = 0;  // bytes; may be negative or 0
  std::ptrdiff_t column_stride = 0;

  [[nodiscard]] double at(std::size_t row, std::size_t column) const {
    double value = 0;
    std::memcpy(
        &value,
        first + static_cast<std::ptrdiff_t>(row) * row_stride + static_cast<std::ptrdiff_t>(column) * column_stride,
        sizeof value);
    return value;
  }
};

// A view of values that are stored row by row.
[[nodiscard]] RowsView view_of(std::span<const double> values, std::size_t columns);

// Refuses parts that have different numbers of rows or no rows, and fewer than 2 or more than 8 parts. check_rows()
// also refuses a part without columns, values that are not finite, and rows with a joint norm that exceeds max_norm by
// more than norm_slack (apps/prepare/data/contexts.h).
void check_rows(std::span<const RowsView> parts, double max_norm);

// Rows first .. first + rows - 1 as words of `fraction_bits`, one after the other. Row numbers wrap around.
void encode_view(const RowsView& part, std::uint64_t first, unsigned fraction_bits, std::span<std::uint64_t> out);

struct SimulatedRun {
  // The settings that the run uses are steps, arms, epsilon, bits, max_norm (required), binary_rewards, contexts_ahead,
  // update, batch, reward_lag, preprocessing and insecure_seed.
  BanditSettings settings;
  std::vector<RowsView> parts;  // one per party; row numbers wrap around
  // The reward of an arm in a row: in [-1, 1], and 0 or 1 with binary_rewards. Any other reward ends the run with an
  // InputError that names the row.
  std::function<double(std::uint64_t row, std::size_t arm)> reward;
  // Whether `reward` may be called for any arm of any row, and repeatedly. If so, the plain-text twin plays as well.
  bool plays_twin = true;
  // Whether `reward` may also be called for all arms of all rows. If so, the result says how much uniform play and the
  // best arms earn.
  bool knows_all_rewards = false;
  // Called several times per round. If the tick throws, the run ends. May be empty.
  std::function<void()> tick;
  // Called along with `tick`, with the number of steps that have their reward. After the run, `read` is the number of
  // rows that the plays in plain text have read. May be empty.
  std::function<void(std::uint64_t rewarded, std::uint64_t read)> progress;
};

struct SimulatedBandit {
  BanditResult result;              // costs measured on the frames, equal to the plan's
  std::vector<std::uint32_t> arms;  // the played arms, one per step
  std::vector<double> rewards;      // rewards of the played arms
  Cost cost;                        // cost of the whole run
  Topology topology;                // the topology to whose nodes `cost` refers
};

// Throws InputError if rows or settings do not fit. Exceptions from `reward` and `tick` are passed on.
[[nodiscard]] SimulatedBandit simulate_bandit(const SimulatedRun& run);

// The plan of a simulated run over parties with these columns. No rows are needed.
[[nodiscard]] BanditPlan plan_of(const BanditSettings& settings, const std::vector<std::size_t>& columns);

// "20ms,100mbit", "20ms", "100mbit" or "20ms,2ms,100mbit": delay, then jitter, and the rate (conditions.h). Throws
// InputError.
[[nodiscard]] net::LinkConditions parse_link(const std::string& text);

}  // namespace sotto::apps::bandit::run
