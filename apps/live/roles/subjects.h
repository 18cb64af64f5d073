// For each subject, a party counts how many of the subject's rows were used in decisions. There is a limit per day and
// a limit for all time.
//
// A subject is counted under the name that the party's own organisation gives with the features. Without such a name,
// the subject is counted under the pseudonym in the entry. An event without a name and a pseudonym is counted for no
// subject.
//
// The limits. A decision reveals up to log2 A bits of the party's part of the scores to the actor. So a caller that
// chooses its own features can learn a feature of one subject from many decisions about that subject. From the (limit +
// 1)-th event of a day on, the party's default row replaces the subject's row, both in the decision and in the learn.
// No other role sees which row was used. The limits bound how fast a subject's data leaks; they do not give
// differential privacy.
//
// A count is written to the disk before the party sends its part of the arms to the actor. If the number of a decide is
// rolled back, the counts of its subjects are not reduced, because the actor may have seen the arms. Days are in UTC,
// by the party's clock. A day that has begun does not begin again if the clock is set back.
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

// The source of a subject's name: the party's own organisation, or a caller of the actor, which gives a pseudonym.
// Names of the two sources have separate limits.
enum class NamedBy : std::uint8_t { party, caller };

// The first bytes of the SHA-256 of a name and its source. Only sealed rows contain this hash. Among 10^8 names, the
// chance that any two names have equal hashes is 3 in 10,000. Names with equal hashes are counted as one subject.
using SubjectHash = std::array<std::byte, 8>;
[[nodiscard]] SubjectHash hash_of(std::string_view name, NamedBy who);

struct HashOfSubject {
  [[nodiscard]] std::size_t operator()(const SubjectHash& hash) const noexcept {
    std::size_t word = 0;
    std::memcpy(&word, hash.data(), sizeof word);
    return word;
  }
};

// Whether the text in an entry names a subject. The text "-" means that an event has no subject, in an entry whose
// other events have subjects.
[[nodiscard]] inline bool names_subject(std::string_view text) { return !text.empty() && text != "-"; }

// Limits on the events of one subject that are decided with the subject's own row.
struct SubjectLimits {
  std::uint64_t per_day = 20;
  std::optional<std::uint64_t> ever{};

  friend bool operator==(const SubjectLimits&, const SubjectLimits&) = default;
};

struct SubjectCount {
  std::uint64_t day = 0;  // the day whose events `today` counts, in days since 1970
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
  std::uint64_t most_today = 0;  // the most events of one subject on the latest day
  std::uint64_t most_ever = 0;
  std::uint64_t at_limit = 0;      // subjects whose next event today will have the default row
  std::uint64_t default_rows = 0;  // total of events that had the default row because of a limit
  std::uint64_t uncharged = 0;     // total of window events whose subjects could not be charged
  SubjectLimits limits{};

  friend bool operator==(const SubjectFigures&, const SubjectFigures&) = default;
};

// The counts of all subjects, with about 60 bytes of memory per subject. On the disk, each decide adds one row with the
// hashes of its subjects. When the role erases old ids, it also merges such rows into pages, one page at a time. A page
// has the counts of 1/256 of all subjects, up to a certain row.
class SubjectCounts {
 public:
  // Throws InputError if rows are damaged.
  SubjectCounts(const LiveRows& rows, const SubjectLimits& limits);

  // Begins the day of `now`, if this day is later than the latest day.
  void take_time(LiveTime now);
  // Whether one more event of the subject may have its own row.
  [[nodiscard]] bool has_room(const SubjectHash& subject) const;
  // Adds the counts of a decide. `subjects` are the subjects of events that had their own rows. `limited` is the number
  // of events that had the default row because of a limit. `uncharged` is the number of events whose subjects could not
  // be charged.
  void add(RowDraft& draft, std::span<const SubjectHash> subjects, std::uint64_t limited, std::uint64_t uncharged);
  // If rows have many subjects, merges some of the rows into pages.
  void put_together(RowDraft& draft);
  // Whether put_together() has more rows to merge in its next call.
  [[nodiscard]] bool has_more() const noexcept { return next_page_ < pages_.size() || first_ <= whole_; }

  // The count of the subject with the party's own name `name`, or else of the subject with the pseudonym `name`.
  // Returns nothing if the subject was never counted. If the subject had no event today, `today` of the result is 0.
  [[nodiscard]] std::optional<SubjectCount> find(std::string_view name) const;
  [[nodiscard]] const SubjectFigures& figures() const noexcept { return figures_; }
  // The latest day is so many days after the day of `now`; 0 if it is not later.
  [[nodiscard]] std::uint64_t days_ahead(LiveTime now) const;

  static constexpr std::uint64_t many = 1 << 18;  // subjects in rows; with fewer, rows are not merged

 private:
  struct Page {
    std::unordered_map<SubjectHash, SubjectCount, HashOfSubject> counts;
    std::uint64_t through = 0;  // number of the last row that is merged into the stored page
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
  std::uint64_t whole_ = 0;      // all pages contain the rows up to this number
  std::uint64_t in_rows_ = 0;    // subjects in rows that were added since the last merge began
  std::size_t next_page_ = 256;  // the next page to be written; 256: none
};

}  // namespace sotto::apps::live
