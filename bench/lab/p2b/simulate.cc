#include "bench/lab/p2b/simulate.h"

#include <fmt/format.h>

#include "apps/kit/files/json.h"
#include "apps/p2b/privacy.h"
#include "core/text/count.h"

namespace sotto::apps::lab {

using namespace sotto::apps::p2b;
namespace {

using nlohmann::ordered_json;

ordered_json settings_json(const SimulateResult& result) {
  const SimulateSettings& s = result.settings;
  ordered_json json{{"early_share", s.early},
                    {"p", s.p},
                    {"threshold", s.threshold},
                    {"alpha", s.alpha},
                    {"decimals", s.decimals},
                    {"states", result.states},
                    {"encoder", encoder_kind_name(s.encoder)},
                    {"encoder_seed", s.encoder_seed}};
  if (!s.centroids.empty()) json["centroids"] = s.centroids.string();
  json["repeats"] = s.repeats;
  json["seed"] = s.seed;
  return json;
}

ordered_json curves_json(const SimulateResult& result) {
  ordered_json curves = ordered_json::array();
  for (const SimulateCurve& curve : result.curves) {
    ordered_json json{{"against", curve.key}, {"x", curve.x}, {"points", ordered_json::array()}};
    if (curve.along_steps) {  // its point is among the others; here is what they have no room for
      for (const ChartSeries& series : simulate_chart(curve).series) {
        for (const ChartPoint& point : series.points) {
          json["rewards"][series.name].push_back({{"mean", point.y}, {"band95", point.sd.value_or(0)}});
        }
      }
      curves.push_back(std::move(json));
      continue;
    }
    for (const SimulatePoint& point : curve.points) json["points"].push_back(to_json(point));
    curves.push_back(std::move(json));
  }
  return curves;
}

void add_headline(ordered_json& json, const SimulateResult& result) {
  const SimulatePoint& headline = result.headline();
  json["users"] = headline.settings.users;
  json["early_users"] = headline.repeats.front().early;
  json["late_users"] = headline.repeats.front().late;
  json["tuple_choice"] = tuple_choice_name(headline.settings.choice);
  json["reward_cold"] = banded(headline.cold()).mean;
  json["reward_warm_nonprivate"] = banded(headline.warm()).mean;
  // The last variant: of the paper's experiment, the one with the most codes, as centroids.
  const std::size_t v = headline.settings.variants.size() - 1;
  const VariantOutcome mean = headline.mean_outcome(v);
  json["reward_p2b"] = mean.late.reward;
  json["context"] = context_kind_name(headline.settings.variants[v].context);
  json["codes"] = headline.settings.variants[v].codes;
  json["tuples_received"] = mean.received;
  json["tuples_kept"] = mean.kept;
  json["tuples_dropped"] = mean.dropped;
  json["codes_dropped"] = mean.codes_dropped;
  // Of real users.
  json["not_to_publish"] = {"tuples_received", "tuples_dropped", "codes_dropped"};
}

// Of a column 18 wide.
std::string short_name(const VariantKey& variant) {
  return fmt::format("P2B {} {}", context_kind_name(variant.context), variant.codes);
}

std::string reward_text(const std::vector<double>& values) {
  const Banded figure = banded(values);
  return fmt::format("{:.4f}", figure.mean);
}

std::string band_text(const std::vector<double>& values) {
  if (values.size() < 2) return {};
  return fmt::format("+- {:.4f} over {} repeats", banded(values).band, values.size());
}

}  // namespace

ordered_json to_json(const SimulateResult& result) {
  ordered_json json;
  json["experiment"] = "p2b simulate " + result.experiment;
  json["status"] = "complete";
  add_headline(json, result);
  json["epsilon"] = result.epsilon;
  json["delta"] = result.delta;
  json["seconds"] = result.seconds;
  json["seconds_encoders"] = result.seconds_encoders;
  if (!result.checks.empty()) {
    json["verdict"] = verdict(result.checks);
    json["all_passed"] = all_passed(result.checks);
  }
  json["stamps"] = result.stamps;
  json["insecure"] = ordered_json::array();  // of the flat fields, as tuple_choice
  if (result.headline().settings.choice == TupleChoice::published) {
    json["insecure"].push_back("tuple-choice-published");
  }
  json["settings"] = settings_json(result);
  json["data"] = ordered_json::object();
  for (const auto& [fact, value] : result.facts) json["data"][fact] = value;
  json["tables"] = ordered_json::object();
  for (const FigureTable& table : simulate_tables(result)) {
    json["tables"][table.key()] = table.to_json();
  }
  json["points"] = ordered_json::array();
  for (const SimulatePoint& point : result.points) json["points"].push_back(to_json(point));
  json["curves"] = curves_json(result);
  json["provenance"] = to_json(result.provenance);
  return json;
}

std::string summary_text(const SimulateResult& result, const TextOptions& options) {
  SummaryLines lines(options.colour);
  if (result.points.size() == 1) {
    const SimulatePoint& point = result.headline();
    const PointSettings& s = point.settings;
    lines.title(fmt::format("{}: {}, {}, {}, {} each", result.title, human_count(s.users, "user"),
                            counted(s.dimension, "feature"), counted(s.arms, "arm"), counted(s.steps, "step")));
    lines.row("cold", reward_text(point.cold()), band_text(point.cold()));
    for (std::size_t v = 0; v < s.variants.size(); ++v) {
      lines.row(short_name(s.variants[v]), reward_text(point.variant(v)), band_text(point.variant(v)));
    }
    lines.row("warm, nonprivate", reward_text(point.warm()), band_text(point.warm()));
    if (!point.best().empty()) lines.row("best arm", reward_text(point.best()));
    for (std::size_t v = 0; v < s.variants.size(); ++v) {
      lines.row(short_name(s.variants[v]), "in the same worlds:");
      for (const auto& [over, values] :
           {std::pair("  over cold", point.cold()), std::pair("  over warm", point.warm())}) {
        const Paired difference = paired(point.variant(v), values);
        lines.row(over, difference_text(difference),
                  error_text(difference) + (difference.repeats < 2 ? "" : ", standard error"));
      }
    }
    for (std::size_t v = 0; v < s.variants.size(); ++v) {
      const VariantOutcome mean = point.mean_outcome(v);
      lines.row("tuples",
                fmt::format("{} of {}", human_count(static_cast<double>(mean.kept)),
                            human_count(static_cast<double>(mean.received))),
                fmt::format("kept, {} dropped; {}", counted(mean.codes_dropped, "code"), short_name(s.variants[v])));
    }
  }
  lines.row("epsilon", fmt::format("{:.4g}", result.epsilon),
            fmt::format("delta {}; of the codes that are released, p = {:g}, l = {}", delta_text(result.delta, 2),
                        result.settings.p, result.settings.threshold));
  lines.row("time", human_seconds(result.seconds),
            fmt::format("{} of it for encoders", human_seconds(result.seconds_encoders)));
  std::string text = lines.text();
  if (result.points.size() > 1) {
    std::string tables;
    for (const FigureTable& table : simulate_tables(result)) tables += table.to_text() + "\n";
    text = tables + text;
  }
  for (const std::string& stamp : result.stamps) text += "  " + stamp + "\n";
  if (!result.checks.empty()) text += verdict(result.checks) + ".\n";
  return text;
}

}  // namespace sotto::apps::lab
