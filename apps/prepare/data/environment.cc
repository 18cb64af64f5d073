#include "apps/prepare/data/environment.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string_view>

#include "apps/kit/program/option_values.h"
#include "core/text/count.h"
#include "sotto/protocol/error/errors.h"

namespace sotto::apps::prepare {
namespace {

constexpr std::string_view reward_prefix = "reward_";

std::optional<std::size_t> reward_number(std::string_view name) {
  const std::string_view digits = name.substr(reward_prefix.size());
  if (digits.size() > 1 && digits.front() == '0') return std::nullopt;
  return number_of<std::size_t>(digits);
}

std::vector<std::size_t> find_reward_columns(const Table& table) {
  std::vector<std::size_t> columns;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    if (!table.columns[c].starts_with(reward_prefix)) continue;
    if (!reward_number(table.columns[c])) {
      throw InputError(
          fmt::format("{}:1:{}", table.file, c + 1),
          fmt::format("'{}' is not the name of a reward column; they are reward_0, reward_1, ...", table.columns[c]));
    }
    columns.push_back(c);
  }
  std::sort(columns.begin(), columns.end(), [&](std::size_t a, std::size_t b) {
    return *reward_number(table.columns[a]) < *reward_number(table.columns[b]);
  });
  for (std::size_t k = 0; k < columns.size(); ++k) {
    if (reward_number(table.columns[columns[k]]) != k) {
      throw InputError(
          fmt::format("{}:1", table.file),
          fmt::format("there is no column reward_{}; reward columns must run from reward_0 without a gap", k));
    }
  }
  return columns;
}

// Refuses labels that are probably wrong, because they have a gap or begin at 1.
std::size_t arms_of(const std::vector<std::uint32_t>& labels, const Table& table, std::size_t column) {
  if (labels.empty()) return 1;
  const std::size_t arms = std::size_t{1} + *std::max_element(labels.begin(), labels.end());
  std::vector<bool> is_there(arms, false);
  for (const std::uint32_t label : labels) is_there[label] = true;
  const auto there = static_cast<std::size_t>(std::count(is_there.begin(), is_there.end(), true));
  if (there == arms) return arms;
  throw InputError(table.file,
                   fmt::format("column '{0}': {1} of the labels 0 to {2} are there: number them from 0 to {3} without "
                               "gaps, as `sotto prepare` does. If some of the {4} arms are never best, give --arms {4}",
                               table.columns[column], there, arms - 1, there - 1, arms));
}

void check_arms(const std::optional<std::size_t>& arms) {
  if (!arms || (*arms >= 1 && *arms <= max_arms)) return;
  throw InputError("--arms", fmt::format("{} asked for, 1 to {} are possible", counted(*arms, "arm"), max_arms));
}

}  // namespace

std::uint32_t read_label(const Table& table, std::size_t row, std::size_t column, std::optional<std::size_t> arms) {
  const auto value = table.whole_number(row, column);
  if (!value) throw InputError(table.where(row, column), "the label is not an integer from 0");
  const auto limit = static_cast<double>(arms.value_or(max_arms));
  if (*value < limit) return static_cast<std::uint32_t>(*value);
  throw InputError(table.where(row, column),
                   arms ? fmt::format("the label is outside the arms 0 to {}; raise --arms, or leave it out to take "
                                      "the number of arms from the labels",
                                      *arms - 1)
                        : fmt::format("the label is outside 0 to {}, the most arms there can be", max_arms - 1));
}

Environment Environment::read(const std::filesystem::path& path, std::optional<std::size_t> arms) {
  check_arms(arms);
  return from_table(read_csv(path), arms);
}

Environment Environment::from_table(const Table& table, std::optional<std::size_t> arms) {
  check_arms(arms);
  const auto label = table.find_column("label");
  const auto reward_columns = find_reward_columns(table);
  if (label && !reward_columns.empty()) {
    throw InputError(fmt::format("{}:1", table.file),
                     "an environment has a column 'label' or reward_ columns, not both; remove one");
  }
  if (!label && reward_columns.empty()) {
    throw InputError(fmt::format("{}:1", table.file),
                     "an environment needs a column 'label', or columns reward_0, reward_1, ...");
  }
  Environment environment;
  environment.rows_ = table.rows;
  if (label) {
    environment.labels_.reserve(table.rows);
    for (std::size_t r = 0; r < table.rows; ++r) {
      environment.labels_.push_back(read_label(table, r, *label, arms));
    }
    environment.arms_ = arms ? *arms : arms_of(environment.labels_, table, *label);
    return environment;
  }

  environment.arms_ = reward_columns.size();
  if (environment.arms_ > max_arms) {
    throw InputError(
        fmt::format("{}:1", table.file),
        fmt::format("{}; the most arms there can be is {}", counted(environment.arms_, "reward column"), max_arms));
  }
  if (arms && *arms != environment.arms_) {
    throw InputError("--arms", fmt::format("{} asked for, but {} has {}; leave --arms out", counted(*arms, "arm"),
                                           table.file, counted(environment.arms_, "reward column")));
  }
  environment.rewards_.reserve(table.rows * environment.arms_);
  for (std::size_t r = 0; r < table.rows; ++r) {
    for (const std::size_t column : reward_columns) {
      const double value = table.row(r)[column];
      if (!(std::abs(value) <= 1)) {
        throw InputError(
            table.where(r, column),
            fmt::format("the reward is outside [-1, 1] (column '{}'); scale the rewards", table.columns[column]));
      }
      environment.binary_rewards_ = environment.binary_rewards_ && (value == 0 || value == 1);
      environment.rewards_.push_back(value);
    }
  }
  return environment;
}

double Environment::reward(std::size_t row, std::size_t arm) const {
  if (row >= rows_ || arm >= arms_) throw std::out_of_range("Environment::reward: no such row or arm");
  if (rewards_.empty()) return labels_[row] == arm ? 1 : 0;
  return rewards_[row * arms_ + arm];
}

double Environment::best_reward(std::size_t row) const {
  if (row >= rows_) throw std::out_of_range("Environment::best_reward: no such row");
  if (rewards_.empty()) return 1;
  const auto first = rewards_.begin() + static_cast<std::ptrdiff_t>(row * arms_);
  return *std::max_element(first, first + static_cast<std::ptrdiff_t>(arms_));
}

}  // namespace sotto::apps::prepare
