#include "bench/lab/p2b/worlds.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "bench/lab/data/criteo.h"
#include "bench/lab/p2b/stream.h"
#include "core/text/count.h"
#include "sotto/protocol/error/errors.h"

namespace sotto::apps::lab {

using namespace sotto::apps::p2b;
namespace {

enum WorldStream : std::uint64_t { weights = 1, contexts = 2, rewards = 3 };

std::vector<std::size_t> fullest_columns(const CriteoWorldSettings& settings, const CriteoItems& items,
                                         const std::atomic<bool>& interrupted) {
  std::array<std::uint64_t, criteo_integers> missing{};
  CriteoReader reader(settings.file);
  for (std::uint64_t r = 0; r < items.rows; ++r) {
    if (interrupted) throw Interrupted();
    const std::optional<CriteoRow> row = reader.next();
    if (!row) break;
    for (std::size_t i = 0; i < criteo_integers; ++i) missing[i] += row->integers[i] ? 0U : 1U;
  }
  std::vector<std::size_t> columns(criteo_integers);
  std::iota(columns.begin(), columns.end(), std::size_t{0});
  std::stable_sort(columns.begin(), columns.end(),
                   [&](std::size_t a, std::size_t b) { return missing[a] < missing[b]; });
  columns.resize(settings.dimension);
  std::sort(columns.begin(), columns.end());
  return columns;
}

void add_context(const CriteoRow& row, const CriteoItems& items, const std::vector<std::size_t>& columns,
                 std::vector<double>& contexts) {
  for (const std::size_t column : columns) {
    const auto& value = row.integers[column];
    const double least = static_cast<double>(items.least[column].value_or(0));
    contexts.push_back(value ? static_cast<double>(*value) - least : 0);
  }
  normalise_context(std::span(contexts).last(columns.size()));
}

constexpr std::size_t most_sums = std::size_t{1} << 26;  // half a GB
constexpr std::uint32_t not_chosen = UINT32_MAX;

template <class Work>
void for_each_row(const MultiLabelSettings& settings, const std::atomic<bool>& interrupted, Work&& work) {
  const auto reader = open_multi_label(settings.file, settings.labels);
  MultiLabelRow row;
  while (reader->next(row)) {
    if (interrupted) throw Interrupted();
    work(row);
  }
}

// Among equal scores, the smaller indices are preferred.
std::vector<std::uint32_t> largest(const std::vector<double>& scores, std::size_t count, bool ascending) {
  std::vector<std::uint32_t> places(scores.size());
  std::iota(places.begin(), places.end(), 0U);
  std::stable_sort(places.begin(), places.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return scores[a] > scores[b]; });
  places.resize(count);
  if (ascending) std::sort(places.begin(), places.end());
  return places;
}

std::vector<std::uint32_t> places_of(const std::vector<std::uint32_t>& chosen, std::size_t all) {
  std::vector<std::uint32_t> places(all, not_chosen);
  for (std::size_t i = 0; i < chosen.size(); ++i) places[chosen[i]] = static_cast<std::uint32_t>(i);
  return places;
}

struct Survey {
  std::uint64_t rows = 0;
  std::size_t features = 0;
  std::vector<double> label_rows;
};

Survey survey(const MultiLabelSettings& settings, const std::atomic<bool>& interrupted) {
  Survey found;
  for_each_row(settings, interrupted, [&](const MultiLabelRow& row) {
    ++found.rows;
    if (!row.features.empty()) {
      found.features = std::max<std::size_t>(found.features, row.features.back().first + 1U);
    }
    if (row.labels.empty()) return;
    if (row.labels.back() >= found.label_rows.size()) found.label_rows.resize(row.labels.back() + 1U);
    for (const std::uint32_t label : row.labels) ++found.label_rows[label];
  });
  const auto used = static_cast<std::size_t>(
      std::count_if(found.label_rows.begin(), found.label_rows.end(), [](double rows) { return rows > 0; }));
  const std::string file = settings.file.string();
  if (used < settings.arms) {
    throw InputError(file, fmt::format("{} with a row, {} asked for: use a smaller --arms", counted(used, "label"),
                                       counted(settings.arms, "arm")));
  }
  if (found.features < settings.dimension) {
    throw InputError(file, fmt::format("{}, a context of {} is asked for: use a smaller --dim",
                                       counted(found.features, "feature"), settings.dimension));
  }
  if (found.rows < 2 * settings.steps) {
    throw InputError(file, fmt::format("{}, not enough for two users of {}: use a smaller --steps",
                                       counted(found.rows, "row"), counted(settings.steps, "step")));
  }
  if (found.features > most_sums / settings.arms) {
    throw InputError(file, fmt::format("{} and {} take too much memory: use a smaller --arms",
                                       counted(found.features, "feature"), counted(settings.arms, "arm")));
  }
  return found;
}

std::vector<double> scores(const MultiLabelSettings& settings, const Survey& found,
                           const std::vector<std::uint32_t>& arms, const std::atomic<bool>& interrupted) {
  const std::vector<std::uint32_t> arm_of = places_of(arms, found.label_rows.size());
  std::vector<double> sums(found.features * arms.size());  // [feature][arm]: sum over the rows with the arm's label
  std::vector<double> totals(found.features);
  std::vector<std::uint32_t> of_row;
  for_each_row(settings, interrupted, [&](const MultiLabelRow& row) {
    of_row.clear();
    for (const std::uint32_t label : row.labels) {
      if (arm_of[label] != not_chosen) of_row.push_back(arm_of[label]);
    }
    for (const auto& [feature, value] : row.features) {
      const double amount = std::max(value, 0.0);
      totals[feature] += amount;
      for (const std::uint32_t arm : of_row) sums[feature * arms.size() + arm] += amount;
    }
  });
  std::vector<double> out(found.features);
  for (std::size_t f = 0; f < found.features; ++f) {
    for (std::size_t arm = 0; arm < arms.size(); ++arm) {
      const double share = found.label_rows[arms[arm]] / static_cast<double>(found.rows);
      const double expected = totals[f] * share;
      const double others = totals[f] - expected;
      const double off = sums[f * arms.size() + arm] - expected;
      if (expected > 0) out[f] += off * off / expected;
      if (others > 0) out[f] += off * off / others;
    }
  }
  return out;
}

}  // namespace

