// The features of an event come from the party's own organisation. They have one of three forms:
//   {"schema":3,"x":[0.4,1]}  or  {"schema":3,"values":{"age":0.4}}  or  {"schema":3,"row":{"plan":"gold","age":41}}
// Each form may have "subject":"an id of the party's own". The subject stays with the party, which counts its events by
// subject. A column that `values` does not name has its default. A `row` is a row of the party's own table, and the
// party's recipe makes the numbers from it.
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
// missing values, categories that the recipe does not know, and clipped numbers. They are counted by column from the
// start of the process, for the party's own figures and metrics. If there are many more than usual, a line goes into
// the log, at most once an hour.

enum class CellMark : std::uint8_t { missing, unknown, clipped };

// A mark says what the recipe met in one column of one row. A column without anything unusual has no mark.
struct MarkedCell {
  std::uint32_t column;
  CellMark mark;
};
using RowMarks = std::vector<MarkedCell>;
// `notes` must be the notes of one row only.
[[nodiscard]] RowMarks marks_of(const prepare::RowNotes& notes);

class RowDrift {
 public:
  static constexpr LiveTime between_lines = 3'600'000;  // ms
  // The number of columns that have a series of their own. All further columns share one series.
  static constexpr std::size_t most_columns_of_metrics = 1000;

  // From now on `say` gets lines for the log, and `metrics` gets the counts. `metrics` must outlive this object.
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

// A party's own columns, in their order. Other roles know only how many there are.
struct FeatureSchema {
  std::uint32_t number = 1;
  std::vector<FeatureColumn> columns;
  double largest_norm = 1;                           // bound on the Euclidean norm of a row
  std::shared_ptr<const prepare::RowMaker> maker{};  // set if there is a recipe: the columns are its features

  // The default row.
  [[nodiscard]] FeatureValues fallback() const;
};

// The columns of a recipe. Each column is within the recipe's norm, and its default is its value in a row without any
// values. Throws InputError if the recipe has no norm.
[[nodiscard]] std::vector<FeatureColumn> columns_of(const prepare::RowMaker& maker);

// The fault of a row, for instance: "column "age": expected a number from 0 to 1". Empty if the row can be used. The
// row must have as many numbers as there are columns. The text contains no number of the row.
[[nodiscard]] std::string fault_of(const FeatureSchema& schema, const FeatureValues& row);

// A push of features. If the recipe made the row, also the marks of the row.
struct ReadFeatures {
  FeaturePush push;
  std::optional<RowMarks> marks{};
};
// Reads the body of PUT /v1/events/{event}/features. Throws JsonError, or ProblemError (422) for another schema and for
// a row that fault_of() refuses.
[[nodiscard]] ReadFeatures read_features(std::string_view text, const EventId& event, const FeatureSchema& schema);
// Reads a line of POST /v1/features:batch, which also has an "event".
[[nodiscard]] ReadFeatures read_features_line(std::string_view text, const FeatureSchema& schema);

// The body of a call for a decision:
//   {"event":"32 hex","subject":"p-81f2","deadline_ms":50,"wait_ms":0,"activate":true,"own_arm":"b","not_arms":["c"]}
// Every field may be missing. If `event` is missing, the service makes an id; the same call again is then another
// event.

// The longest that a call waits for its answer.
inline constexpr std::chrono::milliseconds longest_wait{30'000};
inline constexpr std::uint64_t longest_deadline = 86'400'000;  // ms
inline constexpr std::size_t longest_arm_name = 256;           // bytes

struct DecisionCall {
  DecisionRequest request;
  std::optional<std::chrono::milliseconds> wait;  // not set: the call waits until it is answered
};

// Throws JsonError in each of these cases:
// - the text is not JSON, or a field is of another type or range, or is not known
// - an arm is not one of `arms`, or comes twice, or no arm is left
// - the subject is not printable ASCII without blanks
// An empty `text` means {}.
[[nodiscard]] DecisionCall read_decision(std::string_view text, const std::vector<std::string>& arms);

// A reward as the rewarder's own organisation gives it: {"value":1,"reward_id":"a1"}.

struct RewardTerms {
  RewardAggregation aggregation = RewardAggregation::earliest;
  bool binary = false;  // true: the value is 0 or 1; false: it is from -1 to 1
};

// Reads the body of POST /v1/events/{event}/reward. Throws JsonError. Throws ProblemError (422) for a value outside its
// range, and for a missing reward_id that the aggregation needs.
[[nodiscard]] RewardCall read_reward(std::string_view text, const EventId& event, const RewardTerms& terms);
// Reads a line of POST /v1/rewards:batch, which also has an "event".
[[nodiscard]] RewardCall read_reward_line(std::string_view text, const RewardTerms& terms);

}  // namespace sotto::apps::live
