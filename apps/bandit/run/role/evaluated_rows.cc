#include "apps/bandit/run/role/evaluated_rows.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <ctime>
#include <map>
#include <set>
#include <span>
#include <string_view>

#include "core/text/count.h"
#include "sotto/protocol/error/errors.h"

namespace sotto::apps::bandit::run {
namespace {

// Whom the rows are about: by the ids of a file, else by what is in them.
std::vector<std::string> subjects_of(const AccountRules& rules, const Table& table,
                                     const std::vector<std::uint64_t>& rows) {
  std::vector<std::string> subjects;
  subjects.reserve(rows.size());
  if (!rules.subjects.empty()) {
    const std::vector<std::string> ids = read_subjects(rules.subjects, table.rows);
    for (const std::uint64_t row : rows) subjects.push_back(ids[row]);
    return subjects;
  }
  const std::size_t columns = table.columns.size();
  for (const std::uint64_t row : rows) {
    const std::span<const double> values(table.values.data() + row * columns, columns);
    const std::span<const std::byte> bytes = std::as_bytes(values);
    subjects.emplace_back(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }
  return subjects;
}

std::uint64_t most_rows_of_one(const std::vector<std::string>& subjects) {
  std::map<std::string_view, std::uint64_t> rows;
  std::uint64_t most = 0;
  for (const std::string& subject : subjects) most = std::max(most, ++rows[subject]);
  return most;
}

// Of a file, counted as its lines are read: the header is none.
std::string rows_in_words(const std::vector<std::uint64_t>& rows) {
  constexpr std::size_t shown = 10;
  std::vector<std::uint64_t> first(rows.begin(),
                                   rows.begin() + static_cast<std::ptrdiff_t>(std::min(shown, rows.size())));
  for (std::uint64_t& row : first) ++row;
  return fmt::format("{} {}{}", rows.size() == 1 ? "row" : "rows", fmt::join(first, ", "),
                     rows.size() > shown ? fmt::format(" and {} more", rows.size() - shown) : "");
}

}  // namespace

EvaluatedRows::EvaluatedRows(const AccountRules& rules, const Table& table, const std::vector<std::uint64_t>& turns,
                             std::uint64_t evaluated)
    : rules_(rules), privacy_{rules.account_epsilon, rules.rows_per_subject, !rules.account.empty()} {
  if (turns.size() > table.rows || evaluated > turns.size()) return;  // the run is refused once all data is known
  const std::vector<std::uint64_t> rows(turns.end() - static_cast<std::ptrdiff_t>(evaluated), turns.end());
  const std::vector<std::string> subjects = subjects_of(rules, table, rows);
  // Rows may be the same though they are about different people.
  if (!rules.subjects.empty()) privacy_.rows = std::max(privacy_.rows, most_rows_of_one(subjects));
  if (rules.account.empty()) return;
  account_.emplace(rules.account);
  subjects_.reserve(subjects.size());
  for (const std::string& subject : subjects) subjects_.push_back(account_->key_of(subject));
  std::vector<std::uint64_t> beyond;
  for (const std::size_t place : account_->beyond(subjects_, privacy_.epsilon, rules.budget)) {
    beyond.push_back(rows[place]);
  }
  if (beyond.empty()) return;
  std::sort(beyond.begin(), beyond.end());
  throw InputError(rules.account.string(),
                   fmt::format("{} of the data {} about whom an evaluation with epsilon {:g} would cost more than the "
                               "budget of {:g}: evaluate without {} ({}), or raise the budget in [account]",
                               counted(beyond.size(), "row"), beyond.size() == 1 ? "is" : "are", privacy_.epsilon,
                               rules.budget, beyond.size() == 1 ? "it" : "them", rows_in_words(beyond)));
}

void EvaluatedRows::charge(const std::string& receiver) {
  if (!account_) return;
  const Release release{fresh_release_id(), receiver, fmt::format("evaluation of {}", counted(subjects_.size(), "row")),
                        privacy_.epsilon};
  account_->charge(release, subjects_, rules_.budget, std::time(nullptr));
  const std::set<SubjectKey> distinct(subjects_.begin(), subjects_.end());
  charged_ = ChargedAccount{privacy_.epsilon, distinct.size(), account_->most_spent(subjects_), rules_.budget};
}

}  // namespace sotto::apps::bandit::run
