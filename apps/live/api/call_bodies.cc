#include "apps/live/api/call_bodies.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "apps/kit/account/subjects.h"
#include "apps/live/api/event_text.h"
#include "apps/live/api/problems.h"
#include "apps/prepare/tables/doubts.h"
#include "core/text/count.h"
#include "core/text/terminal_safe.h"

namespace sotto::apps::live {
namespace {

// If the norm of a row is exactly the bound, the computed norm may be above the bound by a rounding error.
constexpr double norm_slack = 1 + 1e-9;
constexpr std::size_t longest_name = 256;

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
  // The number of the schema is checked first, because rows of another schema may have another length.
  if (number != schema.number) throw ProblemError(other_schema(event, schema.number));
  ReadFeatures read{{event, {}}};
  read.push.subject = fields.text("subject", apps::longest_subject).value_or("");
  if (!read.push.subject.empty() && !apps::is_subject(read.push.subject)) {
    fields.refuse("subject", "expected a text without line breaks");
  }
  if (!names_subject(read.push.subject)) read.push.subject.clear();
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

std::uint16_t arm_of(const JsonFields& fields, const char* field, const std::string& name,
                     const std::vector<std::string>& arms) {
  const auto found = std::find(arms.begin(), arms.end(), name);
  if (found == arms.end()) fields.refuse(field, "it names no arm of the service");
  return static_cast<std::uint16_t>(found - arms.begin());
}

std::vector<std::uint16_t> read_barred(JsonFields& fields, const std::vector<std::string>& arms) {
  std::vector<std::uint16_t> barred;
  const auto names = fields.texts("not_arms", arms.size(), longest_arm_name);
  if (!names) return barred;
  barred.reserve(names->size());
  for (const std::string& name : *names) barred.push_back(arm_of(fields, "not_arms", name, arms));
  std::sort(barred.begin(), barred.end());
  if (std::adjacent_find(barred.begin(), barred.end()) != barred.end()) {
    fields.refuse("not_arms", "an arm comes twice");
  }
  if (barred.size() == arms.size()) fields.refuse("not_arms", "no arm is left");
  return barred;
}

bool is_pseudonym(const std::string& text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c <= '~'; });
}

RewardCall read_call(JsonFields& fields, const EventId& event, const RewardTerms& terms) {
  constexpr double largest = std::numeric_limits<double>::max();
  const double value = fields.need(fields.number("value", -largest, largest), "value");
  RewardCall call{event, value, fields.text("reward_id", longest_reward_id).value_or("")};
  fields.finish();
  const bool is_within = terms.binary ? value == 0 || value == 1 : value >= -1 && value <= 1;
  if (!is_within) throw ProblemError(reward_out_of_range(event, terms.binary));
  if (call.id.empty() && terms.aggregation != RewardAggregation::earliest) throw ProblemError(reward_id_missing(event));
  return call;
}

Counter& drift_counter(Metrics& metrics, const prepare::ColumnRecipe& column, bool has_own_series) {
  const Labels labels{{"column", has_own_series ? terminal_safe(column.name) : "(others)"}};
  return column.use == prepare::ColumnUse::number
             ? metrics.counter("sotto_clipped_numbers_total",
                               "Numbers of this party's rows beyond the recipe's clip, by column.", labels)
             : metrics.counter("sotto_unknown_categories_total",
                               "Values of this party's rows of no category that the recipe knows, by column.", labels);
}

void count_marks(const RowMarks& row, std::size_t columns, prepare::RowNotes& notes) {
  notes.columns.resize(columns);
  ++notes.rows;
  for (const MarkedCell& cell : row) {
    prepare::ColumnNotes& column = notes.columns.at(cell.column);
    ++(cell.mark == CellMark::missing   ? column.missing
       : cell.mark == CellMark::unknown ? column.unknown
                                        : column.clipped);
  }
}

bool is_beyond_recipe(const MarkedCell& cell) { return cell.mark != CellMark::missing; }

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

