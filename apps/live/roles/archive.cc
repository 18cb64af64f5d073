#include "apps/live/roles/archive.h"

#include "sotto/protocol/wire/coding.h"

namespace sotto::apps::live {

std::vector<std::byte> encode(const ArchiveRow& row) {
  ByteWriter out;
  out.number(row.at);
  out.bytes(row.id);
  out.numbers(std::span(row.best));
  return out.take();
}

std::optional<ArchiveRow> decode_archive_row(std::span<const std::byte> bytes) {
  ByteReader in(bytes);
  ArchiveRow row;
  row.at = in.number<LiveTime>();
  row.id = in.array<sizeof(bandit::CheckpointId)>();
  row.best = in.numbers<std::uint8_t>();
  if (!in.at_end()) return std::nullopt;
  for (const std::uint8_t bit : row.best) {
    if (bit > 1) return std::nullopt;
  }
  return row;
}

bool is_archived(const RowDraft& rows, OrderNumber number) {
  return rows.get(key_of(LiveTable::archive, number)).has_value();
}

}  // namespace sotto::apps::live
