#include "apps/live/api/reward_body.h"

#include <limits>

#include "apps/live/api/event_text.h"
#include "apps/live/api/problems.h"

namespace sotto::apps::live {
namespace {

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

}  // namespace

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

}  // namespace sotto::apps::live
