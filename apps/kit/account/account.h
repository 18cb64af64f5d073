// The privacy account of a party. The account refuses a release if a subject would then have spent more epsilon than
// the party's budget.
//
// A subject is a person, or any other entity that an id of the party names. The account stores a keyed hash of the
// subject's id, and the key of the hash is stored only in the account.
//
// A release charges epsilon to each subject once, even if several of its rows belong to the subject. A subject's
// spending is the sum of its charges, plus the amount that every subject had spent before the account began. Epsilons
// of several releases add up [Dwork, Rothblum, Vadhan 2010], even if the results of earlier releases determine a later
// release.
//
// The account is one SQLite file of mode 0600, which one process opens at a time. A call of charge() returns once the
// entry is synced to the disk, so the charge survives a power failure. Entries are chained by SHA-256, so opening the
// account finds a changed or missing entry. Opening the account does not detect an older copy of the whole file, but
// the other roles do (seen_accounts.h).
//
// A decision service may charge the subjects of one release over several days, with hold(). A held charge counts as
// spent at once.
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
  std::string id;        // 32 hex digits
  std::string receiver;  // a phrase for people
  std::string about;     // a phrase for people
  double epsilon = 0;
  std::uint64_t bits = 0;  // number of bits about rows that the release reveals in addition to epsilon
};

struct AccountEntry {
  std::uint64_t number = 0;  // from 1
  std::int64_t time = 0;     // Unix seconds
  Release release;
  std::uint64_t subjects = 0;
  std::string takes_back{};  // id of the release that this entry takes back
  bool counts = true;
  std::string head{};  // 64 hex digits
};

class Account {
 public:
  // Makes an account in which every subject has already spent `spent`. Throws InputError if the file exists already, or
  // if `spent` is negative or not finite.
  static void begin(const std::filesystem::path& file, double spent = 0);

  // Throws InputError if there is no account, the file is damaged, or the chain is broken. Throws ResourceError if
  // another process uses the file.
  explicit Account(const std::filesystem::path& file);

  [[nodiscard]] SubjectKey key_of(std::string_view id) const;

  [[nodiscard]] double spent(const SubjectKey& subject);
  [[nodiscard]] double spent_before() const noexcept { return spent_before_; }
  [[nodiscard]] double most_spent(std::span<const SubjectKey> subjects);
  // Returns the positions of the subjects that would spend more than `budget` if they were charged `epsilon`.
  [[nodiscard]] std::vector<std::size_t> beyond(std::span<const SubjectKey> subjects, double epsilon, double budget);

  // Charges each of `subjects` once, at `time` or at the time of the last entry, whichever is later. The entry is on
  // the disk when charge() returns. Throws InputError and charges no subject if a subject would spend more than the
  // budget, or if the account already contains a release with this id. Throws ResourceError if the entry cannot be
  // written.
  void charge(const Release& release, std::span<const SubjectKey> subjects, double budget, std::int64_t time);

  // Holds one charge for each of `subjects`, for a release whose subjects are still being collected. No charge is held
  // for a subject whose spending would exceed the budget. The result says for each subject whether a charge is held. If
  // the account holds charges for another release, those charges first become an entry at `time`. All charges are on
  // the disk when hold() returns.
  std::vector<bool> hold(const Release& release, std::span<const SubjectKey> subjects, double budget,
                         std::int64_t time);
  [[nodiscard]] std::uint64_t held();

  // The caller must be sure that no noise was drawn after the charge of this release. Throws InputError if there is no
  // release `id` or the release was taken back already.
  void take_back(const std::string& id, std::int64_t time);

  // Adds the entries of `copy` that are missing here. Throws InputError if `copy` is no copy of this account.
  std::uint64_t merge(Account& copy);

  // Deletes the subjects of the entries before the time `before`; these entries no longer count. From then on, the
  // budget applies separately to the time before `before` and to the time since then. Throws InputError if `before` is
  // later than the last entry.
  std::uint64_t forget(std::int64_t before);
  // Entries before `time` do not count while this object is open. forget_before() forgets them permanently.
  void count_from(std::int64_t time);
  std::uint64_t forget_before(std::int64_t time);

  [[nodiscard]] AccountPosition position();

  [[nodiscard]] std::vector<AccountEntry> entries();
  [[nodiscard]] std::uint64_t subjects();
  [[nodiscard]] double most_spent();
  [[nodiscard]] const std::filesystem::path& file() const noexcept { return database_.path(); }

 private:
  void check_chain();
  [[nodiscard]] std::int64_t last_time();
  // The caller must be in a transaction.
  void append(AccountEntry entry, const std::set<SubjectKey>& subjects, const std::string& merged_head = {});
  [[nodiscard]] bool has(const std::string& id);
  void prepare_held();
  [[nodiscard]] double held_of(const SubjectKey& subject);
  void enter_held(const std::string& but, std::int64_t time);
  [[nodiscard]] std::pair<Release, std::set<SubjectKey>> held_release();
  bool take_held(Account& copy);
  [[nodiscard]] std::set<SubjectKey> subjects_of(std::uint64_t entry);
  void uncharge(const std::string& id);

  Database database_;
  Seed key_;
  double spent_before_ = 0;
  std::int64_t forgotten_before_ = 0;
};

[[nodiscard]] std::string fresh_release_id();

}  // namespace sotto::apps
