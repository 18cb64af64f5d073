#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "sotto/bench/lab/columns.h"
#include "sotto/bench/lab/p2b/simulate.h"

namespace sotto::apps {
namespace {

std::string with_band(const std::vector<double>& values) {
  if (values.empty()) return "-";
  const Banded figure = banded(values);
  if (values.size() < 2) return fmt::format("{:.4f}", figure.mean);
  return fmt::format("{:.4f} +- {:.4f}", figure.mean, figure.band);
}

FigureTable rewards_table(const SimulateResult& result) {
  FigureTable table(
      "rewards", "Reward of an interaction of late users",
      columns("early_users: early users; dimension: d; arms; steps; choice: tuple choice; agent; reward"));
  for (const SimulatePoint& point : result.points) {
    const PointSettings& s = point.settings;
    const auto add = [&](const std::string& agent, const std::vector<double>& values) {
      if (values.empty()) return;
      table.add({point.repeats.front().early, s.dimension, s.arms, s.steps, tuple_choice_name(s.choice), agent,
                 with_band(values)});
    };
    add("cold", point.cold());
    for (std::size_t v = 0; v < s.variants.size(); ++v) {
      add(s.variants[v].name(), point.variant(v));
    }
    add("warm, not private", point.warm());
    add("best arm", point.best());
    add("uniform play", point.uniform());
  }
  if (result.headline().repeats.size() > 1) {
    table.note("Mean and half its 95% band over the repeats (Student's t).");
  }
  return table;
}

FigureTable differences(const SimulateResult& result) {
  FigureTable table(
      "differences", "Differences between systems",
      columns("early_users: early users; choice: tuple choice; agent; over; difference; error: standard error"));
  for (const SimulatePoint& point : result.points) {
    for (std::size_t v = 0; v < point.settings.variants.size(); ++v) {
      const auto add = [&](const char* over, const std::vector<double>& values) {
        const Paired difference = paired(point.variant(v), values);
        table.add({point.repeats.front().early, tuple_choice_name(point.settings.choice),
                   point.settings.variants[v].name(), over, difference_text(difference), error_text(difference)});
      };
      add("cold", point.cold());
      add("warm, not private", point.warm());
    }
  }
  table.note(
      "All systems play the same users, contexts and rewards of a repeat; a difference is the mean of those of the "
      "repeats, and its standard error is over them.");
  return table;
}

FigureTable tuples(const SimulateResult& result) {
  FigureTable table("tuples", "What the shuffler did",
                    columns("early_users: early users; choice: tuple choice; agent; received: tuples received; "
                            "kept; dropped; codes_dropped: codes dropped"));
  for (const SimulatePoint& point : result.points) {
    for (std::size_t v = 0; v < point.settings.variants.size(); ++v) {
      const VariantOutcome mean = point.mean_outcome(v);
      table.add({point.repeats.front().early, tuple_choice_name(point.settings.choice),
                 point.settings.variants[v].name(), mean.received, mean.kept, mean.dropped, mean.codes_dropped});
    }
  }
  if (result.headline().repeats.size() > 1) table.note("Means over the repeats.");
  table.note(
      "Of real users, how many tuples were received or dropped is for the shuffler alone: delta covers who sees those "
      "that were kept, and nothing else.");
  return table;
}

}  // namespace

std::vector<FigureTable> simulate_tables(const SimulateResult& result) {
  std::vector<FigureTable> tables{rewards_table(result), tuples(result)};
  if (result.headline().repeats.size() > 1) tables.insert(tables.begin() + 1, differences(result));
  if (!result.checks.empty()) tables.push_back(check_table(result.checks, reference_note));
  return tables;
}

LineChart simulate_chart(const SimulateCurve& curve) {
  LineChart chart{.title = curve.title, .x_label = curve.x_label, .y_label = "reward", .log_x = curve.log_x};
  const auto at = [](double x, const std::vector<double>& values) {
    const Banded figure = banded(values);
    return ChartPoint{x, figure.mean, values.size() > 1 ? std::optional(figure.band) : std::nullopt};
  };
  // Along the steps, a number of each repeat; elsewhere that of all steps.
  const auto of_part = [&](std::size_t part, const auto& late) {
    std::vector<double> values;
    for (const PlayOutcome& outcome : curve.points.front().repeats) {
      values.push_back(late(outcome).parts.at(part));
    }
    return values;
  };
  ChartSeries cold{"p2b-cold", "cold", {}}, warm{"p2b-warm", "warm, not private", {}};
  for (std::size_t i = 0; i < curve.x.size(); ++i) {
    if (curve.along_steps) {
      cold.points.push_back(at(curve.x[i], of_part(i, [](const auto& o) { return o.cold; })));
      warm.points.push_back(at(curve.x[i], of_part(i, [](const auto& o) { return o.warm; })));
      continue;
    }
    const SimulatePoint& point = curve.points[curve.against_codes ? 0 : i];
    cold.points.push_back(at(curve.x[i], point.cold()));
    warm.points.push_back(at(curve.x[i], point.warm()));
  }
  chart.series.push_back(std::move(warm));
  const std::vector<VariantKey>& variants = curve.points.front().settings.variants;
  for (const ContextKind kind : {ContextKind::centroid, ContextKind::one_hot}) {
    ChartSeries series{kind == ContextKind::centroid ? "p2b-centroid" : "p2b-one-hot",
                       fmt::format("P2B, {}", context_kind_name(kind)),
                       {}};
    std::size_t others = 0;
    for (std::size_t v = 0; v < variants.size(); ++v) {
      if (variants[v].context != kind) continue;
      if (curve.against_codes) {
        series.points.push_back(at(static_cast<double>(variants[v].codes), curve.points.front().variant(v)));
        continue;
      }
      if (others++ > 0) continue;  // two of one kind would need two styles: the table has all
      series.name = variants[v].name();
      for (std::size_t i = 0; i < curve.x.size(); ++i) {
        series.points.push_back(at(curve.x[i], curve.along_steps
                                                   ? of_part(i, [&](const auto& o) { return o.variants.at(v).late; })
                                                   : curve.points[i].variant(v)));
      }
    }
    if (!series.points.empty()) chart.series.push_back(std::move(series));
  }
  chart.series.push_back(std::move(cold));
  return chart;
}

}  // namespace sotto::apps
