#include "apps/live/rows/live_rows.h"

#include "sotto/protocol/wire/coding.h"

namespace sotto::apps::live {

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

std::vector<std::byte> encode(const RowChanges& changes) {
  ByteWriter out;
  for (const auto& [key, row] : changes) {
    out.octet(static_cast<std::uint8_t>(key.table));
    out.bytes(key.key);
    out.octet(row ? 1 : 0);
    if (row) out.numbers(std::span<const std::byte>(*row));
  }
  return out.take();
}

std::optional<RowChanges> decode_row_changes(std::span<const std::byte> bytes) {
  ByteReader in(bytes);
  RowChanges changes;
  while (in.ok() && in.left() > 0) {
    RowKey key;
    const std::uint8_t table = in.octet();
    if (table < static_cast<std::uint8_t>(LiveTable::epoch) || table > static_cast<std::uint8_t>(last_live_table)) {
      return std::nullopt;
    }
    key.table = static_cast<LiveTable>(table);
    key.key = in.array<sizeof key.key>();
    if (!changes.empty() && !(changes.rbegin()->first < key)) return std::nullopt;
    auto& row = changes[key];
    if (in.flag()) row = in.numbers<std::byte>();
  }
  if (!in.ok()) return std::nullopt;
  return changes;
}

std::optional<LiveRow> RowDraft::get(const RowKey& key) const {
  const auto changed = changes_.find(key);
  return changed == changes_.end() ? rows_.get(key) : changed->second;
}

void RowDraft::commit() {
  if (!changes_.empty()) rows_.commit(changes_);
  changes_.clear();
}

}  // namespace sotto::apps::live