SyntheticWorld::SyntheticWorld(const SyntheticSettings& settings, std::uint64_t seed)
    : settings_(settings), seed_(seed), weights_(settings.arms * settings.dimension) {
  const auto both = static_cast<double>(settings.arms + settings.dimension);
  const double bound = std::sqrt(6 / both);
  Stream stream({WorldStream::weights, seed});
  for (double& weight : weights_) weight = bound * (2 * stream.unit() - 1);
}

std::size_t SyntheticWorld::meet(std::size_t user, std::vector<double>& contexts) const {
  contexts.resize(settings_.steps * settings_.dimension);
  Stream stream({WorldStream::contexts, seed_, user});
  for (double& feature : contexts) feature = stream.unit();
  for (std::size_t step = 0; step < settings_.steps; ++step) {
    normalise_context(std::span(contexts).subspan(step * settings_.dimension, settings_.dimension));
  }
  return settings_.steps;
}

double SyntheticWorld::mean(std::span<const double> context, std::size_t arm) const {
  const double* row = weights_.data() + arm * settings_.dimension;
  double sum = 0;
  for (std::size_t i = 0; i < context.size(); ++i) sum += row[i] * context[i];
  return sum;
}

double SyntheticWorld::reward(std::size_t user, std::size_t step, std::span<const double> context,
                              std::size_t arm) const {
  Stream stream({WorldStream::rewards, seed_, user, step * settings_.arms + arm});
  const double chance = mean(context, arm) + settings_.noise * stream.normal();
  return stream.unit() < chance ? 1 : 0;
}

bool SyntheticWorld::expected_rewards(std::size_t /*user*/, std::size_t /*step*/, std::span<const double> context,
                                      std::span<double> out) const {
  for (std::size_t arm = 0; arm < settings_.arms; ++arm) {
    out[arm] = std::clamp(mean(context, arm), 0.0, 1.0);
  }
  return true;
}

