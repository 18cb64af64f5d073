#include "apps/bandit/run/log/event_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>
#include <utility>

#include "apps/kit/files/row_order.h"
#include "apps/kit/report/human.h"
#include "apps/prepare/data/environment.h"
#include "apps/prepare/tables/column_profile.h"
#include "apps/prepare/tables/doubts.h"
#include "apps/prepare/tables/number_column.h"
#include "apps/prepare/tables/row_ids.h"
#include "apps/prepare/tables/text_table.h"
#include "core/text/count.h"
#include "sotto/protocol/error/errors.h"

namespace sotto::apps::bandit::run {
namespace {

std::size_t needed_column(const prepare::TextTable& table, std::string_view name) {
  if (const auto column = table.find_column(name)) return *column;
  throw InputError(fmt::format("{}:1", table.file()),
                   fmt::format("there is no column '{}': a log has the columns arm and reward, and may have propensity "
                               "and id",
                               name));
}

std::string counted_from_one(const std::vector<double>& arms) {
  const bool from_one = !arms.empty() && *std::min_element(arms.begin(), arms.end()) >= 1;
  return from_one ? "a larger number, in a log without an arm 0," : "a larger number";
}

std::vector<std::uint32_t> read_arms(const prepare::TextTable& table, const std::optional<std::size_t>& arms) {
  const std::size_t limit = arms.value_or(prepare::max_arms);
  const prepare::NumberColumn column(table, needed_column(table, "arm"),
                                     fmt::format("an arm, a whole number from 0 to {},", limit - 1));
  std::vector<double> numbers;
  std::optional<std::size_t> too_large;
  numbers.reserve(table.rows());
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const double arm = numbers.emplace_back(column.at(row));
    if (arm != std::floor(arm)) column.refuse(row, "a number with a fraction");
    if (arm < 0) column.refuse(row, "a number below 0");
    if (!too_large && arm >= static_cast<double>(limit)) too_large = row;
  }
  if (too_large) column.refuse(*too_large, counted_from_one(numbers));
  std::vector<std::uint32_t> read;
  read.reserve(numbers.size());
  for (const double arm : numbers) read.push_back(static_cast<std::uint32_t>(arm));
  return read;
}

std::vector<double> read_rewards(const prepare::TextTable& table, const LogExpectation& expected) {
  const std::optional<double> scale = expected.clips_rewards ? std::nullopt : expected.reward_scale;
  const prepare::NumberColumn column(
      table, needed_column(table, "reward"),
      scale ? fmt::format("a reward of at most {:g} in size, the run's reward scale,", *scale) : "a reward, a number,");
  std::vector<double> read;
  read.reserve(table.rows());
  for (std::size_t row = 0; row < table.rows(); ++row) {
    read.push_back(column.at(row));
    if (scale && std::abs(read.back()) > *scale) column.refuse(row, "a larger number");
  }
  return read;
}

constexpr std::string_view propensity_column = "propensity";
constexpr std::string_view best_column = "best_probability";
constexpr std::string_view least_column = "least_probability";

std::vector<double> read_probability_column(const prepare::TextTable& table, std::string_view name) {
  const auto found = table.find_column(name);
  if (!found) return {};
  const prepare::NumberColumn column(table, *found, "a probability above 0 and at most 1");
  std::vector<double> read;
  read.reserve(table.rows());
  for (std::size_t row = 0; row < table.rows(); ++row) {
    read.push_back(column.at(row));
    if (!(read.back() > 0)) column.refuse(row, "a number not above 0");
    if (read.back() > 1) column.refuse(row, "a number above 1");
  }
  return read;
}

std::string lines_text(const prepare::TextTable& table, const std::vector<std::size_t>& rows) {
  constexpr std::size_t most = 5;
  std::string text;
  for (std::size_t i = 0; i < std::min(most, rows.size()); ++i) {
    text += fmt::format("{}{}", i == 0 ? "" : ", ", table.line_of(rows[i]));
  }
  if (rows.size() > most) text += fmt::format(" and {} more", rows.size() - most);
  return fmt::format("line{} {}", rows.size() == 1 ? "" : "s", text);
}

// The name of each arm, from the column arm_name. Empty if there is no such column. Throws InputError if an arm has two
// names, or if two arms have the same name.
std::vector<std::string> read_arm_names(const prepare::TextTable& table, const std::vector<std::uint32_t>& arms,
                                        std::size_t arm_count) {
  const auto column = table.find_column("arm_name");
  if (!column) return {};
  std::vector<std::string> names(arm_count);
  std::map<std::string, std::uint32_t, std::less<>> arm_of_name;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const std::string name = prepare::plain_text(table.cell(row, *column));
    const auto found = arm_of_name.try_emplace(name, arms[row]).first;
    std::string& known = names[arms[row]];
    if (name.empty() || found->second != arms[row] || (!known.empty() && known != name)) {
      throw InputError(table.where(row, *column),
                       "expected the name of the row's arm, each arm with one name of its own: `sotto prepare log` "
                       "writes such a column");
    }
    known = name;
  }
  return names;
}

