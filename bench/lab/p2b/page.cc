#include "apps/p2b/privacy.h"
#include "bench/lab/p2b/simulate.h"

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
    if (curve.along_steps) {
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
  // The headline is about the last variant.
  const std::size_t v = headline.settings.variants.size() - 1;
  const VariantOutcome mean = headline.mean_outcome(v);
  json["reward_p2b"] = mean.late.reward;
  json["context"] = context_kind_name(headline.settings.variants[v].context);
  json["codes"] = headline.settings.variants[v].codes;
  json["tuples_received"] = mean.received;
  json["tuples_kept"] = mean.kept;
  json["tuples_dropped"] = mean.dropped;
  json["codes_dropped"] = mean.codes_dropped;
  // If the users are real, the figures below must not be published.
  json["not_to_publish"] = {"tuples_received", "tuples_dropped", "codes_dropped"};
}

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

const std::vector<SeriesStyle> looks{
    {"p2b-warm", "#12406e", "#b6d7fa"},
    {"p2b-centroid", "#b8651b", "#e6a55c", "stroke-dasharray: 9 4;"},
    {"p2b-one-hot", "#2d6a4f", "#7bc8a0", "stroke-dasharray: 3 4;"},
    {"p2b-cold", "#7a828c", "#a0a7b0", "stroke-width: 1.6;"},
};
constexpr const char* own_style = "td, .parameters dd, .legend li { white-space: nowrap; }\n";

std::string delta_html(double delta) {
  if (delta < 1e-300) return escape_html(delta_text(delta, 2));
  return delta >= 1e-3 ? fmt::format("{:.2g}", delta) : scientific_html(delta);
}

std::string together(const std::string& number) { return fmt::format(R"(<span class="together">{}</span>)", number); }

std::vector<Tile> tiles(const SimulateResult& result) {
  const SimulatePoint& point = result.headline();
  const std::size_t v = point.settings.variants.size() - 1;
  const auto reward = [](const std::vector<double>& values) { return fmt::format("{:.4f}", banded(values).mean); };
  const VariantOutcome mean = point.mean_outcome(v);
  const std::string users = together(human_count(point.repeats.front().early, "early user"));
  return {{"cold", reward(point.cold()), "reward of an interaction"},
          {escape_html(point.settings.variants[v].name()), reward(point.variant(v)), users},
          {"warm, not private", reward(point.warm()), users},
          {"epsilon", fmt::format("{:.3g}", result.epsilon), "delta " + together(delta_html(result.delta))},
          {"tuples received", human_count(static_cast<double>(mean.received)),
           "each user reports with " + together(fmt::format("p = {:g}", result.settings.p))},
          {"tuples kept", human_count(static_cast<double>(mean.kept)),
           fmt::format("codes with at least {}", result.settings.threshold)},
          {"codes dropped", human_count(static_cast<double>(mean.codes_dropped)),
           fmt::format("of {}", point.settings.variants[v].codes)},
          {"time", escape_html(human_seconds(result.seconds)), "of all of this page"}};
}

PageSection privacy_section(const SimulateResult& result) {
  const std::string text = fmt::format(
      "A user reports one interaction in its life, with probability {:g}; a code is released where at least {} tuples "
      "of the batch have it. Adding or removing one user changes the chances of what is released of the codes by a "
      "factor of e<sup>{:.4g}</sup> at most, but for a probability of {}. Arm and reward of a released tuple are not "
      "hidden: they are covered only as far as users of the same code act alike. This is so towards whoever sees the "
      "tuples that were kept. To who learns how many were received or dropped as well, a tuple with a rare code is one "
      "more: these numbers stay with the shuffler, whose batches close by a public clock and never when they are full.",
      result.settings.p, result.settings.threshold, result.epsilon, together(delta_html(result.delta)));
  return {"What is promised", element("div", "statement", paragraph(text))};
}

std::string choice_of(const SimulateCurve& curve) { return tuple_choice_name(curve.points.front().settings.choice); }

PageSection curve_section(const SimulateCurve& curve) {
  const std::size_t repeats = curve.points.front().repeats.size();
  const PointSettings& s = curve.points.back().settings;
  std::string caption = fmt::format("Late users' reward; {} users", s.users);
  if (curve.along_steps) {
    caption = fmt::format("What late users earn as they go along; {} users", s.users);
  }
  if (curve.key == "users") caption = "Late users' reward; all users, of whom some are early";
  caption += fmt::format(", {} choice of tuple.", choice_of(curve));
  if (repeats > 1) caption += fmt::format(" Shaded: 95% band of the mean over {} repeats.", repeats);
  return {escape_html(curve.title), chart_figure(simulate_chart(curve), caption)};
}

