// A body with features has one of three forms:
//   {"schema":3,"x":[0.4,1]}  or  {"schema":3,"values":{"age":0.4}}  or  {"schema":3,"row":{"plan":"gold","age":41}}
// Each form may also have "subject":"p-81f2", an id that the party itself chooses. No other role sees the subject. A
// column that is missing from `values` has the default value of the column. A `row` is a row of the party's own table;
// the party's recipe computes the features from `row`.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apps/kit/http/request.h"
#include "apps/kit/metrics/metrics.h"
#include "apps/live/roles/decisions.h"
#include "apps/live/roles/party.h"
#include "apps/live/roles/rewards.h"
#include "apps/live/settings/live_settings.h"
#include "apps/prepare/tables/row_maker.h"

namespace sotto::apps::live {

// Drift: a column of the new rows has many more missing values, unknown categories or clipped numbers than the table
// from which the recipe was made. The role then writes a line into the log, at most once an hour.

enum class CellMark : std::uint8_t { missing, unknown, clipped };

struct MarkedCell {
  std::uint32_t column;
  CellMark mark;
};
using RowMarks = std::vector<MarkedCell>;
[[nodiscard]] RowMarks marks_of(const prepare::RowNotes& notes);

class RowDrift {
 public:
  static constexpr LiveTime between_lines = 3'600'000;  // ms
  static constexpr std::size_t most_columns_of_metrics = 1000;

  // `metrics` must outlive this object.
  void report_to(const prepare::Recipe& recipe, std::function<void(const std::string&)> say, Metrics& metrics);
  void add(const prepare::Recipe& recipe, const RowMarks& row, LiveTime now);

  [[nodiscard]] const prepare::RowNotes& notes() const noexcept { return notes_; }

 private:
  void say_drift(const prepare::Recipe& recipe, LiveTime now);

  prepare::RowNotes notes_;
  prepare::RowNotes since_line_;
  std::optional<LiveTime> last_line_;
  std::function<void(const std::string&)> say_;
  std::vector<Counter*> counters_;
};

// A party's own columns, in order. Other roles know only the number of these columns.
struct FeatureSchema {
  std::uint32_t number = 1;
  std::vector<FeatureColumn> columns;
  double largest_norm = 1;  // bound on the Euclidean norm of a row
  std::shared_ptr<const prepare::RowMaker> maker{};

  [[nodiscard]] FeatureValues fallback() const;
};

// A column's default is the recipe's result for a row without any values. Throws InputError if the recipe has no norm.
[[nodiscard]] std::vector<FeatureColumn> columns_of(const prepare::RowMaker& maker);

// For instance: "column "age": expected a number from 0 to 1". Empty if the row can be used. The row must have as many
// numbers as there are columns. The text contains no number of the row.
[[nodiscard]] std::string fault_of(const FeatureSchema& schema, const FeatureValues& row);

struct ReadFeatures {
  FeaturePush push;
  std::optional<RowMarks> marks{};
};
// Reads the body of PUT /v1/events/{event}/features. Throws JsonError, or ProblemError (422) for a wrong schema and for
// a row that fault_of() refuses.
[[nodiscard]] ReadFeatures read_features(std::string_view text, const EventId& event, const FeatureSchema& schema);
[[nodiscard]] ReadFeatures read_features_line(std::string_view text, const FeatureSchema& schema);

// The body of a call for a decision:
//   {"event":"32 hex","subject":"p-81f2","deadline_ms":50,"wait_ms":0,"activate":true,"own_arm":"b","not_arms":["c"]}
// Every field may be missing. If `event` is missing, the service makes a new id. So if the caller repeats a call
// without `event`, the call is about another event.

inline constexpr std::chrono::milliseconds longest_wait{30'000};
inline constexpr std::uint64_t longest_deadline = 86'400'000;  // ms
inline constexpr std::size_t longest_arm_name = 256;           // bytes

struct DecisionCall {
  DecisionRequest request;
  std::optional<std::chrono::milliseconds> wait;  // not set: the call waits until the decision is made
};

// An empty `text` is read as {}. Throws JsonError in each of these cases:
// - the text is not JSON, or a field is unknown, has the wrong type, or is out of its range
// - an arm is not one of `arms` or is named twice, or "not_arms" leaves no arm
// - the subject is not printable ASCII without blanks
[[nodiscard]] DecisionCall read_decision(std::string_view text, const std::vector<std::string>& arms);

struct RewardTerms {
  RewardAggregation aggregation = RewardAggregation::earliest;
  bool binary = false;  // true: the value is 0 or 1; false: from -1 to 1
};

// Reads the body of POST /v1/events/{event}/reward. Throws JsonError. Throws ProblemError (422) if the value is outside
// its range, or if the aggregation needs a reward_id and the body has none.
[[nodiscard]] RewardCall read_reward(std::string_view text, const EventId& event, const RewardTerms& terms);
[[nodiscard]] RewardCall read_reward_line(std::string_view text, const RewardTerms& terms);

}  // namespace sotto::apps::live
