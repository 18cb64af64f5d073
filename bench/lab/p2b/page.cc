#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "sotto/apps/kit/report/human.h"
#include "sotto/apps/kit/report/experiment_page.h"
#include "sotto/apps/kit/report/markup.h"
#include "sotto/apps/kit/report/run_page.h"
#include "sotto/apps/p2b/privacy.h"
#include "sotto/bench/lab/p2b/present.h"

namespace sotto::apps {
namespace {

constexpr const char* own_style = R"css(
:root { --p2b-warm: #12406e; --p2b-centroid: #b8651b; --p2b-one-hot: #2d6a4f; --p2b-cold: #7a828c; }
@media (prefers-color-scheme: dark) { :root { --p2b-warm: #b6d7fa; --p2b-centroid: #e6a55c;
  --p2b-one-hot: #7bc8a0; --p2b-cold: #a0a7b0; } }
.series-p2b-warm { stroke: var(--p2b-warm); }
.series-p2b-centroid { stroke: var(--p2b-centroid); stroke-dasharray: 9 4; }
.series-p2b-one-hot { stroke: var(--p2b-one-hot); stroke-dasharray: 3 4; }
.series-p2b-cold { stroke: var(--p2b-cold); stroke-width: 1.6; }
.dot-p2b-warm { fill: var(--p2b-warm); } .dot-p2b-centroid { fill: var(--p2b-centroid); }
.dot-p2b-one-hot { fill: var(--p2b-one-hot); } .dot-p2b-cold { fill: var(--p2b-cold); }
.band-p2b-warm { fill: var(--p2b-warm); opacity: .14; }
.band-p2b-centroid { fill: var(--p2b-centroid); opacity: .14; }
.band-p2b-one-hot { fill: var(--p2b-one-hot); opacity: .14; }
.band-p2b-cold { fill: var(--p2b-cold); opacity: .14; }
td, .parameters dd, .legend li { white-space: nowrap; }
)css";

std::string delta_html(double delta) {
  if (delta < 1e-300) return escape_html(delta_text(delta, 2));
  return delta >= 1e-3 ? fmt::format("{:.2g}", delta) : scientific_html(delta);
}

// A number of more than one word stays on a line.
std::string together(const std::string& number) {
  return fmt::format(R"(<span class="together">{}</span>)", number);
}

std::string header(const SimulateResult& result) {
  std::string body =
      element("p", "eyebrow", "sotto-lab simulate " + escape_html(result.experiment)) +
      element("h1", "", escape_html(result.title));
  if (!result.checks.empty()) {
    body += element("p", all_passed(result.checks) ? "verdict" : "verdict failed",
                    escape_html(verdict(result.checks)) + ".");
  }
  return element("header", "", body + element("p", "", escape_html(result.about)));
}

std::string stamps(const SimulateResult& result) {
  std::string lines;
  for (const std::string& stamp : result.stamps) lines += element("p", "", escape_html(stamp));
  if (lines.empty()) return {};
  return element("div", "alert", element("strong", "", "To know") + lines);
}

std::string tiles(const SimulateResult& result) {
  const SimulatePoint& point = result.headline();
  const std::size_t v = point.settings.variants.size() - 1;
  const auto reward = [](const std::vector<double>& values) {
    return fmt::format("{:.4f}", banded(values).mean);
  };
  const VariantOutcome mean = point.mean_outcome(v);
  const std::string users = together(human_count(point.repeats.front().early, "early user"));
  return element(
      "dl", "tiles",
      tile("cold", reward(point.cold()), "reward of an interaction") +
          tile(escape_html(point.settings.variants[v].name()), reward(point.variant(v)), users) +
          tile("warm, not private", reward(point.warm()), users) +
          tile("epsilon", fmt::format("{:.3g}", result.epsilon),
               "delta " + together(delta_html(result.delta))) +
          tile("tuples received", human_count(static_cast<double>(mean.received)),
               "each user reports with " + together(fmt::format("p = {:g}", result.settings.p))) +
          tile("tuples kept", human_count(static_cast<double>(mean.kept)),
               fmt::format("codes with at least {}", result.settings.threshold)) +
          tile("codes dropped", human_count(static_cast<double>(mean.codes_dropped)),
               fmt::format("of {}", point.settings.variants[v].codes)) +
          tile("time", escape_html(human_seconds(result.seconds)), "of all of this page"));
}

std::string privacy_section(const SimulateResult& result) {
  const std::string text = fmt::format(
      "A user reports one interaction in its life, with probability {:g}; a code is released where "
      "at least {} "
      "tuples of the batch have it. Adding or removing one user changes the chances of what is "
      "released of the "
      "codes by a factor of e<sup>{:.4g}</sup> at most, but for a probability of {}. Arm and "
      "reward of a released "
      "tuple are not hidden: they are covered only as far as users of the same code act alike. "
      "This "
      "is so towards whoever sees the tuples that were kept. To who learns how many were received "
      "or dropped as well, a tuple with a rare code is one more: these numbers stay with the "
      "shuffler, whose batches close by a public clock and never when they are full.",
      result.settings.p, result.settings.threshold, result.epsilon,
      together(delta_html(result.delta)));
  return titled_section("What is promised", element("div", "statement", element("p", "", text)));
}

std::string choice_of(const SimulateCurve& curve) {
  return tuple_choice_name(curve.points.front().settings.choice);
}

std::string curve_section(const SimulateCurve& curve) {
  const std::size_t repeats = curve.points.front().repeats.size();
  const PointSettings& s = curve.points.back().settings;
  std::string caption = fmt::format("Late users' reward; {} users", s.users);
  if (curve.along_steps) {
    caption = fmt::format("What late users earn as they go along; {} users", s.users);
  }
  if (curve.key == "users") caption = "Late users' reward; all users, of whom some are early";
  caption += fmt::format(", {} choice of tuple.", choice_of(curve));
  if (repeats > 1)
    caption += fmt::format(" Shaded: 95% band of the mean over {} repeats.", repeats);
  return titled_section(escape_html(curve.title), chart_figure(simulate_chart(curve), caption));
}

std::string data_section(const SimulateResult& result) {
  std::string entries;
  const auto add = [&](const std::string& name, const std::string& value) {
    entries += element(
        "div", "", element("dt", "", escape_html(name)) + element("dd", "", escape_html(value)));
  };
  const SimulateSettings& s = result.settings;
  add("p", fmt::format("{:g}", s.p));
  add("threshold l", fmt::format("{}", s.threshold));
  add("early users", fmt::format("{:g}", s.early));
  add("alpha", fmt::format("{:g}", s.alpha));
  add("decimals q", fmt::format("{}", s.decimals));
  add("contexts of the grid", result.states);
  add("encoder", encoder_kind_name(s.encoder));
  add("seed", fmt::format("{}", s.seed));
  for (const auto& [fact, value] : result.facts) {
    std::string name = fact;
    for (char& c : name) c = c == '_' ? ' ' : c;
    add(name, human_count(static_cast<double>(value)));
  }
  return titled_section("Settings and data", element("dl", "parameters", entries) +
                                                 command_block(result.provenance.command));
}

}  // namespace

std::string simulate_html(const SimulateResult& result) {
  std::string body = stamps(result) + header(result) + tiles(result);
  for (const SimulateCurve& curve : result.curves) body += curve_section(curve);
  body += privacy_section(result);
  const std::vector<FigureTable> tables = simulate_tables(result);
  for (auto table = tables.rbegin(); table != tables.rend(); ++table) {
    body += titled_section(escape_html(table->title()), table->to_html());
  }
  body += data_section(result);
  body += experiment_end(result.provenance, result.seconds);
  return experiment_page(result.title, own_style, body);
}

void write_simulation(const std::filesystem::path& folder, const SimulateResult& result) {
  write_run_files(folder, simulate_html(result), to_json(result));
}

}  // namespace sotto::apps
