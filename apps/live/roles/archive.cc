#include "apps/live/roles/archive.h"

#include "apps/live/roles/features.h"

#include "sotto/protocol/wire/coding.h"

namespace sotto::apps::live {

std::vector<std::byte> encode(const ArchiveRow& row) {
  ByteWriter out;
  out.number(row.at);
  out.bytes(row.id);
  out.numbers(std::span(row.best));
  for (const auto& subject : row.subjects) {
    out.octet(!subject ? 0 : subject->named_by == NamedBy::party ? 1 : 2);
    if (subject) out.long_text(subject->name);
  }
  return out.take();
}

std::optional<ArchiveRow> decode_archive_row(std::span<const std::byte> bytes) {
  ByteReader in(bytes);
  ArchiveRow row;
  row.at = in.number<LiveTime>();
  row.id = in.array<sizeof(bandit::CheckpointId)>();
  row.best = in.numbers<std::uint8_t>();
  if (in.ok() && in.left() > 0) row.subjects.resize(row.best.size());
  for (auto& subject : row.subjects) {
    const std::uint8_t kind = in.octet();
    if (kind > 2) return std::nullopt;
    if (kind > 0)
      subject = ArchivedSubject{in.long_text(longest_own_subject), kind == 1 ? NamedBy::party : NamedBy::caller};
  }
  if (!in.at_end()) return std::nullopt;
  for (const std::uint8_t bit : row.best) {
    if (bit > 1) return std::nullopt;
  }
  return row;
}

}  // namespace sotto::apps::live