template <class T>
std::vector<T> in_order_of(const std::vector<T>& values, const std::vector<std::size_t>& rows) {
  std::vector<T> result;
  if (values.empty()) return result;
  result.reserve(rows.size());
  for (const std::size_t row : rows) result.push_back(values[row]);
  return result;
}

std::string far_out_text(const prepare::TextTable& table, const FarOutRewards& far_out, double scale, bool is_stated) {
  const bool one = far_out.rows.size() == 1;
  const std::string flags = is_stated ? fmt::format("take {:g} for --reward-scale with --clip-rewards", far_out.usual)
                                      : std::string("take --clip-rewards");
  return fmt::format(
      "{}: column 'reward', {}: {} far larger than nearly all others. All rewards are divided by {:g}, so the model "
      "learns little from the others; correct {}, or {}, which counts {} as {:g}",
      table.file(), lines_text(table, far_out.rows), one ? "a number" : "numbers", scale, one ? "it" : "them", flags,
      one ? "it" : "them", far_out.usual);
}

std::vector<std::string> reward_doubts(const prepare::TextTable& table, const std::vector<double>& rewards) {
  std::vector<std::string> doubts;
  const std::size_t column = needed_column(table, "reward");
  const prepare::ColumnProfile profile = profile_column(table, column, prepare::CellForm{}, false);
  if (profile.may_be_thousands()) {
    const std::string doubt =
        "column 'reward': this number has a point and three digits behind it, and all others are whole and below 1,000 "
        "or look the same. If the point separates thousands, save the log without it; if it is a decimal mark, write a "
        "fourth digit";
    const std::string where = table.where(profile.first_one_group, column);
    if (profile.short_wholes > 0) throw InputError(where, doubt);
    doubts.push_back(fmt::format("{}: {}", where, doubt));
  }
  for (const prepare::FarValue& far : prepare::far_values(rewards)) {
    if (!far.is_least || far.value >= 0) continue;
    const auto row = static_cast<std::size_t>(std::find(rewards.begin(), rewards.end(), far.value) - rewards.begin());
    doubts.push_back(
        fmt::format("{}: column 'reward': the least value occurs {} times (first here) and is far from the others. If "
                    "it stands for a missing reward, leave out these events, and their rows at the parties",
                    table.where(row, column), far.count));
  }
  return doubts;
}

}  // namespace

EventLog EventLog::read(const std::filesystem::path& path, const LogExpectation& expected) {
  const prepare::TextTable table = prepare::TextTable::read(path);
  if (table.rows() == 0) throw InputError(path.string(), "the log has no event");
  EventLog log;
  log.file_ = table.file();
  log.arms_ = read_arms(table, expected.arms);
  log.rewards_ = read_rewards(table, expected);
  log.warnings_ = reward_doubts(table, log.rewards_);
  log.read_probabilities(table);
  log.arm_count_ = expected.arms.value_or(std::size_t{1} + *std::max_element(log.arms_.begin(), log.arms_.end()));
  log.check_arms(table, expected.arms.has_value());
  log.arm_names_ = read_arm_names(table, log.arms_, log.arm_count_);
  if (!expected.segment.empty()) log.read_segments(table, expected.segment);
  log.scale_rewards(table, expected);
  log.lines_.reserve(table.rows());
  for (std::size_t row = 0; row < table.rows(); ++row) log.lines_.push_back(table.line_of(row));
  if (const auto id = table.find_column("id")) {
    log.read_ids(table, *id);
  } else {
    log.order_ = read_order(path);
  }
  if (!log.order_) {
    log.warnings_.push_back(no_order_warning(path.string(), "give the log the parties' ids, in a column id"));
  }
  return log;
}

