#include "sotto/bench/lab/p2b/criteo_world.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <utility>

#include "sotto/apps/kit/data/criteo.h"
#include "sotto/core/error/errors.h"
#include "sotto/core/text/count.h"

namespace sotto::apps {
namespace {

// The integers that are missing least often, in the file's order.
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

}  // namespace

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

}  // namespace sotto::apps
