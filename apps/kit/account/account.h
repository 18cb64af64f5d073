// The account of a party: what it has given away of each subject, and the guard that it gives away no more than its
// budget allows.
//
// A subject is whoever an id of the party's own names. The account knows it by a keyed hash of the id, whose key is in
// the account and nowhere else. A release is an entry, with the subjects that it charges epsilon each, once, however
// many rows they have in it. What a subject has spent is the sum over its entries, and what all are said to have spent
// before the account began. Epsilons of several releases add up, also where a later one is chosen by what earlier ones
// gave [Dwork, Rothblum, Vadhan 2010]. So no subject ever loses more than the budget, whatever is asked and by whom.
//
// On the disk: one SQLite file of mode 0600 (apps/kit/store/database.h), which one process opens at a time. charge()
// returns once the entry is synced; what is opened after it has been counted, also where the power fails. A charge
// stays, whether anything was opened or not. Entries are chained by SHA-256, each over the one before, so that a
// changed or missing one is found when the account is opened. An older copy of the whole file is not found by itself.
//
// Time runs forwards: an entry is never older than the one before it, so a clock that is set back forgets nothing.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "apps/kit/store/database.h"
#include "sotto/protocol/random/seed.h"

namespace sotto::apps {

// The keyed hash of an id.
using SubjectKey = std::array<std::byte, Seed::size>;

struct Release {
  std::string id;        // 32 hex digits, at random
  std::string receiver;  // who got it, in words
  std::string about;     // what it is about, in words
  double epsilon = 0;
};

struct AccountEntry {
  std::uint64_t number = 0;  // from 1
  std::int64_t time = 0;     // seconds of Unix time
  Release release;
  std::uint64_t subjects = 0;
  bool counts = true;  // not forgotten
  std::string head;    // of the chain, 64 hex digits
};

class Account {
 public:
  // Makes the file, in which all subjects have spent `spent`. Throws InputError where something of that name is there,
  // or `spent` is below 0 or no number; ResourceError as Database does.
  static void begin(const std::filesystem::path& file, double spent = 0);

  // Throws InputError where there is none, naming the command that begins one, and where it is damaged or its chain
  // does not hold; ResourceError where another process uses it.
  explicit Account(const std::filesystem::path& file);

  [[nodiscard]] SubjectKey key_of(std::string_view id) const;

  [[nodiscard]] double spent(const SubjectKey& subject);
  [[nodiscard]] double spent_before() const noexcept { return spent_before_; }
  // The most that one of these has spent.
  [[nodiscard]] double most_spent(std::span<const SubjectKey> subjects);
  // Which of these, by their places, would have spent more than the budget after such a release.
  [[nodiscard]] std::vector<std::size_t> beyond(std::span<const SubjectKey> subjects, double epsilon, double budget);

  // Charges each of these once, at that Unix time or that of the last entry, whichever is later; on the disk when it
  // returns. Throws InputError, and charges nobody, where one would have spent more than the budget; where the id was
  // charged already; ResourceError where it cannot be written.
  void charge(const Release& release, std::span<const SubjectKey> subjects, double budget, std::int64_t time);

  // Entries before that time no longer count, and their subjects are gone; what is promised then holds for each such
  // time. Returns how many entries that were. Never in the future of the last entry (InputError).
  std::uint64_t forget(std::int64_t before);

  [[nodiscard]] std::vector<AccountEntry> entries();
  [[nodiscard]] std::uint64_t subjects();
  // Of all subjects.
  [[nodiscard]] double most_spent();
  [[nodiscard]] const std::filesystem::path& file() const noexcept { return database_.path(); }

 private:
  void check_chain();
  [[nodiscard]] std::int64_t last_time();

  Database database_;
  Seed key_;
  double spent_before_ = 0;
  std::int64_t forgotten_before_ = 0;
};

// A release's random id.
[[nodiscard]] std::string fresh_release_id();

// The ids of whom a table's rows are about, in their order: an id a line, up to 1,024 bytes. Throws InputError where
// the file has another number of lines than the table has rows, or an empty one, and as TextLines does.
[[nodiscard]] std::vector<std::string> read_subjects(const std::filesystem::path& file, std::size_t rows);

}  // namespace sotto::apps
