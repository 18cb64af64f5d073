#include "apps/live/roles/subjects.h"

#include <algorithm>

#include "apps/live/roles/order_book.h"
#include "sotto/protocol/wire/coding.h"
#include "sotto/protocol/wire/hash.h"

namespace sotto::apps::live {
namespace {

constexpr LiveTime day_of_ms = 24ull * 3600 * 1000;

RowKey key_of_subject_figures() { return key_of(LiveTable::figures, OrderNumber{2}); }
RowKey key_of_window() { return key_of(LiveTable::window, OrderNumber{0}); }

std::array<std::byte, Seed::size> bytes_of(const Seed& seed) {
  std::array<std::byte, Seed::size> bytes{};
  std::ranges::copy(seed.expose(), bytes.begin());
  return bytes;
}

// What is kept of all subjects.
struct FiguresRow {
  Seed key = Seed::from_os();
  SubjectFigures figures{};
  std::uint64_t ended = 0;
};

FiguresRow read_figures(const LiveRows& rows) {
  FiguresRow row;
  const auto bytes = rows.get(key_of_subject_figures());
  if (!bytes) return row;
  ByteReader in(*bytes);
  row.key = Seed::from_bytes(in.array<Seed::size>());
  SubjectFigures& figures = row.figures;
  figures.limits.per_day = in.number<std::uint64_t>();
  if (in.flag()) figures.limits.ever = in.number<std::uint64_t>();
  for (std::uint64_t* const count :
       {&figures.day, &figures.most_today, &figures.most_ever, &figures.at_limit, &figures.default_rows, &row.ended}) {
    *count = in.number<std::uint64_t>();
  }
  if (!in.at_end()) refuse_damaged("figures of subjects");
  return row;
}

}  // namespace

SubjectHash hash_of_pseudonym(std::string_view text) {
  SubjectHash hash{};
  std::copy_n(net::sha256(text).begin(), hash.size(), hash.begin());
  return hash;
}

std::vector<std::byte> encode(const SubjectCount& count) {
  ByteWriter out;
  out.number(count.day);
  out.number(count.today);
  out.number(count.ever);
  return out.take();
}

std::optional<SubjectCount> decode_subject_count(std::span<const std::byte> bytes) {
  ByteReader in(bytes);
  SubjectCount count;
  count.day = in.number<std::uint64_t>();
  count.today = in.number<std::uint64_t>();
  count.ever = in.number<std::uint64_t>();
  if (!in.at_end() || count.today > count.ever) return std::nullopt;
  return count;
}

SubjectCounts::SubjectCounts(const LiveRows& rows, const SubjectLimits& limits) {
  FiguresRow row = read_figures(rows);
  key_ = std::make_shared<const Seed>(std::move(row.key));
  figures_ = row.figures;
  ended_ = row.ended;
  if (figures_.limits == limits) return;
  figures_.limits = limits;
  figures_.at_limit = ended_ = 0;
  rows.each(LiveTable::subjects, [&](const RowKey&, const LiveRow& bytes) {
    const std::optional<SubjectCount> count = decode_subject_count(bytes);
    if (!count) refuse_damaged("subject");
    if (is_at_limit(*count)) ++figures_.at_limit;
    if (limits.ever && count->ever >= *limits.ever) ++ended_;
    return true;
  });
}

SubjectHash SubjectCounts::hash_of(std::string_view name, NamedBy who) const {
  return bytes_of(key_->derive((who == NamedBy::party ? "subject " : "pseudonym ") + hex(net::sha256(name))));
}

void SubjectCounts::take_time(LiveTime now) {
  if (now / day_of_ms <= figures_.day) return;
  figures_.day = now / day_of_ms;
  figures_.most_today = 0;
  figures_.at_limit = ended_;
}

std::uint64_t SubjectCounts::days_ahead(LiveTime now) const {
  return figures_.day > now / day_of_ms ? figures_.day - now / day_of_ms : 0;
}

std::optional<SubjectCount> SubjectCounts::stored(const RowDraft& draft, const SubjectHash& subject) const {
  const auto bytes = draft.get(RowKey{LiveTable::subjects, subject});
  if (!bytes) return std::nullopt;
  std::optional<SubjectCount> count = decode_subject_count(*bytes);
  if (!count) refuse_damaged("subject");
  if (count->day != figures_.day) *count = {figures_.day, 0, count->ever};
  return count;
}

bool SubjectCounts::is_at_limit(const SubjectCount& count) const {
  const SubjectLimits& limits = figures_.limits;
  const bool is_full = count.day == figures_.day && count.today >= limits.per_day;
  return is_full || (limits.ever && count.ever >= *limits.ever);
}

bool SubjectCounts::has_room(const RowDraft& draft, const SubjectHash& subject) const {
  const auto count = stored(draft, subject);
  return !count || !is_at_limit(*count);
}

void SubjectCounts::add(RowDraft& draft, const SubjectHash& subject) {
  SubjectCount count = stored(draft, subject).value_or(SubjectCount{figures_.day, 0, 0});
  ++count.today;
  ++count.ever;
  figures_.most_today = std::max(figures_.most_today, count.today);
  figures_.most_ever = std::max(figures_.most_ever, count.ever);
  if (is_at_limit(count)) ++figures_.at_limit;
  if (figures_.limits.ever && count.ever == *figures_.limits.ever) ++ended_;
  draft.put(RowKey{LiveTable::subjects, subject}, encode(count));
  put(draft);
}

void SubjectCounts::add_defaults(RowDraft& draft, std::uint64_t limited, std::uint64_t uncharged) {
  if (limited + uncharged == 0) return;
  figures_.default_rows += limited;
  figures_.uncharged += uncharged;
  put(draft);
}

void SubjectCounts::put(RowDraft& draft) const {
  ByteWriter out;
  out.bytes(key_->expose());
  out.number(figures_.limits.per_day);
  out.octet(figures_.limits.ever ? 1 : 0);
  if (figures_.limits.ever) out.number(*figures_.limits.ever);
  for (const std::uint64_t count :
       {figures_.day, figures_.most_today, figures_.most_ever, figures_.at_limit, figures_.default_rows, ended_}) {
    out.number(count);
  }
  draft.put(key_of_subject_figures(), out.take());
}

std::optional<SubjectCount> SubjectCounts::find(const RowDraft& draft, std::string_view name) const {
  const auto own = stored(draft, hash_of(name, NamedBy::party));
  return own ? own : stored(draft, hash_of(name, NamedBy::caller));
}

WindowSubjects::WindowSubjects(const LiveRows& rows) {
  if (const auto bytes = rows.get(key_of_window())) {
    ByteReader in(*bytes);
    first_ = in.number<OrderNumber>();
    if (!in.at_end() || first_ == 0) refuse_damaged("window of agreement");
  }
  rows.each(LiveTable::window, [&](const RowKey& key, const LiveRow& bytes) {
    if (number_of(key) == 0 || number_of(key) < first_) return true;
    ByteReader in(bytes);
    while (in.ok() && in.left() > 0) ++rows_[in.array<Seed::size>()];
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
  draft.put(key_of_window(), out.take());
}

void WindowSubjects::add(RowDraft& draft, OrderNumber number, std::span<const SubjectHash> subjects) {
  if (subjects.empty()) return;
  ByteWriter out;
  for (const SubjectHash& subject : subjects) {
    ++rows_[subject];
    out.bytes(subject);
  }
  draft.put(key_of(LiveTable::window, number), out.take());
}

void WindowSubjects::take_back(RowDraft& draft, OrderNumber number) {
  const RowKey key = key_of(LiveTable::window, number);
  const auto bytes = draft.get(key);
  if (!bytes || number < first_) return;
  ByteReader in(*bytes);
  while (in.ok() && in.left() > 0) {
    const auto found = rows_.find(in.array<Seed::size>());
    if (found != rows_.end() && --found->second == 0) rows_.erase(found);
  }
  draft.erase(key);
}

void WindowSubjects::forget(RowDraft& draft, const LiveRows& rows, std::size_t most) const {
  rows.each(LiveTable::window, [&](const RowKey& key, const LiveRow&) {
    if (number_of(key) == 0) return true;
    if (number_of(key) >= first_ || most == 0) return false;
    draft.erase(key);
    --most;
    return true;
  });
}

}  // namespace sotto::apps::live
