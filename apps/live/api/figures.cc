#include "apps/live/api/figures.h"

#include "apps/kit/files/json.h"
#include "apps/prepare/tables/drift.h"
#include "core/text/terminal_safe.h"

namespace sotto::apps::live {
namespace {

using Figures = nlohmann::ordered_json;

void add_prepared(Figures& json, const PreparedCounters& prepared) {
  json["prepared"] = Figures{{"programs", prepared.programs},
                             {"ahead", prepared.ahead},
                             {"waited", prepared.waited},
                             {"seconds_waited", prepared.seconds_waited}};
}

void add_actor(Figures& json, const LiveCounters& counters, const DecisionTerms& terms) {
  json["decided"] = counters.decided;
  json["baselines"] = counters.baselines;
  json["rejected"] = counters.rejected;
  json["padding"] = counters.padding;
  json["repeated"] = counters.repeated;
  json["arms"] = Figures::array();
  for (std::size_t i = 0; i < terms.arms.size(); ++i) {
    const std::uint64_t told_times = i < counters.arms.size() ? counters.arms[i] : 0;
    json["arms"].push_back(Figures{{"arm", terms.arms[i]}, {"told", told_times}});
  }
}

void add_party(Figures& json, const LiveCounters& counters, const ApiContext& context) {
  json["features"] = counters.features;
  json["missing"] = counters.missing_features;
  json["late"] = counters.late_features;
  json["dropped"] = counters.dropped_features;
  json["columns"] = Figures::array();
  const ColumnRanges& ranges = counters.ranges;
  for (std::size_t i = 0; i < context.features.columns.size(); ++i) {
    const FeatureColumn& column = context.features.columns[i];
    Figures each{{"name", terminal_safe(column.name)}, {"low", column.low}, {"high", column.high}};
    each["least"] = i < ranges.size() ? Figures(ranges[i].least) : Figures(nullptr);
    each["largest"] = i < ranges.size() ? Figures(ranges[i].largest) : Figures(nullptr);
    json["columns"].push_back(std::move(each));
  }
}

// By column of the table, which has one feature or many. Without a recipe there are none.
void add_drift(Figures& json, const ApiContext& context) {
  const prepare::RowNotes& notes = context.drift.notes();
  json["made_rows"] = notes.rows;
  json["drift"] = Figures::array();
  if (context.features.maker == nullptr) return;
  const prepare::Recipe& recipe = context.features.maker->recipe();
  for (std::size_t c = 0; c < recipe.columns.size(); ++c) {
    if (!recipe.columns[c].has_features()) continue;
    const prepare::ColumnNotes met = c < notes.columns.size() ? notes.columns[c] : prepare::ColumnNotes{};
    json["drift"].push_back(Figures{{"column", terminal_safe(recipe.columns[c].name)},
                                    {"missing", met.missing},
                                    {"unknown", met.unknown},
                                    {"clipped", met.clipped},
                                    {"drifted", has_drifted(recipe.columns[c], met, notes.rows)}});
  }
}

void add_rewarder(Figures& json, const LiveCounters& counters) {
  json["rewards"] = Figures::object();
  for (const RewardStatus status : all_reward_statuses) {
    json["rewards"][name_of(status)] = counters.rewards.at(static_cast<std::size_t>(status));
  }
  json["clipped"] = counters.clipped;
  json["learned"] = counters.rewards_learned;
  json["reward_sum"] = counters.reward_sum;
}

}  // namespace

const char* name_of(RewardStatus status) {
  switch (status) {
    case RewardStatus::used:
      return "used";
    case RewardStatus::duplicate:
      return "duplicate";
    case RewardStatus::late:
      return "late";
    case RewardStatus::conflict:
      return "conflict";
    case RewardStatus::unknown:
      return "unknown";
    case RewardStatus::not_learned:
      return "not_learned";
    case RewardStatus::invalid:
      break;
  }
  return "invalid";
}

Figures figures_json(LiveRoleKind kind, const LiveCounters& counters, const ApiContext& context) {
  Figures json;
  json["since_ms"] = counters.since;
  json["process_since_ms"] = counters.process_since;
  json["decides"] = counters.decides;
  json["learns"] = counters.learns;
  json["store_bytes"] = counters.store_bytes;
  json["programs_skipped"] = counters.programs_skipped;
  if (counters.prepared) add_prepared(json, *counters.prepared);
  switch (kind) {
    case LiveRoleKind::actor:
      add_actor(json, counters, context.terms);
      break;
    case LiveRoleKind::party:
      add_party(json, counters, context);
      add_drift(json, context);
      break;
    case LiveRoleKind::rewarder:
      add_rewarder(json, counters);
      break;
    case LiveRoleKind::helper:  // what is prepared is above
      break;
    case LiveRoleKind::dealer:
      json["programs_dealt"] = counters.programs_dealt;
      json["programs_ahead"] = counters.programs_ahead;
      json["dealt_bytes"] = counters.dealt_bytes;
      break;
  }
  return json;
}

}  // namespace sotto::apps::live
