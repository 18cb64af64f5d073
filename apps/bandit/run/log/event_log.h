// A log of past decisions and of their rewards: a CSV file (apps/prepare/tables/text_table.h) with one row per event.
//
//     arm          the arm that was played, a whole number from 0
//     arm_name     optional: the name of this arm
//     reward       the arm's reward. Rewards divided by the run's reward scale are in [-1, 1]
//     propensity   optional: the probability with which the arm was played, above 0 and at most 1
//     best_probability, least_probability
//                  optional, both instead of propensity: the probability with which the arm was played if it was the
//                  best arm of the model that played, and if it was not. Only the parties have, in shares, which of
//                  both holds (apps/kit/files/best_bits.h). The first one is at least the second one
//     id           optional: the id of the case. put_in_order() needs the ids. If several rows have the same id, the
//                  ids define no order of the rows
//
// Errors are InputError and name file:line:cell, the column, the kind of the cell and the expected content. Errors
// never show the text of a cell.
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
  // Number of arms. If absent, each arm up to the largest must be played.
  std::optional<std::size_t> arms{};
  std::optional<double> reward_scale{};
  // If set, a reward above the scale is replaced by the scale. If the scale is computed from the log, it then
  // ignores FarOutRewards.
  bool clips_rewards = false;
  std::string segment{};  // name of the column of segments
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
  [[nodiscard]] bool has_best_probabilities() const { return !best_probabilities_.empty(); }
  [[nodiscard]] std::uint64_t clipped_rewards() const { return clipped_rewards_; }
  [[nodiscard]] const std::vector<std::string>& warnings() const { return warnings_; }
  // Returns true if all rewards are 0 or 1, which need no fraction bits.
  [[nodiscard]] bool binary_rewards() const { return binary_rewards_; }

  [[nodiscard]] std::uint32_t arm(std::uint64_t row) const { return arms_[row]; }
  // Returns the reward divided by the scale, in [-1, 1].
  [[nodiscard]] double reward(std::uint64_t row) const { return rewards_[row]; }
  [[nodiscard]] double propensity(std::uint64_t row) const { return propensities_[row]; }
  [[nodiscard]] double best_probability(std::uint64_t row) const { return best_probabilities_[row]; }
  [[nodiscard]] double least_probability(std::uint64_t row) const { return least_probabilities_[row]; }
  [[nodiscard]] const std::vector<std::string>& segments() const { return segments_; }
  [[nodiscard]] std::uint32_t segment(std::uint64_t row) const { return segment_of_row_[row]; }
  [[nodiscard]] std::string where(std::uint64_t row) const;

  [[nodiscard]] std::vector<double> arm_shares(std::uint64_t rows) const;

  // Brings the rows into the order of the parties' rows. This function first tries the order of the file, and then the
  // order of the sorted ids. `is_theirs` returns true for the digest of the parties' order. Returns false if neither
  // order is theirs. Returns nothing if the log has no ids and no file with their order (apps/kit/files/row_order.h).
  [[nodiscard]] std::optional<bool> put_in_order(const std::function<bool(const std::string& digest)>& is_theirs);
  [[nodiscard]] std::string other_cases(std::string_view theirs) const;

 private:
  EventLog() = default;
  void check_arms(const prepare::TextTable& table, bool are_stated);
  void read_probabilities(const prepare::TextTable& table);
  void read_ids(const prepare::TextTable& table, std::size_t column);
  void read_segments(const prepare::TextTable& table, std::string_view name);
  void scale_rewards(const prepare::TextTable& table, const LogExpectation& expected);
  void sort_rows();

  std::string file_;
  std::vector<std::uint32_t> arms_;
  std::vector<std::string> arm_names_;  // by arm; empty if the log has no names
  std::vector<double> rewards_;
  std::vector<double> propensities_;         // may be empty
  std::vector<double> best_probabilities_;   // may be empty
  std::vector<double> least_probabilities_;  // may be empty
  std::vector<std::string> segments_;
  std::vector<std::uint32_t> segment_of_row_;
  std::vector<std::size_t> lines_;
  std::size_t arm_count_ = 0;
  double reward_scale_ = 1;
  std::uint64_t clipped_rewards_ = 0;
  bool binary_rewards_ = true;
  std::vector<std::string> warnings_;
  std::optional<std::string> order_;
  std::optional<std::string> sorted_order_;
  std::vector<std::size_t> sorted_rows_;  // sorted by id
  std::string id_damage_;                 // damage to the ids (doubts.h)
};

// Rewards that are far larger than the others. The check sets aside the largest hundredth of the rewards that are not
// 0, but at least one reward. These rewards are far out if the largest of them is at least `times` as large as every
// remaining reward.
struct FarOutRewards {
  static constexpr double times = 5;
  static constexpr std::size_t least_rewards = 20;  // a log with fewer rewards is not checked

  std::vector<std::size_t> rows;
  double usual = 0;  // the result of scale_of() for the other rewards
};

[[nodiscard]] std::optional<FarOutRewards> far_out_rewards(const std::vector<double>& rewards);

// Returns the smallest one-digit number, at least 1, that no reward exceeds in absolute value. The scale is public, and
// one digit reveals little. A few far larger rewards make the scale so large that the model learns almost nothing from
// the other rewards.
[[nodiscard]] double scale_of(const std::vector<double>& rewards);

}  // namespace sotto::apps::bandit::run