void EventLog::read_probabilities(const prepare::TextTable& table) {
  propensities_ = read_probability_column(table, propensity_column);
  best_probabilities_ = read_probability_column(table, best_column);
  least_probabilities_ = read_probability_column(table, least_column);
  if (best_probabilities_.empty() && least_probabilities_.empty()) return;
  const std::string where = fmt::format("{}:1", table.file());
  if (best_probabilities_.empty() || least_probabilities_.empty()) {
    const bool has_best = !best_probabilities_.empty();
    throw InputError(where, fmt::format("there is a column '{}' and none '{}': a log has both, or none of both",
                                        has_best ? best_column : least_column, has_best ? least_column : best_column));
  }
  if (!propensities_.empty()) {
    throw InputError(where, fmt::format("'{}' excludes '{}' and '{}': leave it out, or leave both others out",
                                        propensity_column, best_column, least_column));
  }
  for (std::size_t row = 0; row < table.rows(); ++row) {
    if (best_probabilities_[row] >= least_probabilities_[row]) continue;
    throw InputError(table.where(row, *table.find_column(best_column)),
                     fmt::format("column '{}': expected at least the row's '{}'", best_column, least_column));
  }
}

void EventLog::check_arms(const prepare::TextTable& table, bool are_stated) {
  std::vector<bool> is_played(arm_count_, false);
  for (const std::uint32_t arm : arms_) is_played[arm] = true;
  const auto played = static_cast<std::size_t>(std::count(is_played.begin(), is_played.end(), true));
  if (played == arm_count_) return;
  const bool from_one = !is_played.front() && played + 1 == arm_count_;
  const std::string fault = from_one ? "no event has arm 0, and arms count from 0"
                                     : fmt::format("{} of the arms 0 to {} are in the log", played, arm_count_ - 1);
  if (are_stated) {
    warnings_.push_back(fmt::format(
        "{}: column 'arm': {}: of the others nothing is learned; check that the log counts its arms from 0, "
        "without gaps",
        file_, fault));
    return;
  }
  throw InputError(table.file(),
                   fmt::format("column 'arm': {0}: number the arms from 0 to {1} without gaps. If some of the {2} "
                               "arms were never played, give --arms {2}",
                               fault, played - 1, arm_count_));
}

void EventLog::read_segments(const prepare::TextTable& table, std::string_view name) {
  for (const std::string_view taken :
       {std::string_view("arm"), std::string_view("arm_name"), std::string_view("reward"), propensity_column,
        best_column, least_column, std::string_view("id")}) {
    if (name != taken) continue;
    throw InputError("--segment", fmt::format("'{}' has a meaning of its own: name a column that says of an event what "
                                              "was known before its arm was chosen, such as a country",
                                              name));
  }
  const auto column = table.find_column(name);
  if (!column) {
    throw InputError(
        fmt::format("{}:1", table.file()),
        fmt::format("there is no column '{}' to divide the events by: name one of the log's for --segment", name));
  }
  std::map<std::string, std::uint32_t> numbers;
  for (std::size_t row = 0; row < table.rows(); ++row) numbers.emplace(table.cell(row, *column), 0);
  for (auto& [segment, number] : numbers) {
    number = static_cast<std::uint32_t>(segments_.size());
    segments_.push_back(segment);
  }
  segment_of_row_.reserve(table.rows());
  for (std::size_t row = 0; row < table.rows(); ++row) {
    segment_of_row_.push_back(numbers.at(std::string(table.cell(row, *column))));
  }
}

void EventLog::read_ids(const prepare::TextTable& table, std::size_t column) {
  prepare::require_ids(table, {column}, prepare::CellForm{});
  const std::vector<std::string> ids = prepare::row_ids(table, {column});
  const std::vector<std::string_view> views = prepare::views_of(ids);
  order_ = order_digest(views);
  if (const auto damage = prepare::damaged_ids(table, {column}); !damage.empty()) id_damage_ = damage.front();
  if (!prepare::are_distinct(views)) return;
  sorted_rows_ = prepare::order_of_ids(views, true);
  sorted_order_ = order_digest(in_order_of(views, sorted_rows_));
}

