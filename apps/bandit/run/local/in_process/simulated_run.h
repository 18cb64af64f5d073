// A run of the private bandit in this process, for experiments only, because the process has the rows of all parties.
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

// A view of rows of features in memory, in any memory order.
//
// Errors never show a feature or the norm of a row.

struct RowsView {
  const std::byte* first = nullptr;  // doubles, which may be unaligned
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::ptrdiff_t row_stride = 0;  // bytes
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

[[nodiscard]] RowsView view_of(std::span<const double> values, std::size_t columns);

// Throws InputError for fewer than 2 or more than 8 parts, for parts without rows or columns, for parts with different
// numbers of rows, and for values that are not finite. The joint norm of a row may exceed max_norm by at most
// norm_slack (apps/prepare/data/contexts.h).
void check_rows(std::span<const RowsView> parts, double max_norm);

// Writes the encoded rows from row `first` on. After the last row comes the first row again.
void encode_view(const RowsView& part, std::uint64_t first, unsigned fraction_bits, std::span<std::uint64_t> out);

struct SimulatedRun {
  // The run uses only these settings: steps, arms, epsilon, bits, max_norm (required), binary_rewards, contexts_ahead,
  // update, batch, reward_lag, preprocessing and insecure_seed.
  BanditSettings settings;
  std::vector<RowsView> parts;  // of each party
  // The reward of an arm in a row: in [-1, 1], and 0 or 1 with binary_rewards. For any other reward, the run throws
  // InputError, which names the row.
  std::function<double(std::uint64_t row, std::size_t arm)> reward;
  // Whether the run also plays in plain text. The plain plays call `reward` repeatedly and for any arm.
  bool plays_twin = true;
  // If set, the result also contains the rewards of uniform play and of the best arms. To compute them, the run calls
  // `reward` for every row and every arm.
  bool knows_all_rewards = false;
  // Called whenever a role begins a turn. An exception from this function ends the run. May be empty.
  std::function<void()> tick;
  // `rewarded` is the number of steps with a reward, and `read` the number of rows that plays in plain text have read.
  // May be empty.
  std::function<void(std::uint64_t rewarded, std::uint64_t read)> progress;
};

struct SimulatedBandit {
  BanditResult result;
  std::vector<std::uint32_t> arms;  // one per step
  std::vector<double> rewards;      // one per step
  Cost cost;
  Topology topology;  // the topology to which the nodes of `cost` belong
};

// Throws InputError if check_rows() refuses the rows, or if a run cannot have these settings. Exceptions from `reward`
// and `tick` reach the caller.
[[nodiscard]] SimulatedBandit simulate_bandit(const SimulatedRun& run);

[[nodiscard]] BanditPlan plan_of(const BanditSettings& settings, const std::vector<std::size_t>& columns);

// Parses a link such as "20ms", "100mbit", "20ms,100mbit" or "20ms,2ms,100mbit". The first time is the delay, the
// second time is the jitter, and the rate ends with "bit".
[[nodiscard]] net::LinkConditions parse_link(const std::string& text);

}  // namespace sotto::apps::bandit::run