std::vector<std::pair<std::string, std::string>> parameters_of(const SimulateResult& result) {
  const SimulateSettings& s = result.settings;
  std::vector<std::pair<std::string, std::string>> list{{"p", fmt::format("{:g}", s.p)},
                                                        {"threshold l", fmt::format("{}", s.threshold)},
                                                        {"early users", fmt::format("{:g}", s.early)},
                                                        {"alpha", fmt::format("{:g}", s.alpha)},
                                                        {"decimals q", fmt::format("{}", s.decimals)},
                                                        {"contexts of the grid", escape_html(result.states)},
                                                        {"encoder", encoder_kind_name(s.encoder)},
                                                        {"seed", fmt::format("{}", s.seed)}};
  for (const auto& [fact, value] : result.facts) {
    std::string name = escape_html(fact);
    std::replace(name.begin(), name.end(), '_', ' ');
    list.emplace_back(name, human_count(static_cast<double>(value)));
  }
  return list;
}

std::string with_band(const std::vector<double>& values) {
  if (values.empty()) return "-";
  const Banded figure = banded(values);
  if (values.size() < 2) return fmt::format("{:.4f}", figure.mean);
  return fmt::format("{:.4f} +- {:.4f}", figure.mean, figure.band);
}

FigureTable rewards_table(const SimulateResult& result) {
  FigureTable table("rewards", "Reward of an interaction of late users",
                    "early_users: early users; dimension: d; arms; steps; choice: tuple choice; agent; reward");
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
  FigureTable table("differences", "Differences between systems",
                    "early_users: early users; choice: tuple choice; agent; over; difference; error: standard error");
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
                    "early_users: early users; choice: tuple choice; agent; received: tuples received; "
                    "kept; dropped; codes_dropped: codes dropped");
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

std::vector<FigureTable> tables_of(const SimulateResult& result) {
  std::vector<FigureTable> tables{rewards_table(result), tuples(result)};
  if (result.headline().repeats.size() > 1) tables.insert(tables.begin() + 1, differences(result));
  if (!result.checks.empty()) tables.push_back(check_table(result.checks, reference_note));
  return tables;
}

std::string lines_of(const SimulateResult& result, const TextOptions& options) {
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
  for (const std::string& stamp : result.stamps) text += "  " + stamp + "\n";
  return text;
}

ordered_json fields_of(const SimulateResult& result) {
  ordered_json json{{"experiment", nullptr}, {"status", nullptr}};
  add_headline(json, result);
  json["epsilon"] = result.epsilon;
  json["delta"] = result.delta;
  json["seconds"] = nullptr;
  json["seconds_encoders"] = result.seconds_encoders;
  if (!result.checks.empty()) json.update({{"verdict", nullptr}, {"all_passed", nullptr}});
  json["stamps"] = result.stamps;
  json["insecure"] = ordered_json::array();
  if (result.headline().settings.choice == TupleChoice::published) {
    json["insecure"].push_back("tuple-choice-published");
  }
  json["settings"] = nullptr;
  json["data"] = ordered_json::object();
  for (const auto& [fact, value] : result.facts) json["data"][fact] = value;
  json["tables"] = nullptr;
  json["points"] = ordered_json::array();
  for (const SimulatePoint& point : result.points) json["points"].push_back(to_json(point));
  json["curves"] = curves_json(result);
  json["provenance"] = nullptr;
  return json;
}

}  // namespace

Experiment simulated(const SimulateResult& result) {
  Experiment experiment{"p2b simulate " + result.experiment, settings_json(result), fields_of(result)};
  experiment.checks = result.checks;
  if (!result.checks.empty()) experiment.verdict = verdict(result.checks);
  experiment.tables = tables_of(result);
  if (result.points.size() == 1) {
    for (const FigureTable& table : experiment.tables) experiment.long_tables.insert(table.key());
  }
  experiment.after = [result](const TextOptions& options) { return lines_of(result, options); };
  ReportPage& page = experiment.page;
  page.title = result.title;
  page.style = series_style(looks) + own_style;
  if (!result.stamps.empty()) {
    page.alerts = {{"To know", escape_html(fmt::format("{}", fmt::join(result.stamps, " ")))}};
  }
  page.eyebrow = "sotto-lab simulate " + escape_html(result.experiment);
  page.heading = escape_html(result.title);
  page.about = escape_html(result.about);
  page.tiles = tiles(result);
  for (const SimulateCurve& curve : result.curves) page.sections.push_back(curve_section(curve));
  page.sections.push_back(privacy_section(result));
  std::vector<FigureTable> tables = experiment.tables;
  std::reverse(tables.begin(), tables.end());
  page.add_tables(tables);
  experiment.parameters = parameters_of(result);
  return experiment;
}

LineChart simulate_chart(const SimulateCurve& curve) {
  LineChart chart{.title = curve.title, .x_label = curve.x_label, .y_label = "reward", .log_x = curve.log_x};
  const auto at = [](double x, const std::vector<double>& values) {
    const Banded figure = banded(values);
    return ChartPoint{x, figure.mean, values.size() > 1 ? std::optional(figure.band) : std::nullopt};
  };
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
      if (others++ > 0) continue;
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

}  // namespace sotto::apps::lab
