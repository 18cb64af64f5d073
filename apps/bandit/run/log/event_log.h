// A log of decisions that were made and of what they earned, as one company has it.
//
// A CSV as apps/prepare/tables/text_table.h reads it, an event a row, with the columns
//     arm          the arm that was played, a whole number from 0
//     reward       what it earned; divided by the run's reward scale it is in [-1, 1]
//     propensity   optional: the probability with which the arm was played, above 0 and at most 1
//     id           optional: of the case, each once. The rows are then put in the order of the parties' rows
// one that divides the events into segments, where the reader names it, and any others, which are not read. Errors are
// InputError and name file:line:cell, the column, the kind of the cell and what is expected; they never show a cell.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sotto::apps::prepare {
class TextTable;
}  // namespace sotto::apps::prepare

namespace sotto::apps::bandit::run {

struct LogExpectation {
  std::optional<std::size_t> arms{};  // of the run; without it, one more than the largest, and each must be played
  // Of the run; without it, the least of one digit that holds all, and 1 at least.
  std::optional<double> reward_scale{};
  // Larger rewards count as the scale, which without reward_scale is that of the usual ones.
  bool clips_rewards = false;
  std::string segment{};  // the column of segments, or empty
};

class EventLog {
 public:
  [[nodiscard]] static EventLog read(const std::filesystem::path& path, const LogExpectation& expected = {});

  [[nodiscard]] const std::string& file() const { return file_; }
  [[nodiscard]] std::size_t rows() const { return arms_.size(); }
  [[nodiscard]] std::size_t arm_count() const { return arm_count_; }
  [[nodiscard]] double reward_scale() const { return reward_scale_; }
  [[nodiscard]] bool has_propensities() const { return !propensities_.empty(); }
  // Rewards that were cut to the scale.
  [[nodiscard]] std::uint64_t clipped_rewards() const { return clipped_rewards_; }
  // What looks wrong and can be meant, a line each: arms that no event has, rewards that are far from all others, rows
  // of which nothing says which cases they are about. They name flags.
  [[nodiscard]] const std::vector<std::string>& warnings() const { return warnings_; }
  // All rewards are 0 or 1, divided by the scale: they then need no fraction bits.
  [[nodiscard]] bool binary_rewards() const { return binary_rewards_; }

  [[nodiscard]] std::uint32_t arm(std::uint64_t row) const { return arms_[row]; }
  // Divided by the scale: in [-1, 1].
  [[nodiscard]] double reward(std::uint64_t row) const { return rewards_[row]; }
  // Where the log has propensities.
  [[nodiscard]] double propensity(std::uint64_t row) const { return propensities_[row]; }
  // What the column of segments says, each once and sorted; none without such a column.
  [[nodiscard]] const std::vector<std::string>& segments() const { return segments_; }
  // Which of them a row has, where there are any.
  [[nodiscard]] std::uint32_t segment(std::uint64_t row) const { return segment_of_row_[row]; }
  // "file:line" of a row, for messages.
  [[nodiscard]] std::string where(std::uint64_t row) const;

  // The share of each arm among the first `rows` rows.
  [[nodiscard]] std::vector<double> arm_shares(std::uint64_t rows) const;

  // Puts the rows in the order of which `is_theirs` says that it is the parties': the file's, or that of the sorted
  // ids. A log without ids has the order that stands beside it (apps/kit/files/row_order.h), if any. Nothing where the
  // log has no order, false where it is about other cases, or in an order that is neither.
  [[nodiscard]] std::optional<bool> put_in_order(const std::function<bool(const std::string& digest)>& is_theirs);
  // What to say where it is about other cases than `theirs`, and what may be wrong with its ids.
  [[nodiscard]] std::string other_cases(std::string_view theirs) const;

 private:
  EventLog() = default;
  void check_arms(const prepare::TextTable& table, bool are_stated);
  void read_segments(const prepare::TextTable& table, std::string_view name);
  void scale_rewards(const prepare::TextTable& table, const LogExpectation& expected);
  void sort_rows();

  std::string file_;
  std::vector<std::uint32_t> arms_;
  std::vector<double> rewards_;
  std::vector<double> propensities_;  // or empty
  std::vector<std::string> segments_;
  std::vector<std::uint32_t> segment_of_row_;
  std::vector<std::size_t> lines_;
  std::size_t arm_count_ = 0;
  double reward_scale_ = 1;
  std::uint64_t clipped_rewards_ = 0;
  bool binary_rewards_ = true;
  std::vector<std::string> warnings_;
  std::optional<std::string> order_;         // of the rows as they stand in the file
  std::optional<std::string> sorted_order_;  // of the sorted ids
  std::vector<std::size_t> sorted_rows_;     // the rows in that order
  std::string id_damage_;                    // what looks wrong with the ids (doubts.h), or empty
};

// What the rewards of a log are divided by, so that they are in [-1, 1].
//
// The scale is the least number of one digit that holds all rewards, and 1 at least: it is public, and so tells little.
// A few rewards that are far larger than all others make it so large that the others hardly teach the model anything.
// Such rewards are named, and a log may be read with all rewards cut to the scale.

// Of the rewards that are not 0, the largest hundredth is left aside (at least one), and the largest of them is `times`
// as large as all others.
struct FarOutRewards {
  static constexpr double times = 5;
  static constexpr std::size_t least_rewards = 20;  // that are not 0: of fewer nobody can say what is usual

  std::vector<std::size_t> rows;
  double usual = 0;  // holds the others, in one digit
};

[[nodiscard]] std::optional<FarOutRewards> far_out_rewards(const std::vector<double>& rewards);

[[nodiscard]] double scale_of(const std::vector<double>& rewards);

}  // namespace sotto::apps::bandit::run
