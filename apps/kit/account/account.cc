#include "apps/kit/account/account.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "apps/kit/account/rows.h"
#include "apps/kit/files/input_file.h"
#include "apps/kit/files/output_file.h"
#include "apps/kit/program/about.h"
#include "core/text/count.h"
#include "sotto/protocol/error/errors.h"
#include "sotto/protocol/wire/hash.h"

namespace sotto::apps {
namespace {

constexpr std::int64_t schema_version = 2;
constexpr const char* room_advice = "start the role again; nothing was opened";
constexpr const char* damage_advice =
    "bring back its newest copy, or begin another with what people may have spent (`sotto account begin --spent`)";

constexpr const char* schema =
    "PRAGMA journal_mode = WAL;"
    "BEGIN;"
    "CREATE TABLE account (version INTEGER NOT NULL, key BLOB NOT NULL, spent_before REAL NOT NULL,"
    " forgotten_before INTEGER NOT NULL);"
    "CREATE TABLE entries (number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, time INTEGER NOT NULL,"
    " receiver TEXT NOT NULL, about TEXT NOT NULL, epsilon REAL NOT NULL, subjects INTEGER NOT NULL,"
    " digest TEXT NOT NULL, head TEXT NOT NULL, bits INTEGER NOT NULL, takes_back TEXT NOT NULL,"
    " merged_head TEXT NOT NULL);"
    "CREATE TABLE charges (subject BLOB NOT NULL, entry INTEGER NOT NULL, PRIMARY KEY (subject, entry)) WITHOUT ROWID;"
    "CREATE INDEX charges_by_entry ON charges (entry);";

constexpr const char* spent_query =
    "SELECT COALESCE(SUM(epsilon), 0) FROM charges JOIN entries ON entry = number WHERE subject = ?1 AND time >= ?2";

std::string head_after(const std::string& before, const AccountEntry& entry, const std::string& digest,
                       const std::string& merged_head) {
  const Release& release = entry.release;
  return hex(
      sha256(fmt::format("{}\n{}\n{}\n{}\n{} {}\n{} {}\n{:a}\n{}\n{}\n{}\n{}\n{}", before, entry.number, release.id,
                         entry.time, release.receiver.size(), release.receiver, release.about.size(), release.about,
                         release.epsilon, release.bits, entry.subjects, digest, entry.takes_back, merged_head)));
}

std::string digest_of(const std::set<SubjectKey>& subjects) {
  RunningHash hash;
  for (const SubjectKey& subject : subjects) hash.add(bytes_of(subject));
  return hex(hash.finish());
}

const std::string& first_head() {
  static const std::string head(64, '0');
  return head;
}

AccountEntry entry_at(const Statement& row) {
  AccountEntry entry;
  entry.number = static_cast<std::uint64_t>(row.number(0));
  entry.release.id = row.text(1);
  entry.time = row.number(2);
  entry.release.receiver = row.text(3);
  entry.release.about = row.text(4);
  entry.release.epsilon = row.real(5);
  entry.subjects = static_cast<std::uint64_t>(row.number(6));
  entry.head = row.text(8);
  entry.release.bits = static_cast<std::uint64_t>(row.number(9));
  entry.takes_back = row.text(10);
  return entry;
}

[[noreturn]] void refuse_other(const std::filesystem::path& file) {
  throw InputError(file.string(), "is no account of this version: name a file that `sotto account begin` has made");
}

Seed key_in(Database& database) {
  database.check_pages();
  const bool has_table = database.number("SELECT COUNT(*) FROM sqlite_master WHERE name = 'account'") == 1;
  std::vector<std::byte> key;
  if (has_table) {
    Statement query(database, "SELECT version, key FROM account");
    if (query.next() && query.number(0) == schema_version) key = query.bytes(1);
  }
  if (key.size() != Seed::size) refuse_other(database.path());
  return Seed::from_bytes(std::span<const std::byte>(key).first<Seed::size>());
}

constexpr const char* all_entries =
    "SELECT number, id, time, receiver, about, epsilon, subjects, digest, head, bits, takes_back, merged_head"
    " FROM entries ORDER BY number";

// The query skips releases that were taken back, because they have no charges.
constexpr const char* lost_subjects =
    "SELECT number FROM entries WHERE time >= ? AND id NOT IN (SELECT takes_back FROM entries)"
    " AND subjects <> (SELECT COUNT(*) FROM charges WHERE entry = number)";

const std::filesystem::path& must_exist(const std::filesystem::path& file) {
  if (!file_exists(file)) {
    throw InputError(
        file.string(),
        fmt::format("there is no account: `sotto account begin {0}` begins one; in place of one that was lost, "
                    "`sotto account begin --spent 2 {0}`, with what people may have spent",
                    shell_quoted(file.string())));
  }
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(file, ignored) || std::filesystem::file_size(file, ignored) == 0 ||
      !may_be_database(file)) {
    refuse_other(file);
  }
  require_private(file, "run `chmod 600` on it");
  return file;
}

}  // namespace

