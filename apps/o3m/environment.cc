#include "apps/o3m/environment.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <stdexcept>
#include <string_view>

#include "apps/kit/files/table.h"
#include "apps/prepare/data/contexts.h"
#include "sotto/protocol/error/errors.h"

namespace sotto::apps::o3m {
namespace {

std::size_t require_column(const Table& table, std::string_view name) {
  if (const auto column = table.find_column(name)) return *column;
  throw InputError(fmt::format("{}:1", table.file),
                   fmt::format("an O3M environment needs a column '{}'; its columns are t,arm,reward[,mean]", name));
}

std::vector<double> take_column(const Table& table, const prepare::LongForm& form, std::size_t column) {
  std::vector<double> values;
  values.reserve(form.rows.size());
  for (const std::size_t row : form.rows) {
    const double value = table.row(row)[column];
    if (!(std::abs(value) <= largest_o3m_reward)) {
      throw InputError(table.where(row, column), fmt::format("outside [-{0}, {0}] (column '{1}'); scale the rewards",
                                                             largest_o3m_reward, table.columns[column]));
    }
    values.push_back(value);
  }
  return values;
}

}  // namespace

O3mEnvironment O3mEnvironment::read(const std::filesystem::path& path) {
  const Table table = read_csv(path);
  const std::size_t t = require_column(table, "t");
  const std::size_t arm = require_column(table, "arm");
  const std::size_t reward = require_column(table, "reward");
  const prepare::LongForm form = prepare::index_rows(table, t, arm);
  O3mEnvironment environment;
  environment.steps_ = form.steps;
  environment.arms_ = form.arms;
  environment.first_step_ = form.first_step;
  environment.file_ = table.file;
  environment.rewards_ = take_column(table, form, reward);
  if (const auto mean = table.find_column("mean")) {
    environment.means_ = take_column(table, form, *mean);
  }
  return environment;
}

std::size_t O3mEnvironment::index(std::size_t t, std::size_t arm) const {
  if (t >= steps_ || arm >= arms_) throw std::out_of_range("O3mEnvironment: no such step or arm");
  return t * arms_ + arm;
}

double O3mEnvironment::reward(std::size_t t, std::size_t arm) const { return rewards_[index(t, arm)]; }

std::optional<double> O3mEnvironment::mean(std::size_t t, std::size_t arm) const {
  const std::size_t at = index(t, arm);
  if (means_.empty()) return std::nullopt;
  return means_[at];
}

std::optional<double> O3mEnvironment::regret(std::size_t t, std::size_t arm) const {
  const std::size_t at = index(t, arm);
  if (means_.empty()) return std::nullopt;
  const auto step = std::span(means_).subspan(t * arms_, arms_);
  return *std::max_element(step.begin(), step.end()) - means_[at];
}

}  // namespace sotto::apps::o3m
