#include "apps/p2b/world.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "apps/kit/files/table.h"
#include "apps/p2b/tuple.h"
#include "core/text/count.h"
#include "sotto/protocol/error/errors.h"

namespace sotto::apps::p2b {
namespace {

struct Columns {
  std::size_t user = 0;
  std::size_t step = 0;
  std::vector<std::size_t> features;
  std::vector<std::size_t> rewards;
};

constexpr std::string_view columns_needed = "user, t, features and reward_0, reward_1, ... are needed";

Columns find_columns(const Table& table) {
  Columns columns;
  columns.user = table.column("user", columns_needed);
  columns.step = table.column("t", columns_needed);
  // This map keeps the search fast, because a malicious header may have a hundred thousand columns.
  std::unordered_map<std::string_view, std::size_t> places;
  for (std::size_t c = 0; c < table.columns.size(); ++c) places.emplace(table.columns[c], c);
  std::vector<bool> is_reward(table.columns.size());
  for (std::size_t arm = 0;; ++arm) {
    const auto place = places.find(fmt::format("reward_{}", arm));
    if (place == places.end()) break;
    columns.rewards.push_back(place->second);
    is_reward[place->second] = true;
  }
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    if (c == columns.user || c == columns.step || is_reward[c]) continue;
    if (table.columns[c].starts_with("reward_")) {
      throw InputError(fmt::format("{}:1:{}", table.file, c + 1),
                       fmt::format("rewards count from reward_0 without a gap; there is none but below reward_{}",
                                   columns.rewards.size()));
    }
    columns.features.push_back(c);
  }
  if (columns.rewards.size() < 2) {
    throw InputError(table.file + ":1", "the columns reward_0 and reward_1 at least are needed");
  }
  if (columns.features.empty()) {
    throw InputError(table.file + ":1",
                     "there is no feature; columns other than user, t and reward_0, ... are features");
  }
  return columns;
}

std::vector<std::size_t> played_order(const Table& table, const Columns& columns,
                                      const std::vector<std::size_t>& user_of) {
  std::vector<std::size_t> order(table.rows);
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto step_of = [&](std::size_t r) { return table.row(r)[columns.step]; };
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    if (user_of[a] != user_of[b]) return user_of[a] < user_of[b];
    return step_of(a) < step_of(b);
  });
  for (std::size_t i = 1; i < order.size(); ++i) {
    const std::size_t before = order[i - 1], after = order[i];
    if (user_of[before] == user_of[after] && step_of(before) == step_of(after)) {
      throw InputError(table.where(std::max(before, after), columns.step),
                       "this user has had a row of that t; each step is one row");
    }
  }
  return order;
}

}  // namespace

std::size_t normalise_context(std::span<double> context) {
  std::size_t negative = 0;
  double largest = 0;
  for (double& feature : context) {
    if (feature < 0) {
      feature = 0;
      ++negative;
    }
    largest = std::max(largest, feature);
  }
  if (largest <= 0) {
    std::fill(context.begin(), context.end(), 1.0 / static_cast<double>(context.size()));
    return negative;
  }
  double sum = 0;  // the terms are scaled to [0, 1] first, so the sum cannot overflow
  for (double& feature : context) sum += feature /= largest;
  for (double& feature : context) feature /= sum;
  return negative;
}

std::size_t RecordedContexts::most_steps() const {
  std::size_t most = 0;
  for (std::size_t u = 0; u < users(); ++u) most = std::max(most, first[u + 1] - first[u]);
  return most;
}

RecordedWorld::RecordedWorld(RecordedContexts recorded) : recorded_(std::move(recorded)) {
  if (recorded_.contexts.size() != recorded_.steps() * recorded_.dimension) {
    throw std::invalid_argument("a recorded world needs a context for each step");
  }
}

std::size_t RecordedWorld::meet(std::size_t user, std::vector<double>& contexts) const {
  const auto at = [&](std::size_t step) {
    return recorded_.contexts.begin() + static_cast<std::ptrdiff_t>(step * recorded_.dimension);
  };
  contexts.assign(at(recorded_.first[user]), at(recorded_.first[user + 1]));
  return recorded_.first[user + 1] - recorded_.first[user];
}

TableWorld::TableWorld(RecordedContexts recorded, std::vector<float> rewards)
    : RecordedWorld(std::move(recorded)), rewards_(std::move(rewards)) {
  if (rewards_.size() != this->recorded().steps() * arms()) {
    throw std::invalid_argument("TableWorld: a reward for each step and arm is needed");
  }
}

double TableWorld::reward(std::size_t user, std::size_t step, std::span<const double> /*context*/,
                          std::size_t arm) const {
  return rewards_[place(user, step) * arms() + arm];
}

bool TableWorld::expected_rewards(std::size_t user, std::size_t step, std::span<const double> context,
                                  std::span<double> out) const {
  for (std::size_t arm = 0; arm < arms(); ++arm) out[arm] = reward(user, step, context, arm);
  return true;
}

LogWorld::LogWorld(RecordedContexts recorded, std::vector<std::uint32_t> arms, std::vector<float> rewards)
    : RecordedWorld(std::move(recorded)), arms_(std::move(arms)), rewards_(std::move(rewards)) {
  if (arms_.size() != this->recorded().steps() || rewards_.size() != arms_.size()) {
    throw std::invalid_argument("LogWorld: an arm and a reward for each step are needed");
  }
}

double LogWorld::reward(std::size_t user, std::size_t step, std::span<const double> /*context*/,
                        std::size_t arm) const {
  if (arm != arms_[place(user, step)]) throw std::invalid_argument("LogWorld: that arm was not shown");
  return rewards_[place(user, step)];
}

std::size_t PartOfWorld::meet(std::size_t user, std::vector<double>& contexts) const {
  const std::size_t steps = std::min(world_.meet(user, contexts), steps_);
  contexts.resize(steps * dimension());
  return steps;
}

UsersFile read_users(const std::filesystem::path& path, std::size_t fewest_users) {
  const Table table = read_csv(path, Header::required, [](std::string_view name) { return name == "user"; });
  const Columns columns = find_columns(table);
  UsersFile file;
  std::vector<std::size_t> user_of;
  for (std::size_t r = 0; r < table.rows; ++r) user_of.push_back(static_cast<std::size_t>(table.row(r)[columns.user]));
  file.user_names = table.texts[columns.user];
  const std::size_t users = file.user_names.size();
  if (users < fewest_users) {
    throw InputError(table.file,
                     fmt::format("{} where {} are needed, early and late ones", counted(users, "user"), fewest_users));
  }
  const std::vector<std::size_t> order = played_order(table, columns, user_of);
  file.rows = table.rows;
  RecordedContexts recorded;
  recorded.dimension = columns.features.size();
  recorded.arms = columns.rewards.size();
  recorded.contexts.reserve(table.rows * recorded.dimension);
  std::vector<float> rewards;
  rewards.reserve(table.rows * recorded.arms);
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (i > 0 && user_of[order[i]] != user_of[order[i - 1]]) recorded.first.push_back(i);
    const std::span<const double> row = table.row(order[i]);
    for (const std::size_t column : columns.features) recorded.contexts.push_back(row[column]);
    file.features_clipped += normalise_context(std::span(recorded.contexts).last(recorded.dimension));
    for (const std::size_t column : columns.rewards) {
      rewards.push_back(static_cast<float>(clip_reward(row[column], file.rewards_clipped)));
    }
  }
  recorded.first.push_back(order.size());
  file.world = std::make_shared<const TableWorld>(std::move(recorded), std::move(rewards));
  return file;
}

}  // namespace sotto::apps::p2b