void EventLog::scale_rewards(const prepare::TextTable& table, const LogExpectation& expected) {
  const auto far_out = far_out_rewards(rewards_);
  const bool cuts = expected.clips_rewards && far_out;
  reward_scale_ = expected.reward_scale.value_or(cuts ? far_out->usual : scale_of(rewards_));
  const bool is_cut = expected.clips_rewards && far_out && reward_scale_ < FarOutRewards::times * far_out->usual;
  if (far_out && !is_cut && reward_scale_ > 1) {
    warnings_.push_back(far_out_text(table, *far_out, reward_scale_, expected.reward_scale.has_value()));
  }
  for (double& reward : rewards_) {
    if (std::abs(reward) > reward_scale_) {
      reward = std::copysign(reward_scale_, reward);
      ++clipped_rewards_;
    }
    reward /= reward_scale_;
    binary_rewards_ = binary_rewards_ && (reward == 0 || reward == 1);
  }
}

std::string EventLog::arm_name(std::size_t arm) const {
  const bool has_name = arm < arm_names_.size() && !arm_names_[arm].empty();
  return has_name ? arm_names_[arm] : fmt::format("{}", arm);
}

std::string EventLog::where(std::uint64_t row) const { return fmt::format("{}:{}", file_, lines_[row]); }

std::vector<double> EventLog::arm_shares(std::uint64_t rows) const {
  std::vector<double> shares(arm_count_, 0);
  for (std::uint64_t row = 0; row < rows; ++row) shares[arms_[row]] += 1 / static_cast<double>(rows);
  return shares;
}

std::string EventLog::other_cases(std::string_view theirs) const {
  return fmt::format(
      "its events are about other cases than {}: the log and the parties need the same ids. Where each id comes once, "
      "bring the rows of the parties into the order of the log, or of the ids (`sotto prepare party --sort`). Where "
      "ids come again, prepare the log by `sotto prepare log`, and the rows by `sotto prepare party --events`{}",
      theirs, id_damage_.empty() ? "" : "; " + id_damage_);
}

std::optional<bool> EventLog::put_in_order(const std::function<bool(const std::string& digest)>& is_theirs) {
  if (!order_) return std::nullopt;
  if (is_theirs(*order_)) return true;
  if (!sorted_order_ || !is_theirs(*sorted_order_)) return false;
  sort_rows();
  return true;
}

void EventLog::sort_rows() {
  arms_ = in_order_of(arms_, sorted_rows_);
  rewards_ = in_order_of(rewards_, sorted_rows_);
  propensities_ = in_order_of(propensities_, sorted_rows_);
  best_probabilities_ = in_order_of(best_probabilities_, sorted_rows_);
  least_probabilities_ = in_order_of(least_probabilities_, sorted_rows_);
  lines_ = in_order_of(lines_, sorted_rows_);
  segment_of_row_ = in_order_of(segment_of_row_, sorted_rows_);
  order_ = sorted_order_;
}

std::optional<FarOutRewards> far_out_rewards(const std::vector<double>& rewards) {
  std::vector<double> sizes;
  for (const double reward : rewards) {
    if (reward != 0) sizes.push_back(std::abs(reward));
  }
  if (sizes.size() < FarOutRewards::least_rewards) return std::nullopt;
  std::sort(sizes.begin(), sizes.end());
  const std::size_t most = std::max<std::size_t>(1, sizes.size() / 100);
  const double usual = sizes[sizes.size() - 1 - most];
  if (sizes.back() < FarOutRewards::times * usual) return std::nullopt;
  FarOutRewards far_out;
  far_out.usual = rounded_up(usual, 1);
  for (std::size_t row = 0; row < rewards.size(); ++row) {
    if (std::abs(rewards[row]) > far_out.usual) far_out.rows.push_back(row);
  }
  return far_out;
}

double scale_of(const std::vector<double>& rewards) {
  double largest = 0;
  for (const double reward : rewards) largest = std::max(largest, std::abs(reward));
  return largest <= 1 ? 1 : rounded_up(largest, 1);
}

}  // namespace sotto::apps::bandit::run
