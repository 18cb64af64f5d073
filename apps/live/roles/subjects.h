// Whom events are about, as a party counts them: how many of a subject's rows went into decisions, with a limit a day
// and a limit ever.
//
// A subject is what the party's own side calls it, where it names one with the features; else the pseudonym of the
// entry. An event of which neither is known is counted for nobody.
//
// The limits. A decision tells the actor up to log2 A bits of the party's part of the scores, so that whoever chooses
// its own features reads a feature of one subject from many decisions about it. From the (limit + 1)-th event of a day
// on the party's default row stands in place of the subject's, in the decision and in what is learned of it, and nobody
// else sees which row went in. That bounds a rate; it is no differential privacy. A count is on the disk before the
// party's part of the arms leaves for the actor, and is not taken back with a number that is: its arms may have been
// seen. Days are those of UTC by the party's clock; one that has begun does not begin again where that is set back.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "apps/live/rows/live_rows.h"

namespace sotto::apps::live {

// Who has named a subject: the party's own side, or the caller of the actor, by a pseudonym. Nobody uses up the
// other's.
enum class NamedBy : std::uint8_t { party, caller };

// The first bytes of SHA-256 of a name, and of who has given it. It stands in sealed rows alone. Two of 10^8 names have
// the same one with a chance of 3 in 10,000, and are then counted as one.
using SubjectHash = std::array<std::byte, 8>;
[[nodiscard]] SubjectHash hash_of(std::string_view name, NamedBy who);

struct HashOfSubject {
  [[nodiscard]] std::size_t operator()(const SubjectHash& hash) const noexcept {
    std::size_t word = 0;
    std::memcpy(&word, hash.data(), sizeof word);
    return word;
  }
};

// Whether the text of an entry names a subject: "-" stands where there is none beside others that have one.
[[nodiscard]] inline bool names_subject(std::string_view text) { return !text.empty() && text != "-"; }

// Events of a subject with its own row.
struct SubjectLimits {
  std::uint64_t per_day = 20;
  std::optional<std::uint64_t> ever{};

  friend bool operator==(const SubjectLimits&, const SubjectLimits&) = default;
};

struct SubjectCount {
  std::uint64_t day = 0;  // since 1970: of `today`
  std::uint64_t today = 0;
  std::uint64_t ever = 0;

  // One more on that day.
  void add_on(std::uint64_t that_day) {
    if (day != that_day) *this = {that_day, 0, ever};
    ++today;
    ++ever;
  }

  friend bool operator==(const SubjectCount&, const SubjectCount&) = default;
};

// Of all subjects.
struct SubjectFigures {
  std::uint64_t day = 0;         // the latest that has begun
  std::uint64_t most_today = 0;  // events of one subject
  std::uint64_t most_ever = 0;
  std::uint64_t at_limit = 0;      // subjects whose next event has the default row, today
  std::uint64_t default_rows = 0;  // events that had it for a limit, ever
  std::uint64_t uncharged = 0;     // events that were compared with it, as their subjects could not be charged, ever
  SubjectLimits limits{};

  friend bool operator==(const SubjectFigures&, const SubjectFigures&) = default;
};

// In memory, some 60 bytes a subject. On the disk a decide adds one row, with the hashes of its subjects. Such rows are
// put together, page by page, while the role forgets what is old: the counts of a 256th of all subjects, up to a row.
class SubjectCounts {
 public:
  // Throws InputError where rows are damaged.
  SubjectCounts(const LiveRows& rows, const SubjectLimits& limits);

  // By the clock it is `now`.
  void take_time(LiveTime now);
  // Whether one more of its events may have its own row.
  [[nodiscard]] bool has_room(const SubjectHash& subject) const;
  // With a decide: these had their own rows, and so many events the default one, for a limit or as nobody could be
  // charged.
  void add(RowDraft& draft, std::span<const SubjectHash> subjects, std::uint64_t limited, std::uint64_t uncharged);
  // Puts rows together where there are many: some of them at a time.
  void put_together(RowDraft& draft);
  // There are more, which the next call does.
  [[nodiscard]] bool has_more() const noexcept { return next_page_ < pages_.size() || first_ <= whole_; }

  // By the party's own name, else by the pseudonym. Nothing of one that was never counted; of another day its `today`
  // is 0.
  [[nodiscard]] std::optional<SubjectCount> find(std::string_view name) const;
  [[nodiscard]] const SubjectFigures& figures() const noexcept { return figures_; }
  // By which the latest day is after that of the clock.
  [[nodiscard]] std::uint64_t days_ahead(LiveTime now) const;

  static constexpr std::uint64_t many = 1 << 18;  // subjects in rows

 private:
  struct Page {
    std::unordered_map<SubjectHash, SubjectCount, HashOfSubject> counts;
    std::uint64_t through = 0;  // the last row that is in it, on the disk
  };
  [[nodiscard]] static std::size_t place_of(const SubjectHash& subject) {
    return std::to_integer<std::size_t>(subject[0]);
  }
  [[nodiscard]] Page& page_of(const SubjectHash& subject) { return pages_[place_of(subject)]; }
  void read_head(const LiveRows& rows);
  void read_page(const RowKey& key, const LiveRow& bytes);
  void read_row(const RowKey& key, const LiveRow& bytes);
  void add_one(const SubjectHash& subject);
  void count_figures();
  [[nodiscard]] std::optional<SubjectCount> stored(const SubjectHash& subject) const;
  [[nodiscard]] bool is_at_limit(const SubjectCount& count) const;
  void put_head(RowDraft& draft) const;
  void put_page(RowDraft& draft, std::size_t page);

  SubjectFigures figures_;
  std::uint64_t ended_ = 0;  // subjects that have reached the limit that holds for ever
  std::vector<Page> pages_;
  std::uint64_t subjects_ = 0;
  std::uint64_t last_ = 0;       // row
  std::uint64_t first_ = 1;      // row that may be there
  std::uint64_t whole_ = 0;      // up to this row all is in pages
  std::uint64_t in_rows_ = 0;    // subjects of rows since pages were begun to be written
  std::size_t next_page_ = 256;  // to be written; 256: none
};

}  // namespace sotto::apps::live
