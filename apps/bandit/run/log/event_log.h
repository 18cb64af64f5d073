// A log of past decisions and of their rewards, as one company has it.
//
// The log is a CSV file for apps/prepare/tables/text_table.h, with one row per event and the columns
//     arm          the arm that was played, a whole number from 0
//     arm_name     optional: the name of this arm
//     reward       the arm's reward; divided by the run's reward scale it is in [-1, 1]
//     propensity   optional: the probability with which the arm was played, above 0 and at most 1
//     id           optional: the id of the case. If each id comes once, the rows are put in the order of the parties'
//                  rows. If ids come again, the parties' rows must have the order of the log
// If the reader names one more column, this column divides the events into segments. Other columns are not read. Errors
// are InputError and name file:line:cell, the column, the kind of the cell and the expected content. Errors never show
// the text of a cell.
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
  // The number of arms of the run. If absent, the number is one more than the largest arm, and each arm must be played.
  std::optional<std::size_t> arms{};
  // The reward scale of the run. If absent, the scale is the smallest one-digit number that no reward exceeds in size,
  // and at least 1.
  std::optional<double> reward_scale{};
  // If set, a reward that is larger than the scale is replaced by the scale. If reward_scale is absent, the scale is
  // then chosen for the usual rewards, without the far-out ones.
  bool clips_rewards = false;
  std::string segment{};  // the column of segments, or empty
};

class EventLog {
 public:
  [[nodiscard]] static EventLog read(const std::filesystem::path& path, const LogExpectation& expected = {});

  [[nodiscard]] const std::string& file() const { return file_; }
  [[nodiscard]] std::size_t rows() const { return arms_.size(); }
  [[nodiscard]] std::size_t arm_count() const { return arm_count_; }
  // The arm's name, or its number if it has no name.
  [[nodiscard]] std::string arm_name(std::size_t arm) const;
  [[nodiscard]] double reward_scale() const { return reward_scale_; }
  [[nodiscard]] bool has_propensities() const { return !propensities_.empty(); }
  // The number of rewards that were cut to the scale.
  [[nodiscard]] std::uint64_t clipped_rewards() const { return clipped_rewards_; }
  // Facts that look wrong but may be intended, one line each. They are about arms that occur in no event, about rewards
  // that are far from all others, and about rows whose cases no id or order states. A warning may name flags of the
  // program.
  [[nodiscard]] const std::vector<std::string>& warnings() const { return warnings_; }
  // Whether all rewards, divided by the scale, are 0 or 1. Such rewards need no fraction bits.
  [[nodiscard]] bool binary_rewards() const { return binary_rewards_; }

  [[nodiscard]] std::uint32_t arm(std::uint64_t row) const { return arms_[row]; }
  // The reward divided by the scale: in [-1, 1].
  [[nodiscard]] double reward(std::uint64_t row) const { return rewards_[row]; }
  // Call propensity() only if the log has propensities.
  [[nodiscard]] double propensity(std::uint64_t row) const { return propensities_[row]; }
  // The names of the segments from the column of segments, sorted, each name once. Empty if the log has no such column.
  [[nodiscard]] const std::vector<std::string>& segments() const { return segments_; }
  // The number of the row's segment in segments(). Call segment() only if there are segments.
  [[nodiscard]] std::uint32_t segment(std::uint64_t row) const { return segment_of_row_[row]; }
  // "file:line" of a row, for messages.
  [[nodiscard]] std::string where(std::uint64_t row) const;

  // The share of each arm among the first `rows` rows.
  [[nodiscard]] std::vector<double> arm_shares(std::uint64_t rows) const;

  // Puts the rows in the order of the parties' rows, which `is_theirs` recognizes. The order can be the file's, or that
  // of the sorted ids. For a log without ids, the order is read from a file next to the log
  // (apps/kit/files/row_order.h), if there is one. Returns nothing if the log has no order. Returns false if the log is
  // about other cases, or if the parties' order is neither of these two orders.
  [[nodiscard]] std::optional<bool> put_in_order(const std::function<bool(const std::string& digest)>& is_theirs);
  // The message for a log that is about other cases than `theirs`. The message also says what may be wrong with the
  // ids.
  [[nodiscard]] std::string other_cases(std::string_view theirs) const;

 private:
  EventLog() = default;
  void check_arms(const prepare::TextTable& table, bool are_stated);
  void read_ids(const prepare::TextTable& table, std::size_t column);
  void read_segments(const prepare::TextTable& table, std::string_view name);
  void scale_rewards(const prepare::TextTable& table, const LogExpectation& expected);
  void sort_rows();

  std::string file_;
  std::vector<std::uint32_t> arms_;
  std::vector<std::string> arm_names_;  // by arm; empty if the log has no names
  std::vector<double> rewards_;
  std::vector<double> propensities_;  // by row; empty if the log has none
  std::vector<std::string> segments_;
  std::vector<std::uint32_t> segment_of_row_;
  std::vector<std::size_t> lines_;
  std::size_t arm_count_ = 0;
  double reward_scale_ = 1;
  std::uint64_t clipped_rewards_ = 0;
  bool binary_rewards_ = true;
  std::vector<std::string> warnings_;
  std::optional<std::string> order_;         // digest of the order of the rows in the file
  std::optional<std::string> sorted_order_;  // digest of the order of the sorted ids
  std::vector<std::size_t> sorted_rows_;     // the rows in the order of the sorted ids
  std::string id_damage_;                    // possible damage of the ids (doubts.h), or empty
};

// The scale of a log's rewards: the run divides all rewards by the scale, so that they are in [-1, 1].
//
// The scale is the smallest one-digit number that no reward exceeds in size, and at least 1. The scale is public, and
// one digit reveals little. A few rewards that are far larger than all others make the scale so large that the model
// learns almost nothing from the other rewards. A warning names such far larger rewards. The log may also be read in
// such a way that larger rewards are cut to a smaller scale.

// The largest hundredth of the rewards that are not 0, at least one reward, is set aside. These rewards are far out
// if the largest of them is at least `times` as large as every remaining reward.
struct FarOutRewards {
  static constexpr double times = 5;
  static constexpr std::size_t least_rewards = 20;  // smallest number of non-zero rewards that is checked

  std::vector<std::size_t> rows;
  double usual = 0;  // the one-digit scale for the other rewards
};

[[nodiscard]] std::optional<FarOutRewards> far_out_rewards(const std::vector<double>& rewards);

[[nodiscard]] double scale_of(const std::vector<double>& rewards);

}  // namespace sotto::apps::bandit::run
