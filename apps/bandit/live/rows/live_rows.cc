#include "sotto/apps/bandit/live/rows/live_rows.h"

namespace sotto::apps {

RowKey key_of(LiveTable table, const EventId& event) { return RowKey{table, event}; }

RowKey key_of(LiveTable table, OrderNumber number) {
  RowKey key{table, {}};
  for (std::size_t i = 0; i < sizeof number; ++i) {
    key.key[key.key.size() - 1 - i] = static_cast<std::byte>(number >> (8 * i));
  }
  return key;
}

OrderNumber number_of(const RowKey& key) {
  OrderNumber number = 0;
  for (std::size_t i = key.key.size() - sizeof number; i < key.key.size(); ++i) {
    number = number << 8 | std::to_integer<OrderNumber>(key.key[i]);
  }
  return number;
}

std::optional<LiveRow> RowDraft::get(const RowKey& key) const {
  const auto changed = changes_.find(key);
  return changed == changes_.end() ? rows_.get(key) : changed->second;
}

void RowDraft::commit() {
  if (!changes_.empty()) rows_.commit(changes_);
  changes_.clear();
}

}  // namespace sotto::apps
