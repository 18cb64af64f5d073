#include <set>
#include <utility>

#include "apps/kit/account/account.h"
#include "apps/kit/account/rows.h"

namespace sotto::apps {

void Account::prepare_held() {
  database_.execute(
      "CREATE TABLE IF NOT EXISTS held_release (id TEXT PRIMARY KEY, receiver TEXT NOT NULL, about TEXT NOT NULL,"
      " epsilon REAL NOT NULL, bits INTEGER NOT NULL);"
      "CREATE TABLE IF NOT EXISTS held (subject BLOB PRIMARY KEY) WITHOUT ROWID;");
}

double Account::held_of(const SubjectKey& subject) {
  Statement query(database_, "SELECT epsilon FROM held_release WHERE EXISTS (SELECT 1 FROM held WHERE subject = ?)");
  query.bind(bytes_of(subject));
  return query.next() ? query.real(0) : 0;
}

std::vector<bool> Account::hold(const Release& release, std::span<const SubjectKey> subjects, double budget,
                                std::int64_t time) {
  Transaction transaction(database_);
  enter_held(release.id, time);
  Statement(database_, "INSERT OR IGNORE INTO held_release VALUES (?, ?, ?, ?, ?)")
      .bind(std::string_view(release.id))
      .bind(std::string_view(release.receiver))
      .bind(std::string_view(release.about))
      .bind(release.epsilon)
      .bind(static_cast<std::int64_t>(release.bits))
      .run();
  std::vector<bool> is_held(subjects.size());
  Statement find(database_, "SELECT 1 FROM held WHERE subject = ?");
  Statement put(database_, "INSERT OR IGNORE INTO held VALUES (?)");
  for (std::size_t i = 0; i < subjects.size(); ++i) {
    find.again().bind(bytes_of(subjects[i]));
    is_held[i] = find.next() || spent(subjects[i]) + release.epsilon <= budget + budget_rounding;
    find.again();
    if (is_held[i]) put.again().bind(bytes_of(subjects[i])).run();
  }
  put.again();
  transaction.commit();
  return is_held;
}

// The caller must be in a transaction.
void Account::enter_held(const std::string& but, std::int64_t time) {
  auto [release, subjects] = held_release();
  if (release.id.empty() || release.id == but) return;
  if (has(release.id)) release.id = fresh_release_id();
  AccountEntry entry;
  entry.release = std::move(release);
  entry.time = time;
  if (!subjects.empty()) append(std::move(entry), subjects);
  database_.execute("DELETE FROM held; DELETE FROM held_release;");
}

std::pair<Release, std::set<SubjectKey>> Account::held_release() {
  std::pair<Release, std::set<SubjectKey>> held;
  Statement release(database_, "SELECT id, receiver, about, epsilon, bits FROM held_release");
  if (!release.next()) return held;
  held.first = {release.text(0), release.text(1), release.text(2), release.real(3),
                static_cast<std::uint64_t>(release.number(4))};
  Statement query(database_, "SELECT subject FROM held");
  while (query.next()) held.second.insert(key_at(query));
  return held;
}

// The caller must be in a transaction. If this account holds charges for the same release as `copy`, it adds the held
// charges of `copy` to its own. Otherwise the held charges of `copy` become an entry, and the result is true.
bool Account::take_held(Account& copy) {
  auto [release, subjects] = copy.held_release();
  if (subjects.empty() || has(release.id)) return false;
  if (held_release().first.id == release.id) {
    Statement put(database_, "INSERT OR IGNORE INTO held VALUES (?)");
    for (const SubjectKey& subject : subjects) put.again().bind(bytes_of(subject)).run();
    return false;
  }
  AccountEntry entry;
  entry.release = std::move(release);
  append(std::move(entry), subjects);
  return true;
}

std::uint64_t Account::held() { return static_cast<std::uint64_t>(database_.number("SELECT COUNT(*) FROM held")); }

}  // namespace sotto::apps
