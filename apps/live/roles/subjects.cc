#include "apps/live/roles/subjects.h"

#include <algorithm>
#include <utility>

#include "apps/live/roles/order_book.h"
#include "sotto/protocol/wire/coding.h"
#include "sotto/protocol/wire/hash.h"

namespace sotto::apps::live {
namespace {

constexpr LiveTime day_of_ms = 24ull * 3600 * 1000;

RowKey key_of_head() { return key_of(LiveTable::figures, OrderNumber{2}); }

constexpr std::size_t rows_erased_at_once = 256;

void write_totals(ByteWriter& out, const SubjectFigures& figures) {
  out.number(figures.day);
  out.number(figures.default_rows);
  out.number(figures.uncharged);
}

void read_totals(ByteReader& in, SubjectFigures& figures) {
  figures.day = in.number<std::uint64_t>();
  figures.default_rows = in.number<std::uint64_t>();
  figures.uncharged = in.number<std::uint64_t>();
}

}  // namespace

SubjectHash hash_of(std::string_view name, NamedBy who) {
  std::string text = who == NamedBy::party ? "subject " : "pseudonym ";
  text += name;
  SubjectHash hash{};
  std::copy_n(net::sha256(text).begin(), hash.size(), hash.begin());
  return hash;
}

SubjectCounts::SubjectCounts(const LiveRows& rows, const SubjectLimits& limits) : pages_(256) {
  figures_.limits = limits;
  for (Page& page : pages_) page.counts.max_load_factor(.5);
  read_head(rows);
  rows.each(LiveTable::subject_pages, [&](const RowKey& key, const LiveRow& bytes) {
    read_page(key, bytes);
    return true;
  });
  bool is_first = true;
  rows.each(LiveTable::subjects, [&](const RowKey& key, const LiveRow& bytes) {
    if (std::exchange(is_first, false)) first_ = number_of(key);
    read_row(key, bytes);
    return true;
  });
  if (is_first) first_ = last_ + 1;
  whole_ = pages_.front().through;
  for (const Page& page : pages_) {
    whole_ = std::min(whole_, page.through);
    subjects_ += page.counts.size();
  }
  count_figures();
}

void SubjectCounts::read_head(const LiveRows& rows) {
  const auto bytes = rows.get(key_of_head());
  if (!bytes) return;
  ByteReader in(*bytes);
  last_ = in.number<std::uint64_t>();
  read_totals(in, figures_);
  if (!in.at_end()) refuse_damaged("counts of subjects");
}

void SubjectCounts::put_head(RowDraft& draft) const {
  ByteWriter out;
  out.number(last_);
  write_totals(out, figures_);
  draft.put(key_of_head(), out.take());
}

void SubjectCounts::read_page(const RowKey& key, const LiveRow& bytes) {
  if (number_of(key) >= pages_.size()) refuse_damaged("page of subjects");
  Page& page = pages_[number_of(key)];
  ByteReader in(bytes);
  page.through = in.number<std::uint64_t>();
  while (in.ok() && in.left() > 0) {
    const auto subject = in.array<sizeof(SubjectHash)>();
    SubjectCount& count = page.counts[subject];
    count.day = in.number<std::uint64_t>();
    count.today = in.number<std::uint64_t>();
    count.ever = in.number<std::uint64_t>();
    if (&page_of(subject) != &page || count.today > count.ever) refuse_damaged("page of subjects");
  }
  if (!in.ok()) refuse_damaged("page of subjects");
}

void SubjectCounts::put_page(RowDraft& draft, std::size_t page) {
  Page& of = pages_[page];
  of.through = last_;
  ByteWriter out;
  out.number(of.through);
  for (const auto& [subject, count] : of.counts) {
    out.bytes(subject);
    out.number(count.day);
    out.number(count.today);
    out.number(count.ever);
  }
  draft.put(key_of(LiveTable::subject_pages, OrderNumber{page}), out.take());
}

void SubjectCounts::read_row(const RowKey& key, const LiveRow& bytes) {
  ByteReader in(bytes);
  SubjectFigures then = figures_;
  read_totals(in, then);
  if (number_of(key) > last_) {
    last_ = number_of(key);
    figures_ = then;
  }
  while (in.ok() && in.left() > 0) {
    const auto subject = in.array<sizeof(SubjectHash)>();
    Page& page = page_of(subject);
    ++in_rows_;
    if (number_of(key) <= page.through) continue;
    page.counts[subject].add_on(then.day);
  }
  if (!in.ok()) refuse_damaged("counts of subjects");
}

void SubjectCounts::count_figures() {
  figures_.most_today = figures_.most_ever = figures_.at_limit = ended_ = 0;
  for (const Page& page : pages_) {
    for (const auto& [subject, count] : page.counts) {
      if (count.day == figures_.day) figures_.most_today = std::max(figures_.most_today, count.today);
      figures_.most_ever = std::max(figures_.most_ever, count.ever);
      if (is_at_limit(count)) ++figures_.at_limit;
      if (figures_.limits.ever && count.ever >= *figures_.limits.ever) ++ended_;
    }
  }
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

std::optional<SubjectCount> SubjectCounts::stored(const SubjectHash& subject) const {
  const auto& counts = pages_[place_of(subject)].counts;
  const auto found = counts.find(subject);
  if (found == counts.end()) return std::nullopt;
  if (found->second.day != figures_.day) return SubjectCount{figures_.day, 0, found->second.ever};
  return found->second;
}

bool SubjectCounts::is_at_limit(const SubjectCount& count) const {
  const SubjectLimits& limits = figures_.limits;
  const bool is_full = count.day == figures_.day && count.today >= limits.per_day;
  return is_full || (limits.ever && count.ever >= *limits.ever);
}

bool SubjectCounts::has_room(const SubjectHash& subject) const {
  const auto count = stored(subject);
  return !count || !is_at_limit(*count);
}

void SubjectCounts::add_one(const SubjectHash& subject) {
  const auto [found, is_new] = page_of(subject).counts.try_emplace(subject);
  SubjectCount& count = found->second;
  subjects_ += is_new ? 1 : 0;
  count.add_on(figures_.day);
  figures_.most_today = std::max(figures_.most_today, count.today);
  figures_.most_ever = std::max(figures_.most_ever, count.ever);
  if (is_at_limit(count)) ++figures_.at_limit;
  if (figures_.limits.ever && count.ever == *figures_.limits.ever) ++ended_;
}

void SubjectCounts::add(RowDraft& draft, std::span<const SubjectHash> subjects, std::uint64_t limited,
                        std::uint64_t uncharged) {
  if (subjects.empty() && limited + uncharged == 0) return;
  figures_.default_rows += limited;
  figures_.uncharged += uncharged;
  ByteWriter out;
  write_totals(out, figures_);
  for (const SubjectHash& subject : subjects) {
    add_one(subject);
    out.bytes(subject);
  }
  in_rows_ += subjects.size();
  draft.put(key_of(LiveTable::subjects, OrderNumber{++last_}), out.take());
}

void SubjectCounts::put_together(RowDraft& draft) {
  if (next_page_ == pages_.size() && in_rows_ >= std::max(many, subjects_)) {
    next_page_ = 0;
    in_rows_ = 0;
  }
  if (next_page_ < pages_.size()) {
    put_page(draft, next_page_);
    if (next_page_ == 0) put_head(draft);
    if (++next_page_ == pages_.size()) whole_ = pages_.front().through;
    return;
  }
  for (std::size_t erased = 0; erased < rows_erased_at_once && first_ <= whole_; ++erased, ++first_) {
    draft.erase(key_of(LiveTable::subjects, OrderNumber{first_}));
  }
}

std::optional<SubjectCount> SubjectCounts::find(std::string_view name) const {
  const auto own = stored(hash_of(name, NamedBy::party));
  return own ? own : stored(hash_of(name, NamedBy::caller));
}

}  // namespace sotto::apps::live
