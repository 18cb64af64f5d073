#include <algorithm>
#include <stdexcept>
#include <unordered_set>

#include "apps/live/roles/party.h"

namespace sotto::apps::live {

BatchFeatures LiveParty::gathered() const {
  const RowDraft rows(rows_);
  BatchFeatures features(running_->entry.events.size());
  for (std::uint32_t place = 0; place < features.size(); ++place) {
    if (std::binary_search(running_->refused.begin(), running_->refused.end(), place)) continue;
    features[place] = queue_.find(rows, running_->entry.events[place]);
    const auto at_hand = running_->at_hand.find(place);
    if (!features[place] && at_hand != running_->at_hand.end()) features[place] = at_hand->second;
  }
  return features;
}

std::optional<LiveParty::Subject> LiveParty::subject_at(std::size_t place, const PushedFeatures& features) const {
  const auto named_by = [](const std::string& name, NamedBy who) { return Subject{name, who, hash_of(name, who)}; };
  if (!features.subject.empty()) return named_by(features.subject, NamedBy::party);
  const auto& subjects = running_->entry.subjects;
  if (subjects.empty() || !names_subject(subjects[place])) return std::nullopt;
  if (const std::string* const own = own_names_ ? own_names_(subjects[place]) : nullptr;
      own != nullptr && !own->empty()) {
    return named_by(*own, NamedBy::party);
  }
  return named_by(subjects[place], NamedBy::caller);
}

std::vector<FeatureValues> LiveParty::freeze(LiveTime now) {
  if (!running_ || running_->entry.shape.kind != EntryKind::decide) throw std::logic_error("no decide is on its way");
  BatchFeatures features = gathered();
  Subjects subjects(features.size());
  limit(features, subjects, now);
  std::vector<FeatureValues> rows(running_->entry.shape.size, defaults_);
  for (std::size_t place = 0; place < features.size(); ++place) {
    if (features[place]) rows[place] = features[place]->values;
  }
  if (running_->entry.shape.secret) limit_window(rows, subjects);
  running_->frozen = std::move(features);
  running_->subjects = std::move(subjects);
  return rows;
}

// An event gets the default row if its subject has reached a limit or occurs a second time in the decide.
void LiveParty::limit(BatchFeatures& features, Subjects& subjects, LiveTime now) {
  subjects_.take_time(now);
  std::unordered_set<SubjectHash, HashOfSubject> here(2 * features.size());
  running_->counted.clear();
  running_->withheld = 0;
  for (std::size_t place = 0; place < features.size(); ++place) {
    std::optional<Subject>& subject = subjects[place];
    if (features[place]) subject = subject_at(place, *features[place]);
    if (!subject) continue;
    if (here.insert(subject->hash).second && subjects_.has_room(subject->hash)) {
      running_->counted.push_back(subject->hash);
    } else {
      features[place].reset();
      subject.reset();
      ++running_->withheld;
    }
  }
}

// If a subject has reached its limit of rows in the window, the party uses the default row to find the model's arm for
// further events of the subject. The model still learns the subject's own rows, because the limit is only for the sum
// of agreement.
void LiveParty::limit_window(std::vector<FeatureValues>& rows, const Subjects& subjects) {
  running_->in_window.clear();
  running_->uncharged = 0;
  const bool begins = running_->begins_window = book_.opens_agreement() || window_.first() == 0;
  std::vector<std::size_t> places;
  std::vector<std::string> names;
  std::vector<SubjectHash> hashes;
  for (std::size_t place = 0; place < subjects.size(); ++place) {
    const auto& subject = subjects[place];
    if (!subject) continue;
    if (!begins && window_.rows_of(subject->hash) >= book_.window_rows()) {
      rows[place] = defaults_;
      continue;
    }
    places.push_back(place);
    names.push_back(subject->name);
    hashes.push_back(subject->hash);
  }
  std::vector<bool> may_count(places.size(), true);
  if (account_ != nullptr && !names.empty()) {
    may_count = account_->charge(begins ? running_->entry.number : window_.first(), names);
  }
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (may_count.at(i)) {
      running_->in_window.push_back(hashes[i]);
    } else {
      ++running_->uncharged;
      rows[places[i]] = defaults_;
    }
  }
}

void LiveParty::count_subjects(RowDraft& draft) {
  subjects_.add(draft, running_->counted, running_->withheld, running_->uncharged);
  if (running_->begins_window) window_.begin(draft, running_->entry.number);
  window_.add(draft, running_->entry.number, running_->in_window);
}

const SubjectFigures& LiveParty::subject_figures(LiveTime now) {
  subjects_.take_time(now);
  return subjects_.figures();
}

std::optional<SubjectCount> LiveParty::subject(const std::string& name, LiveTime now) {
  subjects_.take_time(now);
  return subjects_.find(name);
}

}  // namespace sotto::apps::live
