// The account of a party: what it has given away of each subject, and the guard that it gives away no more than its
// budget allows.
//
// A subject is a person, or whatever else an id of the party's own names. The account knows it by a keyed hash of the
// id, whose key is in the account and nowhere else. A release is an entry, with the subjects that it charges epsilon
// each, once, however many rows they have in it. What a subject has spent is the sum over its entries, and what all are
// said to have spent before the account began. Epsilons of several releases add up, also where a later one is chosen by
// what earlier ones gave [Dwork, Rothblum, Vadhan 2010]. So no subject ever loses more than the budget, whatever is
// asked and by whom.
//
// On the disk: one SQLite file of mode 0600 (apps/kit/store/database.h), which one process opens at a time. charge()
// returns once the entry is synced; what is opened after it has been counted, also where the power fails. take_back()
// is for who knows that nothing was drawn after a charge: it adds an entry. Entries are chained by SHA-256, each over
// the one before, so that a changed or missing one is found when the account is opened. An older copy of the whole file
// is not found by itself: the other roles find it, by the account's position (position.h, seen_accounts.h).
//
// A window of agreement of a decision service (apps/live/order/agreement.h) charges its subjects one after the other,
// over days perhaps: hold(). What is held counts as spent at once, and becomes an entry when the next window is held.
//
// merge() puts two copies together that were both used: each release counts once.
//
// Time runs forwards: an entry is never older than the one before it, so a clock that is set back forgets nothing.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "apps/kit/account/position.h"
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
  std::uint64_t bits = 0;  // at most, of rows that epsilon does not cover
};

struct AccountEntry {
  std::uint64_t number = 0;  // from 1
  std::int64_t time = 0;     // seconds of Unix time
  Release release;
  std::uint64_t subjects = 0;
  std::string takes_back{};  // the id of the release that it takes back; else empty
  bool counts = true;        // neither forgotten nor taken back
  std::string head{};        // of the chain, 64 hex digits
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

  // Charges each of these once for a release that is being gathered, on the disk when it returns: those that are held
  // for it already, and those that would not have spent more than the budget. Says of each whether it is held. What is
  // held for a release of another id becomes an entry first, at that time.
  std::vector<bool> hold(const Release& release, std::span<const SubjectKey> subjects, double budget,
                         std::int64_t time);
  // Subjects that are held.
  [[nodiscard]] std::uint64_t held();

  // The release of that id costs nobody anything, for nothing was drawn after it was charged; on the disk when it
  // returns. Throws InputError where there is none, or it was taken back already.
  void take_back(const std::string& id, std::int64_t time);

  // Takes in what a copy of this account has and this one has not: releases, and what was taken back. Returns how many
  // entries that were. Throws InputError where it is a copy of another account.
  std::uint64_t merge(Account& copy);

  // Entries before that time no longer count, and their subjects are gone; what is promised then holds for each such
  // time. Returns how many entries that were. Throws InputError where that is in the future of the last entry.
  std::uint64_t forget(std::int64_t before);
  // Entries before that time do not count as long as this is open; forget_before() is for good.
  void count_from(std::int64_t time);
  // As forget(), and nothing is wrong with a time after the last entry.
  std::uint64_t forget_before(std::int64_t time);

  // Its position, for the other roles.
  [[nodiscard]] AccountPosition position();

  [[nodiscard]] std::vector<AccountEntry> entries();
  [[nodiscard]] std::uint64_t subjects();
  // Of all subjects.
  [[nodiscard]] double most_spent();
  [[nodiscard]] const std::filesystem::path& file() const noexcept { return database_.path(); }

 private:
  void check_chain();
  [[nodiscard]] std::int64_t last_time();
  // Within a transaction. Gives the entry its number, and a time that is none before the last one's.
  void append(AccountEntry entry, const std::set<SubjectKey>& subjects, const std::string& merged_head = {});
  [[nodiscard]] bool has(const std::string& id);
  void prepare_held();
  [[nodiscard]] double held_of(const SubjectKey& subject);
  void enter_held(const std::string& but, std::int64_t time);
  // An empty id where there is none.
  [[nodiscard]] std::pair<Release, std::set<SubjectKey>> held_release();
  bool take_held(Account& copy);
  [[nodiscard]] std::set<SubjectKey> subjects_of(std::uint64_t entry);
  void uncharge(const std::string& id);

  Database database_;
  Seed key_;
  double spent_before_ = 0;
  std::int64_t forgotten_before_ = 0;
};

// A release's random id.
[[nodiscard]] std::string fresh_release_id();

}  // namespace sotto::apps
