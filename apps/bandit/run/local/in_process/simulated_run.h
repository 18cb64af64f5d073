// A run of the private bandit in this process: all roles play the same program as in processes of their own
// (include/sotto/protocol/simulate/simulate.h), on rows in memory, and rewards are asked of a function. Who has all
// parties' rows can only try things out.
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

// Rows of features that somebody else owns, such as a matrix of numpy: read where they lie, in any order of memory.
//
// Errors are InputError; they name the part as Python's callers do, X[1], the row and the column, never a feature or a
// row's norm.

struct RowsView {
  const std::byte* first = nullptr;  // of doubles of this machine's order, aligned or not
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

// Row by row, one after the other.
[[nodiscard]] RowsView view_of(std::span<const double> values, std::size_t columns);

// Refuses parts of different rows, none, or other than 2 to 8 of them; a part without columns; what is not finite; rows
// whose norm over all parts is above max_norm, but for norm_slack (apps/prepare/data/contexts.h).
void check_rows(std::span<const RowsView> parts, double max_norm);

// Rows first .. first + rows - 1 as words of `fraction_bits`, one after the other; row numbers wrap round.
void encode_view(const RowsView& part, std::uint64_t first, unsigned fraction_bits, std::span<std::uint64_t> out);

struct SimulatedRun {
  // Used are steps, arms, epsilon, bits, max_norm (which must be there), binary_rewards, contexts_ahead, update,
  // batch, reward_lag, preprocessing and insecure_seed.
  BanditSettings settings;
  std::vector<RowsView> parts;  // a party; row numbers wrap round
  // What the arm earns in that row: in [-1, 1], and 0 or 1 with binary_rewards. Else InputError, which names the row.
  std::function<double(std::uint64_t row, std::size_t arm)> reward;
  // Whether `reward` may be asked for any arm of any row, and again: then also the plain-text twin plays.
  bool plays_twin = true;
  // Whether it may also be asked for all arms of all rows: then the result says what uniform and best play earn.
  bool knows_all_rewards = false;
  // Called some times a round; ends the run where it throws. May be empty.
  std::function<void()> tick;
};

struct SimulatedBandit {
  BanditResult result;              // costs measured on the frames, equal to the plan's
  std::vector<std::uint32_t> arms;  // that were played, a step each
  std::vector<double> rewards;      // of them
  Cost cost;                        // of the whole run
  Topology topology;                // whose nodes `cost` counts
};

// Throws InputError where rows or settings do not fit; what `reward` and `tick` throw goes on.
[[nodiscard]] SimulatedBandit simulate_bandit(const SimulatedRun& run);

// The plan of such a run over parties of these columns, before there are rows.
[[nodiscard]] BanditPlan plan_of(const BanditSettings& settings, const std::vector<std::size_t>& columns);

// "20ms,100mbit", "20ms", "100mbit" or "20ms,2ms,100mbit": delay, then jitter, and the rate (conditions.h). Throws
// InputError.
[[nodiscard]] net::LinkConditions parse_link(const std::string& text);

}  // namespace sotto::apps::bandit::run
