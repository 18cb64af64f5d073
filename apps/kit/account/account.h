// The privacy account of a party: what the party has given away about each subject. The account also ensures that the
// party gives away no more than the party's budget allows.
//
// A subject is a person, or any other entity that an id of the party names. The account identifies a subject by a keyed
// hash of the subject's id. The key of the hash is in the account and nowhere else. A release is an entry of the
// account, together with the subjects that the entry charges. A release charges epsilon to each subject once, however
// many of its rows belong to the subject. A subject's spending is the sum of its charges, plus the amount that every
// subject is said to have spent before the account began. Epsilons of several releases add up [Dwork, Rothblum, Vadhan
// 2010], even if the results of earlier releases determine a later release. Because of the account no subject ever
// loses more than the budget, whatever is asked and whoever asks.
//
// The account is one SQLite file of mode 0600 (apps/kit/store/database.h), which one process opens at a time. A call of
// charge() returns once the entry is synced to the disk. Values that are opened after charge() has returned are
// therefore counted, even if the power fails. A caller uses take_back() if it knows that no noise was drawn after a
// charge. To take a charge back, take_back() adds an entry. Entries are chained by SHA-256: each hash covers the
// previous entry, so opening the account finds a changed or missing entry. Opening the account cannot tell that the
// whole file is an older copy. The other roles find an older copy by the account's position (position.h,
// seen_accounts.h).
//
// A window of agreement of a decision service (apps/live/order/agreement.h) charges its subjects one after the other
// with hold(), possibly over days. A held charge counts as spent at once. The held charges of a window become an entry
// when hold() is called for the next window.
//
// merge() joins two copies of an account that were both used, and counts each release once.
//
// The times of the entries never decrease, even if the clock is set back. Setting the clock back therefore does not
// make the account forget anything.
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
  // Makes the file of an account in which every subject has already spent `spent`. Throws InputError if the file name
  // exists already, or if `spent` is negative or not finite. Throws ResourceError in the same cases as Database.
  static void begin(const std::filesystem::path& file, double spent = 0);

  // Throws InputError if there is no account; the message names the command that begins one. Throws InputError if the
  // file is damaged or the chain of its entries is broken. Throws ResourceError if another process uses the file.
  explicit Account(const std::filesystem::path& file);

  [[nodiscard]] SubjectKey key_of(std::string_view id) const;

  [[nodiscard]] double spent(const SubjectKey& subject);
  [[nodiscard]] double spent_before() const noexcept { return spent_before_; }
  // The largest amount that one of `subjects` has spent.
  [[nodiscard]] double most_spent(std::span<const SubjectKey> subjects);
  // The positions in `subjects` of the subjects that would have spent more than `budget` after a release with
  // `epsilon`.
  [[nodiscard]] std::vector<std::size_t> beyond(std::span<const SubjectKey> subjects, double epsilon, double budget);

  // Charges each of `subjects` once, at `time` or at the time of the last entry, whichever is later. The entry is on
  // the disk when charge() returns. Throws InputError and charges no subject if a subject would have spent more than
  // the budget, or if the id was charged already. Throws ResourceError if the entry cannot be written.
  void charge(const Release& release, std::span<const SubjectKey> subjects, double budget, std::int64_t time);

  // Holds at most one charge for each of `subjects`, for a release whose subjects are still being collected. A charge
  // is held if the release already holds a charge for the subject, or if the subject's spending stays within the
  // budget. The result says for each subject whether a charge is held. First, charges that are held for another release
  // become an entry at `time`. All charges are on the disk when hold() returns.
  std::vector<bool> hold(const Release& release, std::span<const SubjectKey> subjects, double budget,
                         std::int64_t time);
  // The number of subjects for which a charge is held.
  [[nodiscard]] std::uint64_t held();

  // Takes back the charges of the release `id`, for a caller that drew no noise after the charge. The new entry is on
  // the disk when take_back() returns. Throws InputError if there is no release `id` or the release was taken back
  // already.
  void take_back(const std::string& id, std::int64_t time);

  // Adds the entries that `copy` has and this account lacks: releases, and entries that take back releases. Returns the
  // number of added entries. Throws InputError if `copy` is a copy of another account.
  std::uint64_t merge(Account& copy);

  // Entries before the time `before` no longer count, and their subjects are deleted. After a call of forget(), the
  // budget applies separately to the time before `before` and to the time since then. Returns the number of forgotten
  // entries. Throws InputError if `before` is later than the last entry.
  std::uint64_t forget(std::int64_t before);
  // Entries before `time` do not count while this object is open. To forget these entries permanently, call
  // forget_before().
  void count_from(std::int64_t time);
  // Does the same as forget(), but a time after the last entry is no error.
  std::uint64_t forget_before(std::int64_t time);

  // The account's position, for the other roles.
  [[nodiscard]] AccountPosition position();

  [[nodiscard]] std::vector<AccountEntry> entries();
  [[nodiscard]] std::uint64_t subjects();
  // The largest amount that any subject has spent.
  [[nodiscard]] double most_spent();
  [[nodiscard]] const std::filesystem::path& file() const noexcept { return database_.path(); }

 private:
  void check_chain();
  [[nodiscard]] std::int64_t last_time();
  // Must be called within a transaction. Adds the entry with the next number, and with a time that is not before the
  // time of the last entry.
  void append(AccountEntry entry, const std::set<SubjectKey>& subjects, const std::string& merged_head = {});
  [[nodiscard]] bool has(const std::string& id);
  void prepare_held();
  [[nodiscard]] double held_of(const SubjectKey& subject);
  void enter_held(const std::string& but, std::int64_t time);
  // The release whose subjects are still being collected, and its subjects so far. The id is empty if there is no such
  // release.
  [[nodiscard]] std::pair<Release, std::set<SubjectKey>> held_release();
  bool take_held(Account& copy);
  [[nodiscard]] std::set<SubjectKey> subjects_of(std::uint64_t entry);
  void uncharge(const std::string& id);

  Database database_;
  Seed key_;
  double spent_before_ = 0;
  std::int64_t forgotten_before_ = 0;
};

// A random id for a release.
[[nodiscard]] std::string fresh_release_id();

}  // namespace sotto::apps
