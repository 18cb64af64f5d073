#include "apps/live/api/feature_body.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "apps/live/api/event_text.h"
#include "apps/live/api/problems.h"
#include "core/text/count.h"
#include "core/text/terminal_safe.h"

namespace sotto::apps::live {
namespace {

// Rows of norm exactly the bound come a rounding error above it.
constexpr double norm_slack = 1 + 1e-9;
constexpr std::size_t longest_name = 256;  // bytes that are shown

FeatureValues named_row(JsonFields& fields, const FeatureSchema& schema) {
  const auto named = fields.need(fields.named_numbers("values", schema.columns.size()), "values");
  FeatureValues row = schema.fallback();
  for (const auto& entry : named) {
    const auto found = std::find_if(schema.columns.begin(), schema.columns.end(),
                                    [&](const FeatureColumn& column) { return column.name == entry.first; });
    if (found == schema.columns.end()) {
      fields.refuse("values", fmt::format("there is no column \"{}\"", terminal_safe(entry.first, longest_name)));
    }
    row[static_cast<std::size_t>(found - schema.columns.begin())] = entry.second;
  }
  return row;
}

FeatureValues made_row(JsonFields& fields, const EventId& event, const FeatureSchema& schema,
                       std::optional<RowMarks>& marks) {
  const nlohmann::json* const row = fields.object("row");
  if (row == nullptr) fields.refuse("values", "it is missing");
  if (schema.maker == nullptr) fields.refuse("row", "this party has no recipe in [features]");
  try {
    prepare::RowNotes notes;
    FeatureValues values = schema.maker->make(*row, notes);
    marks = marks_of(notes);
    return values;
  } catch (const InputError& error) {
    throw ProblemError(feature_out_of_range(event, terminal_safe(error.what())));
  }
}

ReadFeatures read_push(JsonFields& fields, const EventId& event, const FeatureSchema& schema) {
  const auto number = fields.need(fields.whole("schema", 0, std::numeric_limits<std::uint32_t>::max()), "schema");
  // Before the numbers: of another schema there may be another count of them.
  if (number != schema.number) throw ProblemError(other_schema(event, schema.number));
  ReadFeatures read{{event, {}}};
  FeatureValues& values = read.push.values;
  if (auto row = fields.numbers("x", schema.columns.size())) {
    values = *std::move(row);
  } else if (fields.has("values")) {
    values = named_row(fields, schema);
  } else {
    values = made_row(fields, event, schema, read.marks);
  }
  fields.finish();
  if (std::string fault = fault_of(schema, values); !fault.empty()) {
    throw ProblemError(feature_out_of_range(event, std::move(fault)));
  }
  return read;
}

}  // namespace

FeatureValues FeatureSchema::fallback() const {
  FeatureValues row;
  row.reserve(columns.size());
  for (const FeatureColumn& column : columns) row.push_back(column.missing);
  return row;
}

std::vector<FeatureColumn> columns_of(const prepare::RowMaker& maker) {
  const double norm = maker.recipe().norm;
  if (!std::isfinite(norm)) throw InputError("the recipe has no norm: it is not one of `sotto prepare party`");
  std::vector<prepare::TableCell> missing(maker.recipe().columns.size());
  for (prepare::TableCell& cell : missing) cell.is_null = true;
  FeatureValues fallback(maker.width());
  prepare::RowNotes ignored;
  maker.make(missing, fallback, ignored);
  const std::vector<std::string> names = maker.recipe().names();
  std::vector<FeatureColumn> columns;
  columns.reserve(names.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    columns.push_back({names[i], -norm * norm_slack, norm * norm_slack, fallback[i]});
  }
  return columns;
}

std::string fault_of(const FeatureSchema& schema, const FeatureValues& row) {
  if (row.size() != schema.columns.size()) {
    return fmt::format("expected {}, got {}", counted(schema.columns.size(), "number"), row.size());
  }
  double squares = 0;
  for (std::size_t i = 0; i < row.size(); ++i) {
    const FeatureColumn& column = schema.columns[i];
    if (!(row[i] >= column.low && row[i] <= column.high)) {
      return fmt::format("column \"{}\": expected a number from {} to {}", terminal_safe(column.name, longest_name),
                         column.low, column.high);
    }
    squares += row[i] * row[i];
  }
  if (!(std::sqrt(squares) <= schema.largest_norm * norm_slack)) {
    return fmt::format("the norm of the row is above {}", schema.largest_norm);
  }
  return {};
}

ReadFeatures read_features(std::string_view text, const EventId& event, const FeatureSchema& schema) {
  const nlohmann::json body = read_json_body(text);
  JsonFields fields(body);
  return read_push(fields, event, schema);
}

ReadFeatures read_features_line(std::string_view text, const FeatureSchema& schema) {
  const nlohmann::json body = read_json_body(text);
  JsonFields fields(body);
  const EventId event = fields.need(event_of(fields), "event");
  return read_push(fields, event, schema);
}

}  // namespace sotto::apps::live
