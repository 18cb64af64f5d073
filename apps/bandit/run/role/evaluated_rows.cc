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
#include "apps/kit/files/row_order.h"
#include "apps/kit/program/say.h"
#include "core/text/count.h"
#include "sotto/protocol/error/errors.h"

namespace sotto::apps::bandit::run {
namespace {

constexpr std::int64_t seconds_a_day = 86'400;

std::filesystem::path file_of_ids(const AccountRules& rules, const std::filesystem::path& data) {
  if (!rules.subjects.empty()) return rules.subjects;
  const std::filesystem::path beside = subjects_file_of(data);
  return file_exists(beside) ? beside : std::filesystem::path();
}

// The subject of each row. If a row has no id, the content of the row is its subject.
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

std::uint64_t most_rows_of_one(std::span<const std::string> subjects) {
  std::map<std::string_view, std::uint64_t> rows;
  std::uint64_t most = 0;
  for (const std::string& subject : subjects) most = std::max(most, ++rows[subject]);
  return most;
}

std::string rows_in_words(const std::vector<std::uint64_t>& rows) {
  std::vector<std::string> ranges;
  for (std::size_t i = 0; i < rows.size();) {
    std::size_t end = i;
    while (end + 1 < rows.size() && rows[end + 1] == rows[end] + 1) ++end;
    ranges.push_back(end == i ? fmt::format("{}", rows[i] + 1) : fmt::format("{} to {}", rows[i] + 1, rows[end] + 1));
    i = end + 1;
  }
  return fmt::format("{} {}", rows.size() == 1 ? "row" : "rows", fmt::join(ranges, ", "));
}

}  // namespace

EvaluatedRows::EvaluatedRows(const AccountRules& rules, const std::filesystem::path& data, const Table& table,
                             const std::vector<std::uint64_t>& turns, std::uint64_t evaluated, bool in_one_bit)
    : rules_(rules),
      in_one_bit_(in_one_bit),
      privacy_{rules.account_epsilon, rules.rows_per_subject, !rules.account.empty()} {
  if (turns.size() > table.rows || evaluated > turns.size()) return;  // a later check refuses such a run
  const auto middle = turns.end() - static_cast<std::ptrdiff_t>(evaluated);
  const std::filesystem::path ids = file_of_ids(rules, data);
  const std::vector<std::string> subjects = subjects_of(ids, data, table, turns);
  const std::span<const std::string> all(subjects);
  const std::span<const std::string> of_learned = all.first(turns.size() - evaluated);
  const std::span<const std::string> of_evaluated = all.subspan(of_learned.size());
  // Only ids show how many rows a subject has, because rows of different people may have the same content.
  if (!ids.empty()) privacy_.rows = std::max(privacy_.rows, most_rows_of_one(of_evaluated));
  if (!of_learned.empty()) cover_learning(of_learned, !ids.empty());
  if (rules.account.empty()) return;
  // Without its file of ids, a role would treat all subjects as new, as if they had spent no epsilon.
  if (ids.empty() && file_exists(order_file_of(data))) {
    throw InputError(subjects_file_of(data).string(),
                     "is missing, and the rows have ids: copy it next to the data, prepare the table again, or name "
                     "the file of ids with subjects in [account]");
  }
  account_ = std::make_unique<Account>(rules.account);
  if (rules.forget_after > 0) {
    counted_from_ = std::time(nullptr) - static_cast<std::int64_t>(rules.forget_after) * seconds_a_day;
    account_->count_from(counted_from_);
  }
  for (const std::string& subject : of_evaluated) evaluated_.push_back(account_->key_of(subject));
  if (privacy_.learning_epsilon > 0) {
    for (const std::string& subject : of_learned) learned_.push_back(account_->key_of(subject));
  }
  refuse_beyond({std::vector<std::uint64_t>(turns.begin(), middle), std::vector<std::uint64_t>(middle, turns.end())});
}

EvaluatedRows::~EvaluatedRows() {
  if (drawn_) return;
  try {
    for (const std::string& release : releases_) account_->take_back(release, std::time(nullptr));
  } catch (const std::exception& error) {
    say(fmt::format("sotto: warning: nothing was opened, and the account counts this evaluation all the same: {}",
                    error.what()));
  }
}

void EvaluatedRows::cover_learning(std::span<const std::string> learned, bool by_ids) {
  if (rules_.learning_epsilon > 0) {
    privacy_.learning_epsilon = rules_.learning_epsilon;
    privacy_.learning_delta = rules_.learning_delta;
    privacy_.learned_rows =
        by_ids ? std::max(rules_.rows_per_subject, most_rows_of_one(learned)) : rules_.rows_per_subject;
    return;
  }
  // An answer in one bit reveals at most one bit about a learned row, so no noise is needed.
  if (in_one_bit_) return;
  privacy_.uncovered_learning = true;
  if (rules_.uncovered_learning) return;
  throw InputError(fmt::format(
      "[account]: the model learns from {} of this role, and counts over other rows reveal something about them that "
      "no epsilon covers. Set learning_epsilon, which adds noise to the learning. Or evaluate a model of other rows "
      "(from in [role], and held_out = 1 in [run]). Or set answers = \"bit\" in [run] at all roles, which reveals one "
      "bit about them; or accept it with uncovered_learning = true",
      counted(learned.size(), "row")));
}

void EvaluatedRows::refuse_beyond(const LearnedAndEvaluated& rows) {
  std::map<SubjectKey, double> costs;
  for (const SubjectKey& subject : std::set<SubjectKey>(evaluated_.begin(), evaluated_.end())) {
    costs[subject] += privacy_.epsilon;
  }
  for (const SubjectKey& subject : std::set<SubjectKey>(learned_.begin(), learned_.end())) {
    costs[subject] += privacy_.learning_epsilon;
  }
  std::set<SubjectKey> too_many;
  for (const auto& [subject, cost] : costs) {
    if (!account_->beyond(std::span(&subject, 1), cost, rules_.budget).empty()) too_many.insert(subject);
  }
  std::vector<std::uint64_t> beyond;
  const auto add = [&](const std::vector<SubjectKey>& subjects, const std::vector<std::uint64_t>& of) {
    for (std::size_t i = 0; i < subjects.size(); ++i) {
      if (too_many.contains(subjects[i])) beyond.push_back(of[i]);
    }
  };
  add(learned_, rows.learned);
  add(evaluated_, rows.evaluated);
  if (beyond.empty()) return;
  std::sort(beyond.begin(), beyond.end());
  const std::string learning = learned_.empty() ? "" : fmt::format(" (learning {:g})", privacy_.learning_epsilon);
  refusal_ = fmt::format(
      "{} of the data {} about whom an evaluation with epsilon {:g}{} would cost more than the "
      "budget of {:g}: evaluate without {} ({}), or raise the budget in [account]",
      counted(beyond.size(), "row"), beyond.size() == 1 ? "is" : "are", privacy_.epsilon, learning, rules_.budget,
      beyond.size() == 1 ? "it" : "them", rows_in_words(beyond));
}

void EvaluatedRows::draws() {
  drawn_ = true;
  if (account_ && rules_.forget_after > 0) account_->forget_before(counted_from_);
}

void EvaluatedRows::charge(const std::string& receiver) {
  if (!account_ || refusal_ || !releases_.empty()) return;
  const auto charge = [&](const std::string& about, double epsilon, const std::vector<SubjectKey>& subjects) {
    if (subjects.empty()) return;
    const Release release{fresh_release_id(), receiver, fmt::format("{} of {}", about, counted(subjects.size(), "row")),
                          epsilon, in_one_bit_ ? 1U : 0U};
    account_->charge(release, subjects, rules_.budget, std::time(nullptr));
    releases_.push_back(release.id);
  };
  charge(fmt::format("learning (delta {:g})", privacy_.learning_delta), privacy_.learning_epsilon, learned_);
  charge(privacy_.uncovered_learning ? "evaluation (uncovered_learning)" : "evaluation", privacy_.epsilon, evaluated_);
  std::set<SubjectKey> distinct(evaluated_.begin(), evaluated_.end());
  charged_ = {privacy_.epsilon, distinct.size(), 0, rules_.budget};
  if (!learned_.empty()) charged_.learning_epsilon = privacy_.learning_epsilon;
  distinct.insert(learned_.begin(), learned_.end());
  charged_.most_spent = account_->most_spent(std::vector<SubjectKey>(distinct.begin(), distinct.end()));
}

std::optional<AccountPosition> EvaluatedRows::position() const {
  return account_ ? std::optional(account_->position()) : std::nullopt;
}

std::optional<ChargedAccount> EvaluatedRows::charged() const {
  return !releases_.empty() && drawn_ ? std::optional(charged_) : std::nullopt;
}

}  // namespace sotto::apps::bandit::run
