#include "sotto/apps/kit/data/long_form.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <tuple>

#include "sotto/apps/kit/data/environment.h"
#include "sotto/core/error/errors.h"

namespace sotto::apps {
namespace {

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

// In order of steps, then arms.
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

// "step 3, arm 1", "step 3" or "arm 1".
std::string pair_text(const Key& key, bool has_t, bool has_arm) {
  if (!has_arm) return fmt::format("step {}", key.t);
  if (!has_t) return fmt::format("arm {}", key.arm);
  return fmt::format("step {}, arm {}", key.t, key.arm);
}

}  // namespace

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

}  // namespace sotto::apps
