#include "apps/bandit/run/role/evaluated_rows.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <ctime>
#include <map>
#include <set>
#include <span>
#include <string_view>

#include "apps/kit/account/subjects.h"
#include "apps/kit/files/input_file.h"
#include "apps/kit/program/say.h"
#include "core/text/count.h"

namespace sotto::apps::bandit::run {
namespace {

constexpr std::int64_t seconds_a_day = 86'400;

// The file of ids: the one that is named, else the one beside the data, if there is one.
std::filesystem::path file_of_ids(const AccountRules& rules, const std::filesystem::path& data) {
  if (!rules.subjects.empty()) return rules.subjects;
  const std::filesystem::path beside = subjects_file_of(data);
  return file_exists(beside) ? beside : std::filesystem::path();
}

// Whom the rows are about: by their ids, else by what is in them.
std::vector<std::string> subjects_of(const std::filesystem::path& ids_file, const std::filesystem::path& data,
                                     const Table& table, const std::vector<std::uint64_t>& rows) {
  std::vector<std::string> subjects;
  subjects.reserve(rows.size());
  if (!ids_file.empty()) {
    const std::vector<std::string> ids = read_subjects(ids_file, data, table.rows);
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

EvaluatedRows::EvaluatedRows(const AccountRules& rules, const std::filesystem::path& data, const Table& table,
                             const std::vector<std::uint64_t>& turns, std::uint64_t evaluated)
    : rules_(rules), privacy_{rules.account_epsilon, rules.rows_per_subject, !rules.account.empty()} {
  if (turns.size() > table.rows || evaluated > turns.size()) return;  // the run is refused once all data is known
  const std::vector<std::uint64_t> rows(turns.end() - static_cast<std::ptrdiff_t>(evaluated), turns.end());
  const std::filesystem::path ids = file_of_ids(rules, data);
  const std::vector<std::string> subjects = subjects_of(ids, data, table, rows);
  // Rows may be the same though they are about different people.
  if (!ids.empty()) privacy_.rows = std::max(privacy_.rows, most_rows_of_one(subjects));
  if (rules.account.empty()) return;
  account_ = std::make_unique<Account>(rules.account);
  if (rules.forget_after > 0) {
    account_->forget_before(std::time(nullptr) - static_cast<std::int64_t>(rules.forget_after) * seconds_a_day);
  }
  subjects_.reserve(subjects.size());
  for (const std::string& subject : subjects) subjects_.push_back(account_->key_of(subject));
  std::vector<std::uint64_t> beyond;
  for (const std::size_t place : account_->beyond(subjects_, privacy_.epsilon, rules.budget)) {
    beyond.push_back(rows[place]);
  }
  if (beyond.empty()) return;
  std::sort(beyond.begin(), beyond.end());
  refusal_ = fmt::format(
      "{} of the data {} about whom an evaluation with epsilon {:g} would cost more than the budget "
      "of {:g}: evaluate without {} ({}), or raise the budget in [account]",
      counted(beyond.size(), "row"), beyond.size() == 1 ? "is" : "are", privacy_.epsilon, rules.budget,
      beyond.size() == 1 ? "it" : "them", rows_in_words(beyond));
}

EvaluatedRows::~EvaluatedRows() {
  if (!release_ || drawn_) return;
  try {
    account_->take_back(*release_, std::time(nullptr));
  } catch (const std::exception& error) {
    say(fmt::format("sotto: warning: nothing was opened, and the account counts this evaluation all the same: {}",
                    error.what()));
  }
}

void EvaluatedRows::charge(const std::string& receiver) {
  if (!account_ || refusal_ || release_) return;
  const Release release{fresh_release_id(), receiver, fmt::format("evaluation of {}", counted(subjects_.size(), "row")),
                        privacy_.epsilon};
  account_->charge(release, subjects_, rules_.budget, std::time(nullptr));
  release_ = release.id;
  const std::set<SubjectKey> distinct(subjects_.begin(), subjects_.end());
  charged_ = {privacy_.epsilon, distinct.size(), account_->most_spent(subjects_), rules_.budget};
}

std::optional<AccountPosition> EvaluatedRows::position() const {
  return account_ ? std::optional(account_->position()) : std::nullopt;
}

std::optional<ChargedAccount> EvaluatedRows::charged() const {
  return release_ && drawn_ ? std::optional(charged_) : std::nullopt;
}

}  // namespace sotto::apps::bandit::run
