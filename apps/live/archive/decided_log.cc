#include "apps/live/archive/decided_log.h"

#include <fmt/format.h>

#include <optional>
#include <utility>
#include <vector>

#include "apps/kit/files/table.h"
#include "apps/live/api/event_text.h"
#include "apps/live/roles/decisions.h"
#include "apps/live/roles/order_book.h"
#include "apps/prepare/tables/cell.h"
#include "apps/prepare/tables/text_table.h"
#include "sotto/protocol/error/errors.h"

namespace sotto::apps::live {
namespace {

std::vector<BatchRow> closed_batches(const LiveRows& rows, LiveTime since) {
  std::vector<BatchRow> batches;
  rows.each(LiveTable::batches, [&](const RowKey&, const LiveRow& bytes) {
    std::optional<BatchRow> batch = decode_batch_row(bytes);
    if (!batch) refuse_damaged("batch");
    if (!is_open(batch->state) && batch->at >= since) batches.push_back(std::move(*batch));
    return true;
  });
  return batches;
}

std::optional<DecisionRow> played(const RowDraft& rows, const EventId& event, OrderNumber number) {
  const auto bytes = rows.get(key_of(LiveTable::events, event));
  if (!bytes) return std::nullopt;
  const std::optional<DecisionRow> row = decode_decision_row(*bytes);
  if (!row) refuse_damaged("decision");
  const bool is_chosen = row->own == OwnArm::none || row->own == OwnArm::ignored;
  const bool is_played = row->state == DecisionState::decided && row->active && row->number == number;
  return is_chosen && is_played && row->offered > 0 ? row : std::nullopt;
}

}  // namespace

EventRewards read_rewards(const std::filesystem::path& file) {
  const prepare::TextTable table = prepare::TextTable::read(file);
  const std::size_t event = table.column("event", "--rewards");
  const std::size_t reward = table.column("reward", "--rewards");
  EventRewards rewards;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const std::optional<EventId> id = parse_event(table.cell(row, event));
    if (!id) throw InputError(table.where(row, event), "expected the id of an event, 32 hex digits");
    const auto value = prepare::number_in({table.cell(row, reward), {}, false}, {});
    if (!value || *value < -1 || *value > 1) {
      throw InputError(table.where(row, reward), "expected a reward, a number from -1 to 1");
    }
    if (!rewards.emplace(*id, *value).second) {
      throw InputError(table.where(row, event), "the event is in the file twice");
    }
  }
  return rewards;
}

DecidedLog decided_log(const LiveSettings& settings, double epsilon, LiveRows& rows, const EventRewards& rewards,
                       LiveTime since) {
  DecidedLog result;
  result.log = "id,arm,arm_name,reward,best_probability,least_probability\n";
  result.events = "event\n";
  const RowDraft known(rows);
  std::size_t used = 0;
  for (const BatchRow& batch : closed_batches(rows, since)) {
    for (const EventId& event : batch.events) {
      const std::optional<DecisionRow> row = played(known, event, batch.number);
      if (!row || row->arm >= settings.arms.size()) continue;
      const auto reward = rewards.find(event);
      const bool has_reward = reward != rewards.end();
      used += has_reward ? 1 : 0;
      result.without_reward += has_reward ? 0 : 1;
      if (!has_reward && !settings.default_reward) continue;
      const double least = epsilon / row->offered;
      const std::string id = event_text(event);
      result.log += fmt::format("{},{},{},{},{:.12g},{:.12g}\n", id, row->arm, csv_cell(settings.arms[row->arm]),
                                has_reward ? reward->second : *settings.default_reward, 1 - epsilon + least, least);
      result.events += id + "\n";
      ++result.count;
    }
  }
  result.other_rewards = rewards.size() - used;
  return result;
}

}  // namespace sotto::apps::live
