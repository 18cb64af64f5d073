#include "apps/live/roles/window_subjects.h"

#include "apps/live/roles/order_book.h"
#include "sotto/protocol/wire/coding.h"

namespace sotto::apps::live {

WindowSubjects::WindowSubjects(const LiveRows& rows, LiveTable table) : table_(table) {
  if (const auto bytes = rows.get(key_of(table_, OrderNumber{0}))) {
    ByteReader in(*bytes);
    first_ = in.number<OrderNumber>();
    if (!in.at_end() || first_ == 0) refuse_damaged("window of agreement");
  }
  rows.each(table_, [&](const RowKey& key, const LiveRow& bytes) {
    if (number_of(key) == 0 || number_of(key) < first_) return true;
    ByteReader in(bytes);
    while (in.ok() && in.left() > 0) ++rows_[in.array<sizeof(SubjectHash)>()];
    if (!in.ok()) refuse_damaged("window of agreement");
    return true;
  });
}

std::uint64_t WindowSubjects::rows_of(const SubjectHash& subject) const {
  const auto found = rows_.find(subject);
  return found == rows_.end() ? 0 : found->second;
}

void WindowSubjects::begin(RowDraft& draft, OrderNumber first) {
  first_ = first;
  rows_.clear();
  ByteWriter out;
  out.number(first_);
  draft.put(key_of(table_, OrderNumber{0}), out.take());
}

void WindowSubjects::add(RowDraft& draft, OrderNumber number, std::span<const SubjectHash> subjects) {
  if (subjects.empty()) return;
  ByteWriter out;
  for (const SubjectHash& subject : subjects) {
    ++rows_[subject];
    out.bytes(subject);
  }
  draft.put(key_of(table_, number), out.take());
}

void WindowSubjects::take_back(RowDraft& draft, OrderNumber number) {
  const RowKey key = key_of(table_, number);
  const auto bytes = draft.get(key);
  if (!bytes || number < first_) return;
  ByteReader in(*bytes);
  while (in.ok() && in.left() > 0) {
    const auto found = rows_.find(in.array<sizeof(SubjectHash)>());
    if (found != rows_.end() && --found->second == 0) rows_.erase(found);
  }
  draft.erase(key);
}

void WindowSubjects::forget(RowDraft& draft, const LiveRows& rows, std::size_t most) const {
  rows.each(table_, [&](const RowKey& key, const LiveRow&) {
    if (number_of(key) == 0) return true;
    if (number_of(key) >= first_ || most == 0) return false;
    draft.erase(key);
    --most;
    return true;
  });
}

}  // namespace sotto::apps::live
