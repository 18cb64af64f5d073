#include "apps/robin/client_logs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <utility>

#include "apps/kit/files/table.h"
#include "apps/kit/learn/doubles.h"
#include "apps/prepare/data/contexts.h"
#include "core/text/count.h"
#include "sotto/protocol/error/errors.h"

namespace sotto::apps::robin {
namespace {

struct Columns {
  std::size_t t = 0;
  std::size_t arm = 0;
  std::size_t reward = 0;
  std::optional<std::size_t> mean;
  std::vector<std::size_t> features;
};

struct ClientSteps {
  Doubles rows;
  std::vector<std::uint8_t> clipped;
};

struct LogShape {
  std::size_t dimension = 0;
  std::size_t arms = 0;
  std::uint64_t steps = 0;
  [[nodiscard]] std::size_t group_rows() const { return arms * dimension + 2 * arms; }
};

class LogReader final : public StepReader {
 public:
  LogReader(const LogShape& shape, const std::vector<ClientSteps>& clients) : shape_(shape), clients_(clients) {}

  void seek(std::uint64_t client, std::uint64_t step) override {
    client_ = client;
    group_ = step / step_lanes;
  }

  StepGroup next() override {
    const Doubles& rows = clients_.at(client_).rows;
    const std::size_t group_size = shape_.group_rows() * step_lanes;
    if ((group_ + 1) * group_size > rows.size()) {
      throw std::out_of_range("a step after the end of a client's log");
    }
    const double* contexts = rows.data() + group_++ * group_size;
    const double* means = contexts + shape_.arms * shape_.dimension * step_lanes;
    return {contexts, means, means + shape_.arms * step_lanes, shape_.arms};
  }

 private:
  const LogShape& shape_;
  const std::vector<ClientSteps>& clients_;
  std::uint64_t client_ = 0;
  std::uint64_t group_ = 0;
};

class LoggedInstance final : public RobinInstance {
 public:
  LoggedInstance(const LogShape& shape, std::vector<ClientSteps> clients)
      : shape_(shape), clients_(std::move(clients)) {}

  [[nodiscard]] std::size_t dimension() const override { return shape_.dimension; }
  [[nodiscard]] std::size_t arms() const override { return shape_.arms; }
  [[nodiscard]] std::unique_ptr<StepReader> reader() const override {
    return std::make_unique<LogReader>(shape_, clients_);
  }
  [[nodiscard]] std::span<const double> theta() const override { return {}; }
  [[nodiscard]] double lambda_min() const override { return 0; }
  [[nodiscard]] std::uint64_t features_clipped(std::uint64_t client, std::uint64_t first_step,
                                               std::uint64_t steps) const override {
    const auto& clipped = clients_.at(client).clipped;
    std::uint64_t count = 0;
    for (std::uint64_t step = first_step; step < first_step + steps; ++step) {
      count += clipped.at(step);
    }
    return count;
  }

