#include "apps/live/archive/archived_rows.h"

#include <algorithm>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <utility>

#include "apps/kit/account/subjects.h"
#include "apps/kit/files/best_bits.h"
#include "apps/kit/files/output_file.h"
#include "apps/kit/files/row_order.h"
#include "apps/kit/files/table.h"
#include "apps/kit/program/out_options.h"
#include "apps/live/api/event_text.h"
#include "apps/live/roles/archive.h"
#include "apps/live/roles/order_book.h"
#include "apps/prepare/tables/text_table.h"
#include "sotto/protocol/error/errors.h"
#include "sotto/protocol/wire/coding.h"
#include "sotto/protocol/wire/hash.h"

namespace sotto::apps::live {
namespace {

// The archived rows of one decide.
struct ArchivedBatch {
  OrderNumber number = 0;
  std::vector<EventId> events;
  BatchFeatures features;
  ArchiveRow row;
};

std::optional<ArchivedBatch> batch_of(const RowDraft& rows, OrderNumber number) {
  const auto archived = rows.get(key_of(LiveTable::archive, number));
  const auto used = rows.get(key_of(LiveTable::used, number));
  const auto batch = rows.get(key_of(LiveTable::batches, number));
  if (!archived || !used || !batch) return std::nullopt;
  std::optional<ArchiveRow> row = decode_archive_row(*archived);
  std::optional<BatchFeatures> features = decode_batch_features(*used);
  std::optional<BatchRow> events = decode_batch_row(*batch);
  const bool fits = row && features && events && row->best.size() == events->events.size() &&
                    features->size() == events->events.size();
  if (!fits) refuse_damaged("archive");
  return ArchivedBatch{number, std::move(events->events), std::move(*features), std::move(*row)};
}

// Looks up events. Events of one decide usually follow each other, so the last decide stays in memory.
class Archive {
 public:
  explicit Archive(LiveRows& rows) : rows_(rows) {}

  struct Place {
    const ArchivedBatch& batch;
    std::size_t place;
  };
  [[nodiscard]] std::optional<Place> find(const EventId& event) {
    const auto bytes = rows_.get(key_of(LiveTable::events, event));
    if (!bytes) return std::nullopt;
    const std::optional<UsedRow> used = decode_used_row(*bytes);
    if (!used) refuse_damaged("event");
    if (!last_ || last_->number != used->number) last_ = batch_of(rows_, used->number);
    if (!last_) return std::nullopt;
    const auto found = std::find(last_->events.begin(), last_->events.end(), event);
    if (found == last_->events.end()) return std::nullopt;
    return Place{*last_, static_cast<std::size_t>(found - last_->events.begin())};
  }

 private:
  const RowDraft rows_;
  std::optional<ArchivedBatch> last_;
};

// The party's own name of the subject, or the pseudonym. An event without either counts as a subject of its own.
std::string subject_of(const std::optional<ArchivedSubject>& subject, const EventId& event) {
  return subject ? subject->name : "event " + event_text(event);
}

}  // namespace

std::vector<EventId> read_events(const std::filesystem::path& file) {
  const prepare::TextTable table = prepare::TextTable::read(file);
  const std::size_t column = table.column("event", "--events");
  std::vector<EventId> events;
  std::set<EventId> seen;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const std::optional<EventId> event = parse_event(table.cell(row, column));
    if (!event) throw InputError(table.where(row, column), "expected the id of an event, 32 hex digits");
    if (!seen.insert(*event).second) throw InputError(table.where(row, column), "the event is in the file twice");
    events.push_back(*event);
  }
  return events;
}

ArchivedRows archived_rows(const FeatureValues& defaults, LiveRows& rows, const std::vector<EventId>& events) {
  Archive archive(rows);
  ArchivedRows result;
  ByteWriter id;
  id.text("sotto best");
  bool has_subject = false;
  for (const EventId& event : events) {
    const auto found = archive.find(event);
    if (!found) {
      ++result.missing;
      continue;
    }
    const auto& features = found->batch.features[found->place];
    const FeatureValues& values = features ? features->values : defaults;
    if (values.size() != defaults.size()) refuse_damaged("features of a batch");
    result.values.insert(result.values.end(), values.begin(), values.end());
    const auto& subjects = found->batch.row.subjects;
    const auto subject = found->place < subjects.size() ? subjects[found->place] : std::nullopt;
    result.subjects.push_back(subject_of(subject, event));
    has_subject = has_subject || subject.has_value();
    result.without_features += features ? 0 : 1;
    result.best.push_back(found->batch.row.best[found->place]);
    id.bytes(event);
    id.bytes(found->batch.row.id);
  }
  if (!has_subject) result.subjects.clear();
  const std::vector<std::byte> bytes = id.take();
  result.id = hex(net::sha256(std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size())));
  return result;
}

std::filesystem::path write_rows(const ArchivedRows& rows, const std::vector<std::string>& columns,
                                 const std::vector<EventId>& events, const std::filesystem::path& folder) {
  std::vector<std::string> texts;
  texts.reserve(events.size());
  for (const EventId& event : events) texts.push_back(event_text(event));
  const std::vector<std::string_view> ids(texts.begin(), texts.end());
  std::filesystem::path file = folder / "rows.csv";
  std::string table = csv_text(columns, rows.values);
  std::vector<NewFile> files{{order_file_of(file), order_text(order_digest(ids), table)},
                             {best_bits_file_of(file), best_bits_text({rows.id, rows.best})}};
  if (!rows.subjects.empty()) {
    const std::vector<std::string_view> subjects(rows.subjects.begin(), rows.subjects.end());
    files.push_back({subjects_file_of(file), subjects_text(subjects, table)});
  }
  files.push_back({file, std::move(table)});
  make_run_directory(folder);
  write_files(files);
  return file;
}

}  // namespace sotto::apps::live
