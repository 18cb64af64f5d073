// The features of an event as a party's own side gives them:
//   {"schema":3,"x":[0.4,1]}  or  {"schema":3,"values":{"age":0.4}}  or  {"schema":3,"row":{"plan":"gold","age":41}}
// In `values` a column that is not named has its default. A `row` is one of the party's own table, of which its recipe
// makes the numbers.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apps/kit/http/problem.h"
#include "apps/live/api/row_drift.h"
#include "apps/live/roles/party.h"
#include "apps/live/settings/feature_column.h"
#include "apps/prepare/tables/row_maker.h"

namespace sotto::apps::live {

// A party's own columns, in their order. Nobody else knows them but their number.
struct FeatureSchema {
  std::uint32_t number = 1;
  std::vector<FeatureColumn> columns;
  double largest_norm = 1;                           // Euclidean, of a row
  std::shared_ptr<const prepare::RowMaker> maker{};  // where the party has a recipe: its features are the columns

  // The default row.
  [[nodiscard]] FeatureValues fallback() const;
};

// The columns of a recipe: each within the recipe's norm, and as a row without any value has it by default. Throws
// InputError where it has no norm.
[[nodiscard]] std::vector<FeatureColumn> columns_of(const prepare::RowMaker& maker);

// What is wrong with a row of as many numbers as columns: "column "age": expected a number from 0 to 1". Empty if it
// can be used. No number of the row is in it.
[[nodiscard]] std::string fault_of(const FeatureSchema& schema, const FeatureValues& row);

// A push, and what the recipe met where it made the row.
struct ReadFeatures {
  FeaturePush push;
  std::optional<RowMarks> marks{};
};
// Of the body of PUT /v1/events/{event}/features. Throws JsonError, or ProblemError (422) for another schema and for
// what fault_of() refuses.
[[nodiscard]] ReadFeatures read_features(std::string_view text, const EventId& event, const FeatureSchema& schema);
// Of a line of POST /v1/features:batch, which has its "event" too.
[[nodiscard]] ReadFeatures read_features_line(std::string_view text, const FeatureSchema& schema);

}  // namespace sotto::apps::live
