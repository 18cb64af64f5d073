#include "apps/robin/result.h"

#include <fmt/format.h>

#include <string>

#include "apps/kit/files/json.h"
#include "apps/kit/report/described.h"
#include "apps/kit/report/human.h"
#include "apps/kit/report/run_page.h"
#include "apps/robin/settings.h"
#include "core/text/count.h"

namespace sotto::apps::robin {
namespace {

using Json = nlohmann::ordered_json;

void add_settings(FieldWriter<Json> field, const RobinResult& result) {
  const RobinSettings& settings = result.outcome.settings;
  field("clients", settings.clients);
  field("dimension", settings.dimension);
  field("arms", settings.arms);
  field("horizon", settings.horizon);
  field("init_phases", settings.init_phases);
  field("epsilon", settings.epsilon);
  field("delta", promised_delta(settings.composition, settings.delta));
  field("composition", name_of(settings.composition));
  field("noise", noise_text(settings.noise));
  field("range", range_text(settings.range));
  field("adaptive", settings.adaptive);
  field("most_misfire", settings.most_misfire);
  field("noise_sd", settings.noise_sd);
  field("lambda_min", settings.lambda_min);
  field("tau_factor", settings.tau_factor);
  field("alpha", settings.alpha);
  field("ridge", settings.ridge);
  field("bound", settings.bound);
  field("reward_bound", settings.reward_bound);
  field("simulated", result.files.empty());
  if (result.files.empty()) {
    field("margin", settings.margin);
    field("diversity", settings.diversity);
    field("seed", settings.seed);
  } else {
    field("files", result.files);
    field("regret_against", result.has_means ? "best mean" : "best reward in hindsight");
  }
}

void add_decision(FieldWriter<Json> field, const RobinDecision& decision) {
  field("mode", decision.mode);
  field("refused", decision.mode == RobinMode::refused);
  field("misfire", decision.misfire);
  field("enough_clients", decision.enough_clients);
  field("enough_epsilon", decision.enough_epsilon);
  field("why", decision.why.empty() ? Json(nullptr) : Json(decision.why));
}

Json learned_json(bool local) {
  Json object = Json::object();
  for (const auto& [role, sentence] : robin_learned(local)) object[role] = sentence;
  return object;
}

void add_figures(FieldWriter<Json> field, const RobinResult& result) {
  const RobinOutcome& outcome = result.outcome;
  field("regret_per_client", outcome.regret_per_client);
  field("regret_local", outcome.regret_local);
  field("regret_nonprivate", outcome.regret_nonprivate);
  field("twin_clients", outcome.twin_clients);
  field("reward_per_client", outcome.reward_per_client);
  field("eps_spent", outcome.epsilon_spent);
  field("delta_spent", outcome.delta_spent);
  field("rho_spent", outcome.rho_spent);
  field("clipped", outcome.clipped);
  field("estimate", result.estimate);
  field("play_seconds", result.play_seconds);
  field("wall_seconds", result.wall_seconds);
  field("releases", outcome.releases);
  field("phases", outcome.phases);
  field("local_phases", outcome.local_phases);
  field("nonprivate_phases", outcome.nonprivate_phases);
  field("roles", result.roles);
}

void add_spent(SummaryLines& lines, const RobinOutcome& outcome) {
  lines.row("epsilon spent", fmt::format("{:.4g}", outcome.epsilon_spent),
            fmt::format("of {:g}, delta {:g}, {}", outcome.settings.epsilon,
                        promised_delta(outcome.settings.composition, outcome.settings.delta),
                        counted(outcome.releases.size(), "release")));
}

void add_regret(SummaryLines& lines, const RobinResult& result) {
  const RobinOutcome& outcome = result.outcome;
  if (outcome.regret_per_client) {
    lines.row("regret", fmt::format("{:.2f}", *outcome.regret_per_client),
              result.has_means ? "a client" : "a client, against the best arm in hindsight");
  }
  if (outcome.regret_local) {
    lines.row("local twin", fmt::format("{:.2f}", *outcome.regret_local),
              "each client by itself" + (outcome.twin_clients < outcome.settings.clients
                                             ? ", first " + human_count(outcome.twin_clients, "client")
                                             : std::string()));
  }
  if (outcome.regret_nonprivate) {
    lines.row("non-private twin", fmt::format("{:.2f}", *outcome.regret_nonprivate),
              "estimates averaged without noise");
  }
}

void add_rest(SummaryLines& lines, const RobinResult& result) {
  const RobinOutcome& outcome = result.outcome;
  const ClippedCounts& clipped = outcome.clipped;
  if (clipped.features + clipped.rewards + clipped.estimates > 0) {
    lines.row("clipped", human_count(static_cast<double>(clipped.features + clipped.rewards + clipped.estimates)),
              fmt::format("{}, {}, {}", human_count(clipped.features, "feature vector"),
                          human_count(clipped.rewards, "reward"), human_count(clipped.estimates, "estimate")));
  }
  if (outcome.decision.mode == RobinMode::federated) {
    lines.row("chance of misfire", fmt::format("{:.1e}", outcome.decision.misfire), "at most, of all private ranges");
  }
  if (result.wall_seconds) {
    lines.row("time", human_seconds(*result.wall_seconds), human_count(result.roles.size(), "process"));
  }
}

constexpr const char* promise =
    R"(Anybody who sees all broadcasts of the run learns about as much about a client as if that client had
sent other estimates throughout. The odds change by a factor of at most e to the epsilon, except for events of
probability delta. This covers everything that one client does in the whole run. It does not hide a client
from the aggregator, which is trusted, nor the number of clients. The regret, rewards and clipped numbers on this
page are not covered: only a person who owns all the data of a run may have them.)";

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
  chart.log_x = true;
  chart.series.push_back(series_of("private", is_local(result) ? "local LinUCB" : "this run", outcome.phases));
  if (!outcome.nonprivate_phases.empty()) {
    chart.series.push_back(series_of("plaintext", "non-private twin", outcome.nonprivate_phases));
  }
  if (outcome.regret_local) {
    chart.baselines.push_back({"local twin, all steps", *outcome.regret_local});
  }
  return {"Regret", chart_figure(chart,
                                 "The mean of the best arm less that of the arm pulled, summed over all steps so far, "
                                 "a client on average; drawn at the end of each phase.")};
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
      "Releases",
      note("Noise is its standard deviation in each coordinate of the estimate. Epsilon is of the run until then.") +
          to_html(table)};
}

