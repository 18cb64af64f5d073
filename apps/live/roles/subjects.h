// A party counts how many rows of each subject were used in decisions, and limits the number of rows per day and in
// total.
//
// The party counts a subject under the name that the party's own organisation sends with the features. Without such a
// name, the party counts the subject under the pseudonym in the entry. An event without a name and without a pseudonym
// is counted for no subject.
//
// The limits. The actor learns one of A arms from each decision, and so up to log2 A bits about the scores, which
// depend on the party's features. A caller that chooses its own features could compute a feature of one subject from
// many decisions about this subject. When a subject has reached the limit of a day, the party's default row replaces
// the subject's row for the rest of the day. The default row is used in the decision and in the learn. No other role
// sees which row was used. The limits bound how fast a subject's data leaks; they do not give differential privacy.
//
// The party writes the counts of a decide to the disk before it sends any part of the decide's arms to the actor. If a
// decide is rolled back, the counts of its subjects are not reduced, because the actor may have seen the arms. Days are
// in UTC, by the party's clock. A day that has begun does not begin again if the clock is set back.
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

enum class NamedBy : std::uint8_t { party, caller };

// The first bytes of the SHA-256 of a name and its source. Names with equal hashes are counted as one subject. Among
// 10^8 names, the chance that any two names have equal hashes is 3 in 10,000.
using SubjectHash = std::array<std::byte, 8>;
[[nodiscard]] SubjectHash hash_of(std::string_view name, NamedBy who);

struct HashOfSubject {
  [[nodiscard]] std::size_t operator()(const SubjectHash& hash) const noexcept {
    std::size_t word = 0;
    std::memcpy(&word, hash.data(), sizeof word);
    return word;
  }
};

// If only some events of an entry have a subject, the entry contains "-" for each other event.
[[nodiscard]] inline bool names_subject(std::string_view text) { return !text.empty() && text != "-"; }

struct SubjectLimits {
  std::uint64_t per_day = 20;
  std::optional<std::uint64_t> ever{};

  friend bool operator==(const SubjectLimits&, const SubjectLimits&) = default;
};

struct SubjectCount {
  std::uint64_t day = 0;  // number of days since 1970; `today` counts the events of this day
  std::uint64_t today = 0;
  std::uint64_t ever = 0;

  void add_on(std::uint64_t that_day) {
    if (day != that_day) *this = {that_day, 0, ever};
    ++today;
    ++ever;
  }

  friend bool operator==(const SubjectCount&, const SubjectCount&) = default;
};

struct SubjectFigures {
  std::uint64_t day = 0;
  std::uint64_t most_today = 0;
  std::uint64_t most_ever = 0;
  std::uint64_t at_limit = 0;
  std::uint64_t default_rows = 0;
  std::uint64_t uncharged = 0;
  SubjectLimits limits{};

  friend bool operator==(const SubjectFigures&, const SubjectFigures&) = default;
};

// Needs about 60 bytes of memory per subject. On the disk, each decide adds one row with the hashes of its subjects.
// put_together() merges such rows into 256 pages, one page in each call.
class SubjectCounts {
 public:
  // Throws InputError if rows are damaged.
  SubjectCounts(const LiveRows& rows, const SubjectLimits& limits);

  void take_time(LiveTime now);
  [[nodiscard]] bool has_room(const SubjectHash& subject) const;
  void add(RowDraft& draft, std::span<const SubjectHash> subjects, std::uint64_t limited, std::uint64_t uncharged);
  void put_together(RowDraft& draft);
  [[nodiscard]] bool has_more() const noexcept { return next_page_ < pages_.size() || first_ <= whole_; }

  // `name` is the party's own name for the subject, or else the subject's pseudonym. Returns nothing if the subject was
  // never counted.
  [[nodiscard]] std::optional<SubjectCount> find(std::string_view name) const;
  [[nodiscard]] const SubjectFigures& figures() const noexcept { return figures_; }
  [[nodiscard]] std::uint64_t days_ahead(LiveTime now) const;

  static constexpr std::uint64_t many = 1 << 18;

 private:
  struct Page {
    std::unordered_map<SubjectHash, SubjectCount, HashOfSubject> counts;
    std::uint64_t through = 0;
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
  std::uint64_t ended_ = 0;
  std::vector<Page> pages_;
  std::uint64_t subjects_ = 0;
  std::uint64_t last_ = 0;
  std::uint64_t first_ = 1;
  std::uint64_t whole_ = 0;
  std::uint64_t in_rows_ = 0;
  std::size_t next_page_ = 256;
};

}  // namespace sotto::apps::live
