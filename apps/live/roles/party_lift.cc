// The part of a party in the counts of the lift (order/lift_window.h).

#include <stdexcept>
#include <utility>

#include "apps/live/roles/archive.h"
#include "apps/live/roles/party.h"

namespace sotto::apps::live {

// An event without an archived bit does not count, such as an event of mode apprentice.
void LiveParty::count_lift() {
  lift_part_ = {};
  in_lift_.clear();
  if (book_.lift_terms().levels == 0) return;
  struct Named {
    std::size_t place;
    ArchivedSubject subject;
    SubjectHash hash;
  };
  std::vector<Named> named;
  const RowDraft rows(rows_);
  for (const OrderNumber number : concurrent_->batches) {
    const std::size_t events = book_.batch(rows, number).events.size();
    const auto bytes = rows.get(key_of(LiveTable::archive, number));
    std::optional<ArchiveRow> row;
    if (bytes) row = decode_archive_row(*bytes);
    if (bytes && (!row || row->best.size() != events)) refuse_damaged("archive");
    for (std::size_t place = 0; place < events; ++place) {
      const bool has_subject = row && place < row->subjects.size() && row->subjects[place];
      if (has_subject) {
        const ArchivedSubject& subject = *row->subjects[place];
        named.push_back({lift_part_.best.size(), subject, hash_of(subject.name, subject.named_by)});
      }
      lift_part_.best.push_back(row ? row->best[place] : 0);
      lift_part_.counted.push_back(row ? 1 : 0);
    }
  }
  const LiftWindow& window = book_.last().lift;
  const bool begins = window.is_full || lift_window_.first() == 0;
  std::map<SubjectHash, std::uint64_t> here;
  std::vector<Named> charged;
  std::vector<std::string> names;
  for (const Named& each : named) {
    std::uint64_t& count = here.try_emplace(each.hash, begins ? 0 : lift_window_.rows_of(each.hash)).first->second;
    if (count >= book_.window_rows()) {
      lift_part_.counted[each.place] = 0;
      continue;
    }
    ++count;
    charged.push_back(each);
    names.push_back(each.subject.name);
  }
  std::vector<bool> may_count(charged.size(), true);
  if (account_ != nullptr && !names.empty()) {
    may_count = account_->charge(last_number + window.opened + (window.is_full ? 2 : 1), names);
    if (book_.mode() != LiveMode::apprentice) account_->rest();
  }
  for (std::size_t i = 0; i < charged.size(); ++i) {
    lift_part_.counted[charged[i].place] = may_count.at(i) ? 1 : 0;
    if (may_count[i]) in_lift_.push_back(charged[i].hash);
  }
}

LiftWords LiveParty::shown_lift() const {
  if (!concurrent_) throw std::logic_error("no learn has begun");
  LiftWords words;
  if (book_.opens_lift()) words = book_.last().lift.words;
  words.resize(book_.lift_terms().words(), 0);
  return words;
}

// Only counts of the baseline arm depend on the party's features, so only these get its noise.
LiftCounted LiveParty::lift_of(RowDraft& draft, const OrderEntry& learn, LiftWords counts) {
  const LiftTerms& terms = book_.lift_terms();
  if (terms.levels == 0) return {};
  if (counts.size() != terms.words()) throw std::logic_error("counts of all levels");
  if (book_.fills_lift(learn.batches)) {
    if (!lift_noise_) throw std::logic_error("a window is full, and there is no noise");
    for (std::size_t i = terms.levels; i < counts.size(); ++i) counts[i] += static_cast<std::uint64_t>(lift_noise_());
  }
  if (book_.opens_lift() || lift_window_.first() == 0) lift_window_.begin(draft, learn.number);
  lift_window_.add(draft, learn.number, in_lift_);
  return {0, std::move(counts), {}};
}

}  // namespace sotto::apps::live
