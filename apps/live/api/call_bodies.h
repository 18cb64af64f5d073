// The features of an event come from the party's own organisation. A body with features has one of three forms:
//   {"schema":3,"x":[0.4,1]}  or  {"schema":3,"values":{"age":0.4}}  or  {"schema":3,"row":{"plan":"gold","age":41}}
// Each form may have "subject":"an id of the party's own". No other role sees the subject. The party counts its events
// by subject. A column that is missing from `values` has the default value of the column. A `row` is a row of the
// party's own table; the party's recipe computes the features from `row`.
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

// Drift: new rows differ from the table that a party's recipe was learned from. Drift shows as missing values,
// categories that the recipe does not know, and clipped numbers. Such values are counted by column from the start of
// the process, for the party's own figures and metrics. If a column has many more such values than usual, a line goes
// into the log, at most once an hour.

enum class CellMark : std::uint8_t { missing, unknown, clipped };

// A mark says what was unusual about the value in one column of one row. A column with a usual value has no mark.
struct MarkedCell {
  std::uint32_t column;
  CellMark mark;
};
using RowMarks = std::vector<MarkedCell>;
// `notes` must be about one row only.
[[nodiscard]] RowMarks marks_of(const prepare::RowNotes& notes);

class RowDrift {
 public:
  static constexpr LiveTime between_lines = 3'600'000;  // ms
  // The number of columns that have a metric series of their own. All further columns share one metric series.
  static constexpr std::size_t most_columns_of_metrics = 1000;

  // After this call `say` gets the lines for the log, and `metrics` gets the counts. `metrics` must outlive this
  // object.
  void report_to(const prepare::Recipe& recipe, std::function<void(const std::string&)> say, Metrics& metrics);
  // Counts a row that the service has stored, or a row that was looked up in a table. If a row was looked up for a
  // decide, and the number of that decide is proposed again, the row is counted again.
  void add(const prepare::Recipe& recipe, const RowMarks& row, LiveTime now);

  [[nodiscard]] const prepare::RowNotes& notes() const noexcept { return notes_; }

 private:
  void say_drift(const prepare::Recipe& recipe, LiveTime now);

  prepare::RowNotes notes_;
  prepare::RowNotes since_line_;
  std::optional<LiveTime> last_line_;
  std::function<void(const std::string&)> say_;
  std::vector<Counter*> counters_;  // one counter for each column; null if the column has no features
};

// A party's own columns, in order. Other roles know only the number of these columns.
struct FeatureSchema {
  std::uint32_t number = 1;
  std::vector<FeatureColumn> columns;
  double largest_norm = 1;                           // bound on the Euclidean norm of a row
  std::shared_ptr<const prepare::RowMaker> maker{};  // set if there is a recipe: the columns are the recipe's features

  // The default row.
  [[nodiscard]] FeatureValues fallback() const;
};

// The columns of a recipe. Each column's range is within the recipe's norm. A column's default is the recipe's result
// for a row without any values. Throws InputError if the recipe has no norm.
[[nodiscard]] std::vector<FeatureColumn> columns_of(const prepare::RowMaker& maker);

// The fault of a row, for instance: "column "age": expected a number from 0 to 1". Empty if the row can be used. The
// row must have as many numbers as there are columns. The text about the fault contains no number of the row.
[[nodiscard]] std::string fault_of(const FeatureSchema& schema, const FeatureValues& row);

// Features that a client sent. If the recipe made the row, the marks of the row are set too.
struct ReadFeatures {
  FeaturePush push;
  std::optional<RowMarks> marks{};
};
// Reads the body of PUT /v1/events/{event}/features. Throws JsonError, or ProblemError (422) for a wrong schema and for
// a row that fault_of() refuses.
[[nodiscard]] ReadFeatures read_features(std::string_view text, const EventId& event, const FeatureSchema& schema);
// Reads a line of POST /v1/features:batch, which also has an "event".
[[nodiscard]] ReadFeatures read_features_line(std::string_view text, const FeatureSchema& schema);

// The body of a call for a decision:
//   {"event":"32 hex","subject":"p-81f2","deadline_ms":50,"wait_ms":0,"activate":true,"own_arm":"b","not_arms":["c"]}
// Every field may be missing. If `event` is missing, the service makes an id. If such a call is repeated, it asks about
// another event.

// The longest that a call waits for its answer.
inline constexpr std::chrono::milliseconds longest_wait{30'000};
inline constexpr std::uint64_t longest_deadline = 86'400'000;  // ms
inline constexpr std::size_t longest_arm_name = 256;           // bytes

struct DecisionCall {
  DecisionRequest request;
  std::optional<std::chrono::milliseconds> wait;  // not set: the call waits until the decision is made
};

// Reads the body of a call for a decision. Throws JsonError in each of these cases:
// - the text is not JSON, or a field is unknown, has the wrong type, or is out of its range
// - an arm is not one of `arms` or is named twice, or "not_arms" leaves no arm
// - the subject is not printable ASCII without blanks
// An empty `text` is read as {}.
[[nodiscard]] DecisionCall read_decision(std::string_view text, const std::vector<std::string>& arms);

// A reward as the rewarder's own organisation gives it: {"value":1,"reward_id":"a1"}.

struct RewardTerms {
  RewardAggregation aggregation = RewardAggregation::earliest;
  bool binary = false;  // true: the value is 0 or 1; false: from -1 to 1
};

// Reads the body of POST /v1/events/{event}/reward. Throws JsonError. Throws ProblemError (422) if the value is outside
// its range, or if the aggregation needs a reward_id and the body has none.
[[nodiscard]] RewardCall read_reward(std::string_view text, const EventId& event, const RewardTerms& terms);
// Reads a line of POST /v1/rewards:batch, which also has an "event".
[[nodiscard]] RewardCall read_reward_line(std::string_view text, const RewardTerms& terms);

}  // namespace sotto::apps::live
