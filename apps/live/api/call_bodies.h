// The features of an event as a party's own organisation gives them:
//   {"schema":3,"x":[0.4,1]}  or  {"schema":3,"values":{"age":0.4}}  or  {"schema":3,"row":{"plan":"gold","age":41}}
// and with any of them "subject":"an id of the party's own". The subject stays with the party, which counts its events
// by it. In `values` a column that is not named has its default. A `row` is a row of the party's own table, and the
// party's recipe makes the numbers of it.
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

// How the rows that a party's recipe makes differ from the table that the recipe was learned from. The differences are
// missing values, categories that the recipe does not know, and clipped numbers. They are counted by column since the
// process began, for the party's own figures and metrics. If there are many more than usual, the log has a line, at
// most once an hour.

enum class CellMark : std::uint8_t { missing, unknown, clipped };

// A mark of one row: what the recipe met in a column. Other columns have no mark.
struct MarkedCell {
  std::uint32_t column;
  CellMark mark;
};
using RowMarks = std::vector<MarkedCell>;
// `notes` are only of that row.
[[nodiscard]] RowMarks marks_of(const prepare::RowNotes& notes);

class RowDrift {
 public:
  static constexpr LiveTime between_lines = 3'600'000;  // ms
  // Columns with a series of their own; all further columns share one.
  static constexpr std::size_t most_columns_of_metrics = 1000;

  // From now on `say` gets lines for the log, and `metrics`, which must outlive this, gets the counts.
  void report_to(const prepare::Recipe& recipe, std::function<void(const std::string&)> say, Metrics& metrics);
  // Adds a row that the service has stored, or a row of a table that was looked up. A looked-up row counts again if its
  // number is proposed again.
  void add(const prepare::Recipe& recipe, const RowMarks& row, LiveTime now);

  [[nodiscard]] const prepare::RowNotes& notes() const noexcept { return notes_; }

 private:
  void say_drift(const prepare::Recipe& recipe, LiveTime now);

  prepare::RowNotes notes_;
  prepare::RowNotes since_line_;
  std::optional<LiveTime> last_line_;
  std::function<void(const std::string&)> say_;
  std::vector<Counter*> counters_;  // by column; null if the column has no features
};

// A party's own columns, in their order. Others know only their number.
struct FeatureSchema {
  std::uint32_t number = 1;
  std::vector<FeatureColumn> columns;
  double largest_norm = 1;                           // Euclidean, of a row
  std::shared_ptr<const prepare::RowMaker> maker{};  // if the party has a recipe: the columns are its features

  // The default row.
  [[nodiscard]] FeatureValues fallback() const;
};

// The columns of a recipe. Each column is within the recipe's norm, and its default is its value in a row without any
// values. Throws InputError if the recipe has no norm.
[[nodiscard]] std::vector<FeatureColumn> columns_of(const prepare::RowMaker& maker);

// The fault of a row that has as many numbers as columns: "column "age": expected a number from 0 to 1". Empty if the
// row can be used. The text has no number of the row in it.
[[nodiscard]] std::string fault_of(const FeatureSchema& schema, const FeatureValues& row);

// A push, and what the recipe met if it made the row.
struct ReadFeatures {
  FeaturePush push;
  std::optional<RowMarks> marks{};
};
// From the body of PUT /v1/events/{event}/features. Throws JsonError, or ProblemError (422) for another schema and for
// a row that fault_of() refuses.
[[nodiscard]] ReadFeatures read_features(std::string_view text, const EventId& event, const FeatureSchema& schema);
// From a line of POST /v1/features:batch, which has its "event" too.
[[nodiscard]] ReadFeatures read_features_line(std::string_view text, const FeatureSchema& schema);

// The body of a call for a decision:
//   {"event":"32 hex","subject":"p-81f2","deadline_ms":50,"wait_ms":0,"activate":true,"own_arm":"b","not_arms":["c"]}
// All fields may be missing. Without `event` the service makes an id, so the same call again is another event.

// The longest that a call waits for its answer.
inline constexpr std::chrono::milliseconds longest_wait{30'000};
inline constexpr std::uint64_t longest_deadline = 86'400'000;  // ms
inline constexpr std::size_t longest_arm_name = 256;           // bytes

struct DecisionCall {
  DecisionRequest request;
  std::optional<std::chrono::milliseconds> wait;  // nothing: until it is answered
};

// Throws JsonError in each of these cases:
// - the text is not JSON, or a field is of another type or range, or is not known
// - an arm is not one of `arms`, or comes twice, or no arm is left
// - the subject is not printable ASCII without blanks
// `text` may be empty in place of {}.
[[nodiscard]] DecisionCall read_decision(std::string_view text, const std::vector<std::string>& arms);

// A reward as the rewarder's own organisation gives it: {"value":1,"reward_id":"a1"}.

struct RewardTerms {
  RewardAggregation aggregation = RewardAggregation::earliest;
  bool binary = false;  // 0 or 1; else from -1 to 1
};

// From the body of POST /v1/events/{event}/reward. Throws JsonError, or ProblemError (422) for a value outside its
// range and for a missing reward_id that the aggregation needs.
[[nodiscard]] RewardCall read_reward(std::string_view text, const EventId& event, const RewardTerms& terms);
// From a line of POST /v1/rewards:batch, which has its "event" too.
[[nodiscard]] RewardCall read_reward_line(std::string_view text, const RewardTerms& terms);

}  // namespace sotto::apps::live