CriteoData read_criteo_world(const CriteoWorldSettings& settings, const std::atomic<bool>& interrupted) {
  if (settings.dimension < 1 || settings.dimension > criteo_integers) {
    throw InputError(
        "--dim", fmt::format("a row has {} integers: 1 to {} can be the context", criteo_integers, criteo_integers));
  }
  const CriteoItems items = survey_criteo(settings.file, {settings.arms, settings.rows}, interrupted);
  CriteoData data;
  data.rows = items.rows;
  data.kept = items.kept;
  data.labels = items.labels;
  data.context = fullest_columns(settings, items, interrupted);
  RecordedContexts recorded;
  recorded.dimension = settings.dimension;
  recorded.arms = items.items.size();
  std::vector<std::uint32_t> shown;
  std::vector<float> rewards;
  CriteoReader reader(settings.file);
  for (std::uint64_t r = 0; r < items.rows && recorded.users() < settings.users; ++r) {
    if (interrupted) throw Interrupted();
    const std::optional<CriteoRow> row = reader.next();
    if (!row) break;
    const auto arm = items.arm_of(hash_categories(*row));
    if (!arm || (settings.clicked_only && !row->clicked)) continue;
    add_context(*row, items, data.context, recorded.contexts);
    shown.push_back(static_cast<std::uint32_t>(*arm));
    rewards.push_back(row->clicked ? 1 : 0);
    if (shown.size() % settings.steps == 0) recorded.first.push_back(shown.size());
  }
  if (recorded.users() < 2) {
    throw InputError(
        settings.file.string(),
        fmt::format("{} of the {}, not enough for two users of {}: use a smaller --steps, or more of the log",
                    counted(shown.size(), "row"), counted(recorded.arms, "arm"), counted(settings.steps, "step")));
  }
  shown.resize(recorded.steps());
  rewards.resize(recorded.steps());
  recorded.contexts.resize(recorded.steps() * recorded.dimension);
  data.steps = recorded.steps();
  data.clicks = static_cast<std::uint64_t>(std::count(rewards.begin(), rewards.end(), 1.0F));
  if (!settings.clicked_only) {
    data.world = std::make_shared<LogWorld>(std::move(recorded), std::move(shown), std::move(rewards));
    return data;
  }
  std::vector<float> all(shown.size() * recorded.arms);
  for (std::size_t i = 0; i < shown.size(); ++i) all[i * recorded.arms + shown[i]] = 1;
  data.world = std::make_shared<TableWorld>(std::move(recorded), std::move(all));
  return data;
}

MultiLabelData read_multi_label(const MultiLabelSettings& settings, const std::atomic<bool>& interrupted) {
  const Survey found = survey(settings, interrupted);
  MultiLabelData data;
  data.rows = found.rows;
  data.features = found.features;
  data.labels = found.label_rows.size();
  data.arms = largest(found.label_rows, settings.arms, false);
  data.context = largest(scores(settings, found, data.arms, interrupted), settings.dimension, true);
  const std::vector<std::uint32_t> arm_of = places_of(data.arms, found.label_rows.size());
  const std::vector<std::uint32_t> place_of = places_of(data.context, found.features);
  RecordedContexts recorded;
  recorded.dimension = settings.dimension;
  recorded.arms = settings.arms;
  const std::size_t users = static_cast<std::size_t>(found.rows) / settings.steps;
  std::vector<float> rewards;
  std::size_t used = 0;
  for_each_row(settings, interrupted, [&](const MultiLabelRow& row) {
    if (used == users * settings.steps) return;
    recorded.contexts.resize(recorded.contexts.size() + settings.dimension);
    const auto context = std::span(recorded.contexts).last(settings.dimension);
    for (const auto& [feature, value] : row.features) {
      if (place_of[feature] != not_chosen) context[place_of[feature]] = value;
    }
    data.features_clipped += normalise_context(context);
    rewards.resize(rewards.size() + settings.arms);
    const auto paid = std::span(rewards).last(settings.arms);
    for (const std::uint32_t label : row.labels) {
      if (arm_of[label] != not_chosen) paid[arm_of[label]] = 1;
    }
    if (++used % settings.steps == 0) recorded.first.push_back(used);
  });
  data.world = std::make_shared<const TableWorld>(std::move(recorded), std::move(rewards));
  return data;
}

}  // namespace sotto::apps::lab