void Account::begin(const std::filesystem::path& file, double spent) {
  if (!(spent >= 0 && std::isfinite(spent))) throw InputError("--spent", "must be a number from 0 on");
  if (!make_private_file(file)) {
    throw InputError(file.string(), "is there already: `sotto account show` says what is in it");
  }
  Database database(file, room_advice);
  database.execute(schema);
  Statement insert(database, "INSERT INTO account VALUES (?, ?, ?, 0)");
  const Seed key = Seed::from_os();
  insert.bind(schema_version).bind(std::span<const std::byte>(key.expose())).bind(spent).run();
  database.execute("COMMIT");
}

Account::Account(const std::filesystem::path& file)
    : database_(must_exist(file), room_advice, damage_advice), key_(key_in(database_)) {
  Statement query(database_, "SELECT spent_before, forgotten_before FROM account");
  if (query.next()) {
    spent_before_ = query.real(0);
    forgotten_before_ = query.number(1);
  }
  check_chain();
  prepare_held();
}

void Account::check_chain() {
  std::string head = first_head();
  std::uint64_t number = 0;
  Statement rows(database_, all_entries);
  while (rows.next()) {
    const AccountEntry entry = entry_at(rows);
    if (entry.number != ++number || entry.head != head_after(head, entry, rows.text(7), rows.text(11))) {
      throw InputError(file().string(),
                       fmt::format("entry {} is not the one that was written: the account was changed by another "
                                   "program, or is damaged; bring back a copy of it",
                                   number));
    }
    head = entry.head;
    const std::set<SubjectKey> charged = subjects_of(number);
    if (!charged.empty() && digest_of(charged) != rows.text(7)) {
      throw InputError(file().string(), fmt::format("entry {} has other subjects than were charged: bring back a copy "
                                                    "of the account",
                                                    number));
    }
  }
  Statement counted_subjects(database_, lost_subjects);
  counted_subjects.bind(forgotten_before_);
  if (counted_subjects.next()) {
    throw InputError(file().string(), fmt::format("entry {} has lost subjects: bring back a copy of the account",
                                                  counted_subjects.number(0)));
  }
}

SubjectKey Account::key_of(std::string_view id) const {
  const Seed derived = key_.derive("subject " + hex(sha256(id)));
  SubjectKey key{};
  std::copy(derived.expose().begin(), derived.expose().end(), key.begin());
  return key;
}

double Account::spent(const SubjectKey& subject) {
  Statement query(database_, spent_query);
  query.bind(bytes_of(subject)).bind(forgotten_before_);
  return spent_before_ + (query.next() ? query.real(0) : 0) + held_of(subject);
}

double Account::most_spent(std::span<const SubjectKey> subjects) {
  double most = spent_before_;
  for (const SubjectKey& subject : std::set<SubjectKey>(subjects.begin(), subjects.end())) {
    most = std::max(most, spent(subject));
  }
  return most;
}

