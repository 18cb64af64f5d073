#include "apps/prepare/command/prepare.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <memory>
#include <numeric>
#include <set>
#include <span>
#include <system_error>
#include <utility>

#include "apps/kit/files/output_file.h"
#include "apps/kit/files/table.h"
#include "apps/kit/learn/seeded.h"
#include "apps/prepare/data/contexts.h"
#include "apps/prepare/data/environment.h"
#include "apps/prepare/data/raw_data.h"
#include "apps/prepare/data/reduction.h"
#include "apps/prepare/tables/fit.h"
#include "apps/prepare/tables/row_maker.h"
#include "apps/prepare/tables/table_rows.h"
#include "apps/prepare/tables/text_table.h"
#include "core/text/count.h"
#include "sotto/protocol/error/errors.h"

namespace sotto::apps::prepare {
namespace {

using NewFiles = std::vector<NewFile>;

constexpr std::size_t most_parties = 8;

RawData read_raw(const PrepareOptions& options, PrepareResult& result) {
  switch (options.source) {
    case DataSource::digits:
      return read_raw_csv(options.input.empty() ? shipped_digits() : options.input, "label");
    case DataSource::mnist:
      return read_raw_mnist(options.input);
    case DataSource::csv:
      break;
  }
  FitOptions fit = options.fit;
  fit.label = options.label_column;
  PreparedTable prepared = read_prepared_table(options.input, fit);
  result.columns = std::move(prepared.columns);
  result.warnings = std::move(prepared.warnings);
  result.labels = std::move(prepared.labels);
  return std::move(prepared.data);
}

RawData order_rows(RawData data, const PrepareOptions& options) {
  const std::size_t rows = data.features.rows;
  if (!options.shuffle && !options.limit) return data;
  std::vector<std::size_t> order(rows);
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (options.shuffle) order = SeededDraws(*options.shuffle).permutation(rows);
  if (options.limit) {
    if (*options.limit == 0 || *options.limit > rows) {
      throw InputError("--limit", fmt::format("{} asked for, the data has {}", counted(*options.limit, "row"), rows));
    }
    order.resize(*options.limit);
  }
  return select_rows(std::move(data), std::move(order));
}

struct Features {
  std::vector<std::string> columns;
  std::vector<double> values;
};

std::size_t components_of(const PrepareOptions& options, std::size_t columns) {
  const std::size_t components = options.components.value_or(std::min(default_components, columns));
  if (components > columns) {
    throw InputError("--components", fmt::format("{} asked for, the data has {}", counted(components, "component"),
                                                 counted(columns, "column")));
  }
  if (components > 0 && columns > most_features_of_components) {
    throw InputError("--components",
                     fmt::format("of at most {} columns, and the data has {}: leave columns out, or take "
                                 "them as they are by --components 0",
                                 most_features_of_components, columns));
  }
  return components;
}

void check_kmeans(std::size_t arms, std::size_t rows) {
  if (arms >= 1 && arms <= std::min(max_arms, rows)) return;
  throw InputError("--kmeans",
                   fmt::format("{} asked for, 1 to {} are possible", counted(arms, "arm"), std::min(max_arms, rows)));
}

Features make_features(const RawData& data, std::size_t components, PrepareResult& result) {
  Features features;
  if (components == 0) {
    features.columns = data.columns;
    features.values.resize(data.features.rows * data.features.columns);
    for (std::size_t r = 0; r < data.features.rows; ++r) {
      data.features.read(r, std::span(features.values).subspan(r * data.features.columns, data.features.columns));
    }
    return features;
  }
  const Pca pca = fit_pca(data.features, components);
  for (std::size_t i = 0; i < components; ++i) features.columns.push_back(fmt::format("pc_{}", i));
  features.values = project(pca, data.features);
  const double kept = std::accumulate(pca.variances.begin(), pca.variances.end(), 0.0);
  if (pca.total_variance > 0) result.explained_variance = std::min(1.0, kept / pca.total_variance);
  return features;
}

std::vector<std::size_t> split_of(const PrepareOptions& options, std::size_t columns) {
  std::vector<std::size_t> split = options.split;
  if (split.empty()) split = {(columns + 1) / 2, columns / 2};
  const bool some_empty = std::find(split.begin(), split.end(), std::size_t{0}) != split.end();
  if (split.size() < 2 || split.size() > most_parties || some_empty) {
    throw InputError("--split", fmt::format("2 to {} parties are possible, with a column each at least", most_parties));
  }
  // If the counts were added up, a sum of huge counts could wrap around to the right number.
  std::size_t left = columns;
  bool fits = true;
  for (const std::size_t count : split) {
    fits = fits && count <= left;
    if (fits) left -= count;
  }
  if (!fits || left != 0) {
    throw InputError("--split", fmt::format("the counts {} do not add up to the {}", fmt::join(split, ","),
                                            counted(columns, "column")));
  }
  return split;
}

std::vector<std::string> names_of(const Features& features, std::size_t first, std::size_t count) {
  const auto begin = features.columns.begin() + static_cast<std::ptrdiff_t>(first);
  return {begin, begin + static_cast<std::ptrdiff_t>(count)};
}

void add_parties(const Features& features, const PrepareOptions& options, PrepareResult& result, NewFiles& files) {
  const std::size_t columns = features.columns.size();
  std::size_t first = 0;
  for (std::size_t p = 0; p < result.split.size(); ++p) {
    const std::size_t count = result.split[p];
    std::vector<double> part;
    part.reserve(result.rows * count);
    for (std::size_t r = 0; r < result.rows; ++r) {
      const auto row = std::span(features.values).subspan(r * columns + first, count);
      part.insert(part.end(), row.begin(), row.end());
    }
    result.parties.push_back(options.output / fmt::format("party_{}.csv", p));
    files.push_back({result.parties.back(), csv_text(names_of(features, first, count), part, row_digits)});
    first += count;
  }
}

double mean(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

void add_labels(const std::vector<std::uint32_t>& labels, PrepareResult& result, NewFiles& files) {
  result.arms = *std::max_element(labels.begin(), labels.end()) + std::size_t{1};
  result.has_each_label = std::set<std::uint32_t>(labels.begin(), labels.end()).size() == result.arms;
  result.best_reward = 1;
  result.uniform_reward = 1 / static_cast<double>(result.arms);
  const std::vector<std::string> columns{"label"};
  files.push_back({result.environment, csv_text(columns, std::vector<double>(labels.begin(), labels.end()))});
}

void add_kmeans_arms(const Features& features, std::size_t arms, std::uint64_t seed, PrepareResult& result,
                     NewFiles& files) {
  const KMeans centres = fit_kmeans(features.values, features.columns.size(), arms, seed);
  const std::vector<double> probabilities = reward_probabilities(centres, features.values);
  result.arms = arms;
  result.uniform_reward = mean(probabilities);
  for (std::size_t r = 0; r < result.rows; ++r) {
    const auto row = std::span(probabilities).subspan(r * arms, arms);
    result.best_reward += *std::max_element(row.begin(), row.end()) / static_cast<double>(result.rows);
  }
  std::vector<std::string> columns;
  for (std::size_t a = 0; a < arms; ++a) columns.push_back(fmt::format("reward_{}", a));
  // The centres are drawn from the stream of `seed`, so the rewards use another stream.
  constexpr std::uint64_t reward_stream = 0x9e3779b97f4a7c15;
  files.push_back({result.environment, csv_text(columns, draw_rewards(probabilities, seed ^ reward_stream))});
}

double bound_of(const Features& features) {
  Table table;
  table.columns = features.columns;
  table.values = features.values;
  table.rows = features.values.size() / features.columns.size();
  return round_up_norm(largest_row_norm(table));
}

void make_folder(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) {
    throw ResourceError(fmt::format("cannot make the folder {}: {}", folder.string(), error.message()));
  }
}

}  // namespace

std::vector<std::size_t> parse_split(const std::string& text) {
  std::vector<std::size_t> split;
  const char* const end = text.data() + text.size();
  for (const char* at = text.data();; ++at) {
    std::size_t count = 0;
    const auto parsed = std::from_chars(at, end, count);
    at = parsed.ptr;
    if (parsed.ec != std::errc() || count == 0 || (at != end && *at != ',')) {
      throw InputError("--split", "give the number of columns of each party between commas, as 10,10");
    }
    split.push_back(count);
    if (at == end) return split;
  }
}

PrepareResult prepare(const PrepareOptions& options) {
  PrepareResult result;
  const RawData data = order_rows(read_raw(options, result), options);
  if (data.labels.empty() && !options.kmeans) {
    throw InputError("--label-column", "name the column of labels, or make arms with --kmeans");
  }
  result.rows = data.features.rows;
  if (options.kmeans) check_kmeans(*options.kmeans, result.rows);
  const std::size_t components = components_of(options, data.features.columns);
  result.split = split_of(options, components == 0 ? data.features.columns : components);

  Features features = make_features(data, components, result);
  if (options.normalise) result.zero_rows = unit_norm(features.values, features.columns.size());
  result.max_norm = options.normalise ? 1 : bound_of(features);

  NewFiles files;
  result.environment = options.output / "environment.csv";
  if (options.kmeans) {
    add_kmeans_arms(features, *options.kmeans, options.seed, result, files);
  } else {
    add_labels(data.labels, result, files);
  }
  add_parties(features, options, result, files);
  make_folder(options.output);
  write_files(files);
  return result;
}

PreparedTable read_prepared_table(const std::filesystem::path& path, FitOptions options) {
  options.components = 0;
  options.unit = false;
  options.norm = std::numeric_limits<double>::infinity();
  const TextTable table = TextTable::read(path);
  PreparedTable prepared;
  std::string warning;
  if (options.label) {
    ArmLabels labels =
        read_labels(table, table.column(*options.label, "--label-column"),
                    form_of_column(table_words(options.form, table.columns()), plain_text(*options.label)));
    prepared.data.labels = std::move(labels.arms);
    prepared.labels = std::move(labels.texts);
    warning = std::move(labels.warning);
  }
  FittedRecipe fitted = fit_recipe(table, options, prepared.data.labels);
  prepared.columns = std::move(fitted.columns);
  prepared.warnings = std::move(fitted.warnings);
  if (!warning.empty()) prepared.warnings.push_back(std::move(warning));
  const RowMaker maker(std::move(fitted.recipe));
  RowNotes ignored;
  const auto values = std::make_shared<const std::vector<double>>(make_rows(table, maker, ignored));
  const std::size_t width = maker.width();
  prepared.data.columns = maker.recipe().names();
  prepared.data.features = {table.rows(), width, [values, width](std::size_t r, std::span<double> out) {
                              const auto row = std::span(*values).subspan(r * width, width);
                              std::copy(row.begin(), row.end(), out.begin());
                            }};
  return prepared;
}

}  // namespace sotto::apps::prepare
