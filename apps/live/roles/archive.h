// The archive of a party: what an evaluation of the service's own decisions needs (apps/bandit/model/evaluate).
//
// With LiveSettings::archive, a party keeps the features that a decide used beyond the learn. It also keeps its XOR
// share of a bit per event: whether the played arm was the model's best (batch/decide.h). With LiveSettings::lift
// alone, it keeps the share until the learn, which counts the lift (order/lift_window.h). The bits are the only shares
// in a store besides the model and the lift. One party's shares are uniform, so they reveal nothing. The shares of all
// parties together reveal which events explored.
//
// An archived row belongs to one number, and its id is the id of the entry. Parties with equal ids have the shares of
// the same bits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "apps/bandit/model/sites.h"
#include "apps/live/order/entry.h"
#include "apps/live/roles/subjects.h"
#include "apps/live/rows/live_rows.h"

namespace sotto::apps::live {

struct ArchivedSubject {
  std::string name;
  NamedBy named_by = NamedBy::party;

  friend bool operator==(const ArchivedSubject&, const ArchivedSubject&) = default;
};

struct ArchiveRow {
  LiveTime at = 0;
  bandit::CheckpointId id{};
  std::vector<std::uint8_t> best;  // the party's share of the bit of each event of the decide: 0 or 1
  // The subject of each event, as SubjectCounts counts it; not set for an event without a subject, or with the default
  // row.
  std::vector<std::optional<ArchivedSubject>> subjects{};

  friend bool operator==(const ArchiveRow&, const ArchiveRow&) = default;
};
[[nodiscard]] std::vector<std::byte> encode(const ArchiveRow& row);
[[nodiscard]] std::optional<ArchiveRow> decode_archive_row(std::span<const std::byte> bytes);

}  // namespace sotto::apps::live