std::vector<std::size_t> Account::beyond(std::span<const SubjectKey> subjects, double epsilon, double budget) {
  std::map<SubjectKey, bool> is_beyond;
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < subjects.size(); ++i) {
    const auto [found, is_new] = is_beyond.try_emplace(subjects[i], false);
    if (is_new) found->second = spent(subjects[i]) + epsilon > budget + budget_rounding;
    if (found->second) places.push_back(i);
  }
  return places;
}

void Account::charge(const Release& release, std::span<const SubjectKey> subjects, double budget, std::int64_t time) {
  const std::set<SubjectKey> distinct(subjects.begin(), subjects.end());
  Transaction transaction(database_);
  const std::size_t too_many =
      beyond(std::vector<SubjectKey>(distinct.begin(), distinct.end()), release.epsilon, budget).size();
  if (too_many > 0) {
    throw InputError(file().string(), fmt::format("{} would have spent more than the budget of {:g}: nobody is charged",
                                                  counted(too_many, "subject"), budget));
  }
  if (has(release.id)) throw InputError(file().string(), "a release of this id was charged already");
  AccountEntry entry;
  entry.release = release;
  entry.time = time;
  append(std::move(entry), distinct);
  transaction.commit();
}

void Account::append(AccountEntry entry, const std::set<SubjectKey>& subjects, const std::string& merged_head) {
  entry.time = std::max({entry.time, last_time(), forgotten_before_});
  entry.subjects = subjects.size();
  entry.number = 1 + static_cast<std::uint64_t>(database_.number("SELECT COUNT(*) FROM entries"));
  std::string before = first_head();
  Statement last(database_, "SELECT head FROM entries ORDER BY number DESC LIMIT 1");
  if (last.next()) before = last.text(0);
  const std::string digest = digest_of(subjects);
  const std::string head = head_after(before, entry, digest, merged_head);
  Statement insert(database_, "INSERT INTO entries VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  insert.bind(static_cast<std::int64_t>(entry.number))
      .bind(std::string_view(entry.release.id))
      .bind(entry.time)
      .bind(std::string_view(entry.release.receiver))
      .bind(std::string_view(entry.release.about))
      .bind(entry.release.epsilon)
      .bind(static_cast<std::int64_t>(entry.subjects))
      .bind(std::string_view(digest))
      .bind(std::string_view(head))
      .bind(static_cast<std::int64_t>(entry.release.bits))
      .bind(std::string_view(entry.takes_back))
      .bind(std::string_view(merged_head))
      .run();
  Statement charge(database_, "INSERT INTO charges VALUES (?, ?)");
  for (const SubjectKey& subject : subjects) {
    charge.again().bind(bytes_of(subject)).bind(static_cast<std::int64_t>(entry.number)).run();
  }
}

bool Account::has(const std::string& id) {
  Statement query(database_, "SELECT 1 FROM entries WHERE id = ?");
  query.bind(std::string_view(id));
  return query.next();
}

std::set<SubjectKey> Account::subjects_of(std::uint64_t entry) {
  std::set<SubjectKey> subjects;
  Statement query(database_, "SELECT subject FROM charges WHERE entry = ?");
  query.bind(static_cast<std::int64_t>(entry));
  while (query.next()) subjects.insert(key_at(query));
  return subjects;
}

void Account::uncharge(const std::string& id) {
  Statement(database_, "DELETE FROM charges WHERE entry IN (SELECT number FROM entries WHERE id = ?)")
      .bind(std::string_view(id))
      .run();
}

void Account::take_back(const std::string& id, std::int64_t time) {
  Transaction transaction(database_);
  Statement release(database_,
                    "SELECT receiver, about FROM entries WHERE id = ? AND takes_back = ''"
                    " AND id NOT IN (SELECT takes_back FROM entries)");
  release.bind(std::string_view(id));
  if (!release.next()) throw InputError(file().string(), "there is no such release that could be taken back");
  AccountEntry entry;
  entry.release = {fresh_release_id(), release.text(0), release.text(1)};
  entry.takes_back = id;
  entry.time = time;
  uncharge(id);
  append(std::move(entry), {});
  transaction.commit();
}

std::uint64_t Account::merge(Account& copy) {
  if (!std::ranges::equal(copy.key_.expose(), key_.expose())) {
    throw InputError(copy.file().string(), fmt::format("is no copy of {}, but another account", file().string()));
  }
  Transaction transaction(database_);
  std::uint64_t taken = 0;
  Statement rows(copy.database_, all_entries);
  while (rows.next()) {
    AccountEntry entry = entry_at(rows);
    if (has(entry.release.id)) continue;
    if (!entry.takes_back.empty()) uncharge(entry.takes_back);
    const std::string head = entry.head;
    const std::set<SubjectKey> subjects = copy.subjects_of(entry.number);
    append(std::move(entry), subjects, head);
    ++taken;
  }
  taken += take_held(copy) ? 1 : 0;
  transaction.commit();
  return taken;
}

void Account::count_from(std::int64_t time) { forgotten_before_ = std::max(forgotten_before_, time); }

AccountPosition Account::position() {
  AccountPosition position;
  const Seed id = key_.derive("account id");
  position.account = hex(id.expose()).substr(0, AccountPosition::id_digits);
  position.entries = static_cast<std::uint64_t>(database_.number("SELECT COUNT(*) FROM entries"));
  Statement last(database_, "SELECT head, merged_head FROM entries ORDER BY number DESC LIMIT ?");
  last.bind(static_cast<std::int64_t>(AccountPosition::window));
  while (last.next()) {
    for (const int column : {0, 1}) {
      const std::string head = last.text(column);
      if (!head.empty()) position.heads.push_back(head.substr(0, AccountPosition::head_digits));
    }
  }
  return position;
}

std::int64_t Account::last_time() { return database_.number("SELECT COALESCE(MAX(time), 0) FROM entries"); }

std::uint64_t Account::forget(std::int64_t before) {
  if (before > last_time()) {
    throw InputError("--before",
                     "is later than the last entry of the account: it would forget nothing more, or what is "
                     "still to come");
  }
  return forget_before(before);
}

std::uint64_t Account::forget_before(std::int64_t before) {
  Transaction transaction(database_);
  Statement forgotten(database_, "SELECT COUNT(*) FROM entries WHERE time < ? AND time >= ?");
  forgotten.bind(before).bind(forgotten_before_);
  const std::uint64_t entries = forgotten.next() ? static_cast<std::uint64_t>(forgotten.number(0)) : 0;
  forgotten_before_ = std::max(forgotten_before_, before);
  Statement(database_, "UPDATE account SET forgotten_before = ?").bind(forgotten_before_).run();
  Statement(database_, "DELETE FROM charges WHERE entry IN (SELECT number FROM entries WHERE time < ?)")
      .bind(forgotten_before_)
      .run();
  transaction.commit();
  return entries;
}

std::vector<AccountEntry> Account::entries() {
  std::vector<AccountEntry> all;
  Statement rows(database_, all_entries);
  std::set<std::string> taken_back;
  while (rows.next()) {
    all.push_back(entry_at(rows));
    taken_back.insert(all.back().takes_back);
  }
  for (AccountEntry& entry : all) {
    entry.counts = entry.time >= forgotten_before_ && !taken_back.contains(entry.release.id);
  }
  return all;
}

std::uint64_t Account::subjects() {
  return static_cast<std::uint64_t>(
      database_.number("SELECT COUNT(*) FROM (SELECT subject FROM charges UNION SELECT subject FROM held)"));
}

double Account::most_spent() {
  Statement query(database_,
                  "SELECT SUM(epsilon) AS spent FROM charges JOIN entries ON entry = number GROUP BY subject"
                  " ORDER BY spent DESC LIMIT 1");
  double most = spent_before_ + (query.next() ? query.real(0) : 0);
  // A subject with a held charge may be the one that has spent the most.
  for (const SubjectKey& subject : held_release().second) most = std::max(most, spent(subject));
  return most;
}

std::string fresh_release_id() { return hex(Seed::from_os().expose()); }

}  // namespace sotto::apps
