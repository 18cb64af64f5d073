#include "apps/live/import/foreign_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>

#include "apps/live/config/live_config.h"
#include "apps/live/roles/order_book.h"
#include "core/text/count.h"
#include "sotto/protocol/error/errors.h"

namespace sotto::apps::live {
namespace {

using ShareWords = std::vector<std::uint64_t>;

struct ReadModel {
  SnapshotName name;
  ForeignModel foreign;
};

void check_columns(const LiveConfig& before, const LiveConfig& config) {
  std::vector<std::string> kept;
  const std::vector<FeatureColumn> columns = config.read_columns();
  for (std::size_t place = 0; place < columns.size(); ++place) {
    const auto& added = config.live.added_features;
    const bool is_new = std::any_of(added.begin(), added.end(),
                                    [&](const AddedFeature& a) { return a.party == config.id && a.place == place; });
    if (!is_new) kept.push_back(columns[place].name);
  }
  std::vector<std::string> had;
  for (const FeatureColumn& column : before.read_columns()) had.push_back(column.name);
  if (kept == had) return;
  throw InputError(config.columns.string(),
                   fmt::format("without the columns in added_features it has {}, and the service of before had {}",
                               fmt::join(kept, ", "), fmt::join(had, ", ")));
}

bandit::ModelWords split(std::span<const std::byte> row) {
  bandit::ModelWords model;
  if (row.empty()) return model;
  ByteReader in(row);
  for (ShareWords* words : {&model.gram, &model.inverse, &model.targets, &model.weights}) {
    *words = in.numbers<std::uint64_t>();
  }
  if (!in.at_end()) refuse_damaged("model");
  return model;
}

ReadModel read_service(const LiveConfig& before, const LiveConfig& config) {
  check_columns(before, config);
  const LiveStore store(before.state, live_identity(before), live_key(before));
  const OrderBook book(store, before.live);
  if (book.last().from.any()) {
    throw InputError("--from",
                     "that service has learned nothing since it took the model of another: give the config of that "
                     "other one");
  }
  ReadModel read;
  read.name = {0, book.last().mark.id, book.last().learned};
  LiveRow newest;
  store.each(LiveTable::models, [&](const RowKey&, const LiveRow& row) {
    newest = row;
    return true;
  });
  read.foreign = described_model(before, newest);
  return read;
}

ReadModel of_run(const bandit::RunModel& run) {
  ReadModel read;
  read.name = {0, run.id, run.learned};
  ForeignModel& foreign = read.foreign;
  const auto half = [](const ShareWords& words, bool second) {
    const auto middle = words.begin() + static_cast<std::ptrdiff_t>(words.size() / 2);
    return second ? ShareWords(middle, words.end()) : ShareWords(words.begin(), middle);
  };
  foreign.is_run = true;
  foreign.model.inverse = half(run.shares.inverses, false);
  foreign.model.gram = half(run.shares.inverses, true);
  foreign.model.weights = half(run.shares.targets, false);
  foreign.model.targets = half(run.shares.targets, true);
  foreign.arms = run.arms;
  foreign.steps = run.steps;
  foreign.batch = run.batch;
  foreign.reward_lag = run.reward_lag;
  foreign.update = run.update;
  foreign.bits = run.bits;
  foreign.max_norm = run.max_norm;
  foreign.binary_rewards = run.binary_rewards;
  return read;
}

ReadModel read_any(const RoleSettings& before, const bandit::ReadRunModel& read_run, const LiveConfig& config) {
  if (const auto* const service = dynamic_cast<const LiveConfig*>(&before)) {
    if (service->role() == bandit::BanditRole::party && service->id == config.id) return read_service(*service, config);
  } else if (const auto run = read_run(before, config.id)) {
    return of_run(*run);
  }
  throw InputError(
      "--from",
      fmt::format("expected the config of {} in an earlier service, or in a run of `sotto bandit`", config.name()));
}

}  // namespace

ForeignModel described_model(const LiveConfig& config, std::span<const std::byte> words) {
  ForeignModel foreign;
  foreign.model = split(words);
  foreign.arm_names = config.live.arms;
  foreign.arms = config.live.arms.size();
  foreign.steps = config.steps;
  foreign.batch = config.live.largest_batch();
  foreign.bits = config.bits;
  foreign.max_norm = config.max_norm;
  foreign.binary_rewards = config.binary_rewards;
  foreign.may_skip = !config.live.default_reward;
  return foreign;
}

SnapshotRow read_model(const RoleSettings& before, const bandit::ReadRunModel& read_run, const LiveConfig& config) {
  const ReadModel read = read_any(before, read_run, config);
  if (read.name.learned == 0 || read.foreign.model.gram.empty()) {
    throw InputError("--from", "nothing was learned there: begin without it");
  }
  if (read.name.learned > config.steps) {
    throw InputError("--from", fmt::format("the model has learned {}, and steps in [run] is {}",
                                           counted(read.name.learned, "event"), config.steps));
  }
  SnapshotRow row{read.name, true, encode(read.foreign)};
  row.name.from = sum_bits(read.foreign, config.parties);
  return row;
}

bool is_untouched(const LiveRows& rows) {
  bool untouched = true;
  for (const LiveTable table : {LiveTable::epoch, LiveTable::chain, LiveTable::snapshots}) {
    rows.each(table, [&](const RowKey&, const LiveRow&) { return untouched = false; });
  }
  return untouched;
}

}  // namespace sotto::apps::live
