#include <fmt/format.h>

#include <string>

#include "apps/kit/report/run_page.h"
#include "apps/robin/result.h"
#include "apps/robin/settings.h"
#include "core/text/count.h"

namespace sotto::apps::robin {
namespace {

constexpr const char* promise =
    R"(Whoever sees all broadcasts of the run learns about as much about a client as if that client had
sent other estimates throughout: odds change by a factor of at most e to the epsilon, but for events of
probability delta. This covers everything that one client does in the whole run. It does not hide a client
from the aggregator, which is trusted, nor the number of clients; and what is on this page about regret,
rewards and clipped numbers is not covered: only whoever owns all the data of a run may have it.)";

bool is_local(const RobinResult& result) { return result.outcome.decision.mode == RobinMode::local; }

std::string verdict(const RobinResult& result) {
  const RobinOutcome& outcome = result.outcome;
  if (result.status != RunStatus::complete || !outcome.regret_per_client) {
    return "The run did not complete; what follows is no result.";
  }
  std::string text = fmt::format("{} played {} each and missed <strong>{:.2f}</strong> a client",
                                 human_count(outcome.settings.clients, "client"),
                                 human_count(outcome.settings.horizon, "step"), *outcome.regret_per_client);
  if (outcome.regret_local && !is_local(result)) {
    text += fmt::format("; each by itself would have missed {:.2f}", *outcome.regret_local);
  }
  return text + ".";
}

std::vector<Tile> tiles(const RobinResult& result) {
  const RobinOutcome& outcome = result.outcome;
  const RobinSettings& settings = outcome.settings;
  const auto two = [](double value) { return fmt::format("{:.2f}", value); };
  const std::string of_twins =
      outcome.twin_clients == 0 ? std::string("not played") : human_count(outcome.twin_clients, "client");
  const ClippedCounts& clipped = outcome.clipped;
  return {{"Regret a client", figure_of(outcome.regret_per_client, two),
           result.has_means ? "of all steps" : "against the best arm in hindsight"},
          {"Local twin", figure_of(outcome.regret_local, two), of_twins},
          {"Non-private twin", figure_of(outcome.regret_nonprivate, two), of_twins},
          {"Epsilon spent", fmt::format("{:.4g}", outcome.epsilon_spent),
           fmt::format("of {:g}, at delta {}", settings.epsilon,
                       scientific_html(promised_delta(settings.composition, settings.delta)))},
          {"Releases", std::to_string(outcome.releases.size()), "of " + counted(settings.dimension, "number")},
          {"Chance of misfire", fmt::format("{:.1e}", outcome.decision.misfire), "at most, of all private ranges"},
          {"Clipped", human_count(static_cast<double>(clipped.features + clipped.rewards + clipped.estimates)),
           "features, rewards and estimates"},
          {"Whole run", figure_of(result.wall_seconds, human_seconds), "all processes, twins not included"}};
}

ChartSeries series_of(const char* css_name, const char* name, const std::vector<PhaseFigures>& phases) {
  ChartSeries series{css_name, name, {}};
  for (const auto& [step, regret] : regret_curve(phases)) {
    series.points.push_back({static_cast<double>(step), regret, std::nullopt});
  }
  return series;
}

PageSection regret_section(const RobinResult& result) {
  const RobinOutcome& outcome = result.outcome;
  if (outcome.phases.empty()) return {};
  LineChart chart;
  chart.title = "Regret a client by step";
  chart.x_label = "steps";
  chart.y_label = "regret a client so far";
  chart.log_x = true;  // phases double
  chart.series.push_back(series_of("private", is_local(result) ? "local LinUCB" : "this run", outcome.phases));
  if (!outcome.nonprivate_phases.empty()) {
    chart.series.push_back(series_of("plaintext", "non-private twin", outcome.nonprivate_phases));
  }
  if (outcome.regret_local) {
    chart.baselines.push_back({"local twin, all steps", *outcome.regret_local});
  }
  return {"What clients missed", chart_figure(chart,
                                              "The mean of the best arm less that of the arm pulled, summed over all "
                                              "steps so far, a client on average; drawn at the end of each phase.")};
}

PageSection releases_section(const RobinResult& result) {
  if (result.outcome.releases.empty()) return {};
  PageTable table{{{"After phase", ""}, {"Steps"}, {"Tau"}, {"Range"}, {"Noise"}, {"Epsilon spent"}, {"Clipped"}}};
  for (const Release& release : result.outcome.releases) {
    table.rows.push_back({std::to_string(release.phase), std::to_string(release.steps),
                          fmt::format("{:.3g}", release.tau), release.round_last ? "last release" : "private range",
                          fmt::format("{:.3g}", release.noise_sd), fmt::format("{:.4g}", release.epsilon_spent),
                          std::to_string(release.clipped)});
  }
  return {
      "What was released",
      note("Noise is its standard deviation in each coordinate of the estimate. Epsilon is of the run until then.") +
          to_html(table)};
}

PageSection learned_section(const RobinResult& result) {
  const bool local = is_local(result);
  PageTable table{{{"", ""}, {"", ""}}};
  for (const auto& [role, sentence] : robin_learned(local)) {
    table.rows.push_back({escape_html(role), escape_html(sentence)});
  }
  return {"Who learns what",
          paragraph(escape_html(robin_headline(local))) + (local ? "" : paragraph(promise)) + to_html(table)};
}

PageSection parameters_section(const RobinResult& result) {
  const RobinSettings& settings = result.outcome.settings;
  const auto real = [](double value) { return fmt::format("{:g}", value); };
  std::vector<std::pair<std::string, std::string>> list{
      {"clients", human_count(static_cast<double>(settings.clients))},
      {"features", std::to_string(settings.dimension)},
      {"arms", std::to_string(settings.arms)},
      {"steps", human_count(static_cast<double>(settings.horizon))},
      {"first phases", std::to_string(settings.init_phases)},
      {"epsilon", real(settings.epsilon)},
      {"delta", scientific_html(promised_delta(settings.composition, settings.delta))},
      {"composition", std::string(name_of(settings.composition))},
      {"noise", noise_text(settings.noise)},
      {"range", range_text(settings.range)},
      {"lambda min", real(settings.lambda_min)},
      {"tau factor", real(settings.tau_factor)},
      {"noise of rewards", real(settings.noise_sd)},
      {"bound", real(settings.bound)},
      {"reward bound", real(settings.reward_bound)},
      {"alpha", real(settings.alpha)},
      {"ridge", real(settings.ridge)}};
  if (result.files.empty()) {
    list.emplace_back("margin", real(settings.margin));
    list.emplace_back("diversity", real(settings.diversity));
    list.emplace_back("seed", std::to_string(settings.seed));
  } else {
    list.emplace_back("files", fmt::format("{}, {} first", result.files.size(), escape_html(result.files.front())));
  }
  return {"Parameters", parameter_list(list) + command_block(result.command)};
}

}  // namespace

std::string report_html(const RobinResult& result) {
  const RobinSettings& settings = result.outcome.settings;
  ReportPage page;
  page.title = "report of a ROBIN run";
  page.add_header(result);
  if (is_local(result)) {
    page.alerts.push_back({"Played locally", escape_html(result.outcome.decision.why)});
  }
  page.eyebrow = fmt::format("sotto &middot; {} &middot; {}", human_count(settings.clients, "client"),
                             human_count(settings.horizon, "step"));
  page.heading = "A ROBIN run";
  page.verdict = verdict(result);
  if (result.status != RunStatus::refused) page.tiles = tiles(result);
  page.sections = {regret_section(result),
                   releases_section(result),
                   learned_section(result),
                   {"What it cost", role_cost_table("Process", result.roles)},
                   parameters_section(result)};
  return to_html(page);
}

}  // namespace sotto::apps::robin
