// The account of a party: what the party has given away about each subject. The account also ensures that the party
// gives away no more than its budget allows.
//
// A subject is a person, or any other entity that an id of the party names. The account knows a subject by a keyed hash
// of its id. The key of the hash is in the account and nowhere else. A release is an entry with its subjects. It
// charges epsilon to each subject once, however many rows the subject has in it. A subject has spent the sum over its
// entries, plus the amount that all subjects are said to have spent before the account began. Epsilons of several
// releases add up [Dwork, Rothblum, Vadhan 2010], even if earlier results decide about a later release. So no subject
// ever loses more than the budget, whatever is asked and whoever asks.
//
// On the disk: one SQLite file of mode 0600 (apps/kit/store/database.h), which one process opens at a time. charge()
// returns once the entry is synced. Everything opened after that is already counted, even if the power fails.
// take_back() is for a caller that knows that nothing was drawn after a charge: it adds an entry. Entries are chained
// by SHA-256, each over the previous entry, so that opening the account finds a changed or missing entry. Opening does
// not find an older copy of the whole file. The other roles find such a copy, by the account's position (position.h,
// seen_accounts.h).
//
// A window of agreement of a decision service (apps/live/order/agreement.h) charges its subjects one after the other,
// possibly over days: hold(). A held charge counts as spent at once. The held charges become an entry when the next
// window is held.
//
// merge() joins two copies that were both used: each release counts once.
//
// Time never runs backwards: an entry is never older than the previous entry. A clock that is set back therefore makes
// the account forget nothing.
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
#include "apps/kit/account/rows.h"
#include "apps/kit/store/database.h"
#include "sotto/protocol/random/seed.h"

namespace sotto::apps {

struct Release {
  std::string id;        // random, 32 hex digits
  std::string receiver;  // the receiver of the release, in words
  std::string about;     // the content of the release, in words
  double epsilon = 0;
  std::uint64_t bits = 0;  // maximum number of bits that the release reveals about rows and that epsilon does not cover
};

struct AccountEntry {
  std::uint64_t number = 0;  // number of the entry, from 1
  std::int64_t time = 0;     // seconds of Unix time
  Release release;
  std::uint64_t subjects = 0;
  std::string takes_back{};  // the id of the release that the entry takes back; otherwise empty
  bool counts = true;        // false if the entry was forgotten or taken back
  std::string head{};        // head of the chain, 64 hex digits
};

class Account {
 public:
  // Makes the file, in which all subjects have spent `spent`. Throws InputError if the file name exists already, or if
  // `spent` is below 0 or no finite number. Throws ResourceError as Database does.
  static void begin(const std::filesystem::path& file, double spent = 0);

  // Throws InputError if there is no account, and then names the command that begins one. Throws InputError if the file
  // is damaged or its chain does not hold. Throws ResourceError if another process uses the file.
  explicit Account(const std::filesystem::path& file);

  [[nodiscard]] SubjectKey key_of(std::string_view id) const;

  [[nodiscard]] double spent(const SubjectKey& subject);
  [[nodiscard]] double spent_before() const noexcept { return spent_before_; }
  // The most that one of these subjects has spent.
  [[nodiscard]] double most_spent(std::span<const SubjectKey> subjects);
  // The places of the subjects that would have spent more than the budget after such a release.
  [[nodiscard]] std::vector<std::size_t> beyond(std::span<const SubjectKey> subjects, double epsilon, double budget);

  // Charges each of these subjects once, at `time` or at the time of the last entry, whichever is later. The entry is
  // on the disk when charge() returns. Throws InputError and charges nobody if a subject would have spent more than the
  // budget, or if the id was charged already. Throws ResourceError if the entry cannot be written.
  void charge(const Release& release, std::span<const SubjectKey> subjects, double budget, std::int64_t time);

  // Charges each of these subjects once for a release that is being gathered. Two kinds of subjects are held: subjects
  // that are already held for this release, and subjects that would not have spent more than the budget. The result
  // says for each subject whether it is held. Charges that are held for a release of another id become an entry first,
  // at `time`. All charges are on the disk when hold() returns.
  std::vector<bool> hold(const Release& release, std::span<const SubjectKey> subjects, double budget,
                         std::int64_t time);
  // The number of subjects that are held.
  [[nodiscard]] std::uint64_t held();

  // Takes back the charges of the release with that id, because nothing was drawn after the charge. The entry is on the
  // disk when take_back() returns. Throws InputError if there is no such release or it was taken back already.
  void take_back(const std::string& id, std::int64_t time);

  // Adds what a copy of this account has and this account lacks: releases, and entries that take back releases. Returns
  // the number of added entries. Throws InputError if `copy` is a copy of another account.
  std::uint64_t merge(Account& copy);

  // Entries before the time `before` no longer count, and their subjects are deleted. The promise then holds for each
  // such period of time. Returns the number of these entries. Throws InputError if `before` is later than the last
  // entry.
  std::uint64_t forget(std::int64_t before);
  // Entries before `time` do not count while this object is open. forget_before() makes that permanent.
  void count_from(std::int64_t time);
  // Does the same as forget(), but a time after the last entry is no error.
  std::uint64_t forget_before(std::int64_t time);

  // The account's position, for the other roles.
  [[nodiscard]] AccountPosition position();

  [[nodiscard]] std::vector<AccountEntry> entries();
  [[nodiscard]] std::uint64_t subjects();
  // The most that any subject has spent.
  [[nodiscard]] double most_spent();
  [[nodiscard]] const std::filesystem::path& file() const noexcept { return database_.path(); }

 private:
  void check_chain();
  [[nodiscard]] std::int64_t last_time();
  // Must be called within a transaction. Gives the entry its number, and a time that is not before the last entry's.
  void append(AccountEntry entry, const std::set<SubjectKey>& subjects, const std::string& merged_head = {});
  [[nodiscard]] bool has(const std::string& id);
  void prepare_held();
  [[nodiscard]] double held_of(const SubjectKey& subject);
  void enter_held(const std::string& but, std::int64_t time);
  // The release that is being gathered, with its subjects. The id is empty if there is none.
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
