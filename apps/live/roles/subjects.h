// The subjects of events, as a party counts them: how many rows of a subject went into decisions, with a limit per day
// and a limit for all time.
//
// A subject is counted under the name that the party's own organisation gives with the features. Without such a name,
// it is counted under the pseudonym of the entry. An event with neither is counted for no subject.
//
// The limits. A decision tells the actor up to log2 A bits of the party's part of the scores. So a caller that chooses
// its own features can read a feature of one subject from many decisions about that subject. From the (limit + 1)-th
// event of a day on, the party's default row replaces the subject's row, in the decision and in what is learned of it.
// No other role sees which row went in. That bounds a rate; it is not differential privacy.
//
// A count is on the disk before the party's part of the arms leaves for the actor. If a number is taken back, the count
// stays, because the arms may have been seen. Days are those of UTC by the party's clock. A day that has begun does not
// begin again if the clock is set back.
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

// The source of a subject's name: the party's own organisation, or the caller of the actor, by a pseudonym. Neither
// source uses up the limits of the other.
enum class NamedBy : std::uint8_t { party, caller };

// The first bytes of the SHA-256 of a name and its source. Only sealed rows contain this hash. Among 10^8 names two
// have the same hash with a chance of 3 in 10,000; such names are counted as one.
using SubjectHash = std::array<std::byte, 8>;
[[nodiscard]] SubjectHash hash_of(std::string_view name, NamedBy who);

struct HashOfSubject {
  [[nodiscard]] std::size_t operator()(const SubjectHash& hash) const noexcept {
    std::size_t word = 0;
    std::memcpy(&word, hash.data(), sizeof word);
    return word;
  }
};

// Whether the text of an entry names a subject: "-" means no subject, where other events of the entry have one.
[[nodiscard]] inline bool names_subject(std::string_view text) { return !text.empty() && text != "-"; }

// The most events of one subject that have the subject's own row.
struct SubjectLimits {
  std::uint64_t per_day = 20;
  std::optional<std::uint64_t> ever{};

  friend bool operator==(const SubjectLimits&, const SubjectLimits&) = default;
};

struct SubjectCount {
  std::uint64_t day = 0;  // the day that `today` counts, in days since 1970
  std::uint64_t today = 0;
  std::uint64_t ever = 0;

  // Counts one more event on that day.
  void add_on(std::uint64_t that_day) {
    if (day != that_day) *this = {that_day, 0, ever};
    ++today;
    ++ever;
  }

  friend bool operator==(const SubjectCount&, const SubjectCount&) = default;
};

// The figures of all subjects.
struct SubjectFigures {
  std::uint64_t day = 0;         // the latest day that has begun
  std::uint64_t most_today = 0;  // the most events of one subject on that day
  std::uint64_t most_ever = 0;
  std::uint64_t at_limit = 0;      // subjects whose next event today will have the default row
  std::uint64_t default_rows = 0;  // events that had the default row because of a limit, ever
  std::uint64_t uncharged = 0;     // events with the default row compared, as subjects could not be charged, ever
  SubjectLimits limits{};

  friend bool operator==(const SubjectFigures&, const SubjectFigures&) = default;
};

// The counts are in memory, some 60 bytes a subject. On the disk a decide adds one row, with the hashes of its
// subjects. While the role forgets old ids, such rows are merged into pages, one page at a time. A page has the counts
// of a 256th of all subjects, up to a certain row.
class SubjectCounts {
 public:
  // Throws InputError if rows are damaged.
  SubjectCounts(const LiveRows& rows, const SubjectLimits& limits);

  // Takes `now` as the clock's time.
  void take_time(LiveTime now);
  // Whether one more event of the subject may have its own row.
  [[nodiscard]] bool has_room(const SubjectHash& subject) const;
  // Call with a decide. `subjects` are the subjects of events that had their own rows. `limited` is the number of
  // events that had the default row because of a limit. `uncharged` is the number whose subjects could not be charged.
  void add(RowDraft& draft, std::span<const SubjectHash> subjects, std::uint64_t limited, std::uint64_t uncharged);
  // If there are many rows, merges some of them into pages.
  void put_together(RowDraft& draft);
  // Whether there are more rows to merge for the next call.
  [[nodiscard]] bool has_more() const noexcept { return next_page_ < pages_.size() || first_ <= whole_; }

  // The count of the subject with the party's own name `name`, else of the pseudonym `name`. Nothing for a subject that
  // was never counted. If the count is of another day, its `today` is 0.
  [[nodiscard]] std::optional<SubjectCount> find(std::string_view name) const;
  [[nodiscard]] const SubjectFigures& figures() const noexcept { return figures_; }
  // By how many days the latest day is after the day of the clock.
  [[nodiscard]] std::uint64_t days_ahead(LiveTime now) const;

  static constexpr std::uint64_t many = 1 << 18;  // subjects in rows; fewer are not merged

 private:
  struct Page {
    std::unordered_map<SubjectHash, SubjectCount, HashOfSubject> counts;
    std::uint64_t through = 0;  // number of the last row that the page on the disk contains
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
  std::uint64_t ended_ = 0;  // subjects that have reached the limit for all time
  std::vector<Page> pages_;
  std::uint64_t subjects_ = 0;
  std::uint64_t last_ = 0;       // number of the last row
  std::uint64_t first_ = 1;      // the lowest number of a row that may exist
  std::uint64_t whole_ = 0;      // all pages contain the rows up to this one
  std::uint64_t in_rows_ = 0;    // subjects in rows since the writing of pages began
  std::size_t next_page_ = 256;  // the next page to be written; 256: none
};

}  // namespace sotto::apps::live