PageSection learned_section(const RobinResult& result) {
  const bool local = is_local(result);
  PageTable table{{{"", ""}, {"", ""}}};
  for (const auto& [role, sentence] : robin_learned(local)) {
    table.rows.push_back({escape_html(role), escape_html(sentence)});
  }
  return {"Knowledge of each role",
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

std::vector<std::pair<std::uint64_t, double>> regret_curve(const std::vector<PhaseFigures>& phases) {
  std::vector<std::pair<std::uint64_t, double>> curve;
  double regret = 0;
  for (const PhaseFigures& phase : phases) {
    regret += phase.regret;
    curve.emplace_back(phase.first_step + phase.steps, regret);
  }
  return curve;
}

Json to_json(const RobinResult& result) {
  Json object;
  const FieldWriter field(object);
  RunHeader::describe(result, field);
  add_settings(field, result);
  add_decision(field, result.outcome.decision);
  add_figures(field, result);
  field("learned", learned_json(result.outcome.decision.mode == RobinMode::local));
  return object;
}

std::vector<std::pair<std::string, std::string>> robin_learned(bool local) {
  if (local) {
    return {{"aggregator", "Which clients take part, and when. No estimate: each client plays by itself."},
            {"client", "The settings of the run. Nothing of any other client."}};
  }
  return {
      {"aggregator",
       "The local estimate of every client in every release, exactly: it is trusted with them. No features, no arms, "
       "no rewards, no regret."},
      {"client",
       "The settings of the run and the broadcast estimates, which are differentially private for all that any one "
       "other client does in the run. Its own data, as before."},
      {"whoever reads the broadcasts",
       "As a client: the promise of epsilon and delta holds for whoever sees all of them, whatever else they know."},
      {"network", "The roles that speak with each other, when, and how much. Links are TLS 1.3."}};
}

std::string robin_headline(bool local) {
  return local ? "No release was made and no privacy spent: every client played by itself."
               : "The aggregator is trusted: it sees the estimate of every client. Privacy is what it releases.";
}

std::string summary_text(const RobinResult& result, const TextOptions& options) {
  SummaryLines lines(options.colour);
  const RobinOutcome& outcome = result.outcome;
  lines.insecure(result.insecure);
  if (result.status != RunStatus::complete) {
    add_spent(lines, outcome);
    return lines.text();
  }
  const RobinSettings& settings = outcome.settings;
  const bool local = outcome.decision.mode == RobinMode::local;
  lines.title(fmt::format("{} of {}, {}, {}, {}", human_count(settings.horizon, "step"),
                          local ? "local LinUCB" : "ROBIN", human_count(settings.clients, "client"),
                          counted(settings.dimension, "feature"), counted(settings.arms, "arm")));
  add_regret(lines, result);
  add_spent(lines, outcome);
  add_rest(lines, result);
  if (local) lines.warning("played locally: " + outcome.decision.why);
  lines.warning(robin_headline(local));
  return lines.text();
}

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
                   {"Costs", role_cost_table("Process", result.roles)},
                   parameters_section(result)};
  return to_html(page);
}

}  // namespace sotto::apps::robin