 private:
  LogShape shape_;
  std::vector<ClientSteps> clients_;
};

constexpr std::string_view columns_needed = "a client's log has t,arm,<features>,reward";

Columns find_columns(const Table& table) {
  Columns columns{table.column("t", columns_needed),
                  table.column("arm", columns_needed),
                  table.column("reward", columns_needed),
                  table.find_column("mean"),
                  {}};
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    const bool known =
        c == columns.t || c == columns.arm || c == columns.reward || (columns.mean && c == *columns.mean);
    if (!known) columns.features.push_back(c);
  }
  if (columns.features.empty()) {
    throw InputError(table.file + ":1", fmt::format("there is no feature column; {}", columns_needed));
  }
  if (columns.features.size() > most_robin_dimension) {
    throw InputError(table.file + ":1",
                     fmt::format("{} feature columns; {} are the most", columns.features.size(), most_robin_dimension));
  }
  return columns;
}

struct Bounds {
  double features = 1;
  double rewards = std::numeric_limits<double>::infinity();
};

// If a unit vector is written with 6 decimals, its norm may exceed 1 by this number.
constexpr double rounding = 1e-5;

bool add_row(std::span<const double> row, const Columns& columns, const LogShape& shape, std::size_t arm,
             const Bounds& bounds, double* group, std::size_t lane) {
  double squares = 0;
  for (const std::size_t c : columns.features) squares += row[c] * row[c];
  const double norm = std::sqrt(squares);
  const double scale = norm > bounds.features * (1 + 1e-9) ? bounds.features / norm : 1;
  double* out = group + arm * shape.dimension * step_lanes + lane;
  for (const std::size_t c : columns.features) {
    *out = row[c] * scale;
    out += step_lanes;
  }
  double* means = group + shape.arms * shape.dimension * step_lanes;
  double* noise = means + shape.arms * step_lanes;
  // Without a column of means, the mean is the clipped reward. The rest of the reward is stored as noise. When a client
  // pulls the arm, mean plus noise is the whole reward, which then counts as clipped.
  const double mean =
      columns.mean ? row[*columns.mean] : std::clamp(row[columns.reward], -bounds.rewards, bounds.rewards);
  means[arm * step_lanes + lane] = mean;
  noise[arm * step_lanes + lane] = row[columns.reward] - mean;
  return norm > bounds.features * (1 + rounding);
}

ClientSteps read_steps(const Table& table, const Columns& columns, const prepare::LongForm& form, const LogShape& shape,
                       const Bounds& bounds) {
  const std::size_t groups = (form.steps + step_lanes - 1) / step_lanes;
  ClientSteps steps{Doubles(groups * shape.group_rows() * step_lanes), std::vector<std::uint8_t>(form.steps)};
  for (std::size_t t = 0; t < form.steps; ++t) {
    double* group = steps.rows.data() + t / step_lanes * shape.group_rows() * step_lanes;
    for (std::size_t arm = 0; arm < form.arms; ++arm) {
      const std::size_t row = form.rows[t * form.arms + arm];
      const bool too_long = add_row(table.row(row), columns, shape, arm, bounds, group, t % step_lanes);
      if (too_long && steps.clipped[t] < UINT8_MAX) ++steps.clipped[t];
    }
  }
  return steps;
}

std::vector<std::string> names_of(const Table& table, const std::vector<std::size_t>& columns) {
  std::vector<std::string> names;
  names.reserve(columns.size());
  for (const std::size_t c : columns) names.push_back(table.columns[c]);
  return names;
}

void compare(const Table& table, const std::vector<std::string>& features, bool has_means,
             const prepare::LongForm& form, const ClientLogs& logs) {
  const std::string first = logs.files.front().string();
  if (features.size() != logs.features.size()) {
    throw InputError(table.file + ":1",
                     fmt::format("{}, but {} has {}; all clients need the same",
                                 counted(features.size(), "feature column"), first, logs.features.size()));
  }
  if (features != logs.features) {
    throw InputError(
        table.file + ":1",
        fmt::format("the features are {}, but those of {} are {}; all clients need the same, in the same order",
                    fmt::join(features, ","), first, fmt::join(logs.features, ",")));
  }
  if (has_means != logs.has_means) {
    throw InputError(table.file + ":1", fmt::format("{} column 'mean', but {} {}; regret needs it in all or in none",
                                                    has_means ? "a" : "no", first, has_means ? "has none" : "has one"));
  }
  if (form.arms != logs.arms) {
    throw InputError(table.file, fmt::format("{}, but {} has {}; all clients need the same", counted(form.arms, "arm"),
                                             first, logs.arms));
  }
  if (form.steps != logs.steps) {
    throw InputError(table.file,
                     fmt::format("{}, but {} has {}; all clients play the same phases, shorten the longer log",
                                 counted(form.steps, "step"), first, logs.steps));
  }
}

void refuse_same_file_twice(const std::vector<std::filesystem::path>& files) {
  std::set<std::filesystem::path> known;
  for (const std::filesystem::path& file : files) {
    std::error_code error;
    std::filesystem::path whole = std::filesystem::canonical(file, error);
    if (error) continue;
    if (known.insert(std::move(whole)).second) continue;
    throw InputError(
        "--client",
        fmt::format("{} is given twice: it would be one client that counts as two; give each client's file once",
                    file.string()));
  }
}

}  // namespace

ClientLogs read_client_logs(const std::vector<std::filesystem::path>& files, double bound, double reward_bound) {
  if (files.empty()) throw std::invalid_argument("no logs to read");
  refuse_same_file_twice(files);
  ClientLogs logs;
  logs.files = files;
  std::vector<ClientSteps> clients;
  LogShape shape;
  for (const std::filesystem::path& file : files) {
    const Table table = read_csv(file);
    const Columns columns = find_columns(table);
    const prepare::LongForm form = prepare::index_rows(table, columns.t, columns.arm);
    const std::vector<std::string> features = names_of(table, columns.features);
    if (clients.empty()) {
      logs.features = features;
      logs.arms = form.arms;
      logs.steps = form.steps;
      logs.has_means = columns.mean.has_value();
      shape = {features.size(), form.arms, form.steps};
    }
    compare(table, features, columns.mean.has_value(), form, logs);
    clients.push_back(read_steps(table, columns, form, shape, {bound, reward_bound}));
  }
  logs.instance = std::make_shared<LoggedInstance>(shape, std::move(clients));
  return logs;
}

RobinSettings with_logs(RobinSettings settings, const ClientLogs& logs, bool horizon_given) {
  if (logs.files.size() < 2) {
    throw InputError(
        "--client",
        "one log only: a mean over one client hides nothing; give one --client FILE for each of two clients or more");
  }
  if (horizon_given && settings.horizon > logs.steps) {
    throw InputError("--horizon",
                     fmt::format("{}, but the logs have {}", counted(settings.horizon, "step"), logs.steps));
  }
  if (!horizon_given) settings.horizon = logs.steps;
  settings.clients = logs.files.size();
  settings.dimension = logs.features.size();
  settings.arms = logs.arms;
  return settings;
}

}  // namespace sotto::apps::robin