DecisionCall read_decision(std::string_view text, const std::vector<std::string>& arms) {
  const nlohmann::json body = text.empty() ? nlohmann::json::object() : read_json_body(text);
  JsonFields fields(body);
  DecisionCall call;
  DecisionRequest& request = call.request;
  const std::optional<EventId> event = event_of(fields);
  request.subject = fields.text("subject", longest_subject).value_or("");
  if (!is_pseudonym(request.subject)) fields.refuse("subject", "expected printable ASCII without blanks");
  request.deadline = fields.whole("deadline_ms", 1, longest_deadline).value_or(0);
  if (const auto wait = fields.whole("wait_ms", 0, static_cast<std::uint64_t>(longest_wait.count()))) {
    call.wait = std::chrono::milliseconds(*wait);
  }
  request.activate = fields.flag("activate").value_or(true);
  request.barred = read_barred(fields, arms);
  if (const auto name = fields.text("own_arm", longest_arm_name)) {
    request.own_arm = arm_of(fields, "own_arm", *name, arms);
    if (std::binary_search(request.barred.begin(), request.barred.end(), *request.own_arm)) {
      fields.refuse("own_arm", "it is one of not_arms");
    }
  }
  fields.finish();
  request.event = event ? *event : fresh_event();
  return call;
}

RewardCall read_reward(std::string_view text, const EventId& event, const RewardTerms& terms) {
  const nlohmann::json body = read_json_body(text);
  JsonFields fields(body);
  return read_call(fields, event, terms);
}

RewardCall read_reward_line(std::string_view text, const RewardTerms& terms) {
  const nlohmann::json body = read_json_body(text);
  JsonFields fields(body);
  const EventId event = fields.need(event_of(fields), "event");
  return read_call(fields, event, terms);
}

RowMarks marks_of(const prepare::RowNotes& notes) {
  RowMarks marks;
  for (std::size_t c = 0; c < notes.columns.size(); ++c) {
    const auto column = static_cast<std::uint32_t>(c);
    if (notes.columns[c].missing > 0) marks.push_back({column, CellMark::missing});
    if (notes.columns[c].unknown > 0) marks.push_back({column, CellMark::unknown});
    if (notes.columns[c].clipped > 0) marks.push_back({column, CellMark::clipped});
  }
  return marks;
}

void RowDrift::report_to(const prepare::Recipe& recipe, std::function<void(const std::string&)> say, Metrics& metrics) {
  say_ = std::move(say);
  counters_.assign(recipe.columns.size(), nullptr);
  std::size_t own_series = 0;
  for (std::size_t c = 0; c < recipe.columns.size(); ++c) {
    if (!recipe.columns[c].has_features()) continue;
    counters_[c] = &drift_counter(metrics, recipe.columns[c], own_series < most_columns_of_metrics);
    ++own_series;
  }
}

void RowDrift::add(const prepare::Recipe& recipe, const RowMarks& row, LiveTime now) {
  count_marks(row, recipe.columns.size(), notes_);
  count_marks(row, recipe.columns.size(), since_line_);
  for (const MarkedCell& cell : row) {
    if (is_beyond_recipe(cell) && cell.column < counters_.size()) counters_[cell.column]->add();
  }
  const bool is_due = !last_line_ || now >= *last_line_ + between_lines;
  if (is_due && std::any_of(row.begin(), row.end(), is_beyond_recipe)) say_drift(recipe, now);
}

void RowDrift::say_drift(const prepare::Recipe& recipe, LiveTime now) {
  const std::vector<std::string> texts = drift_texts(recipe, since_line_);
  if (texts.empty() || !say_) return;
  std::string line = "features: " + terminal_safe(texts.front());
  if (texts.size() > 1) line += fmt::format("; and {} more, in GET /v1/figures", counted(texts.size() - 1, "column"));
  say_(line);
  last_line_ = now;
  since_line_ = {};
}

}  // namespace sotto::apps::live
