// The archived rows of a party (apps/live/roles/archive.h), as the files of an evaluation.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "apps/live/order/entry.h"
#include "apps/live/roles/features.h"
#include "apps/live/rows/live_rows.h"

namespace sotto::apps::live {

// The events of a file that decided_log.h wrote: a CSV with a column `event`. Throws InputError that names file:line if
// a cell is no id of an event, or if an event is in the file twice.
[[nodiscard]] std::vector<EventId> read_events(const std::filesystem::path& file);

struct ArchivedRows {
  std::vector<double> values;         // one row per event, with the party's columns
  std::vector<std::string> subjects;  // names of subjects (SubjectCounts); empty if no event has one
  std::vector<std::uint8_t> best;     // this party's share of each event's bit
  std::string id;                     // 64 hex digits; equal at parties whose shares are of the same bits
  std::size_t without_features = 0;   // events that were decided with the default row
  std::size_t missing = 0;            // events without an archived row; the other members leave these events out
};

// `defaults` is the party's default row.
[[nodiscard]] ArchivedRows archived_rows(const FeatureValues& defaults, LiveRows& rows,
                                         const std::vector<EventId>& events);

// Writes rows.csv with its order, its shares of best arms and, if known, its subjects. Returns the path of rows.csv.
std::filesystem::path write_rows(const ArchivedRows& rows, const std::vector<std::string>& columns,
                                 const std::vector<EventId>& events, const std::filesystem::path& folder);

}  // namespace sotto::apps::live
