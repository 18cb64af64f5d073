#include "sotto/apps/robin/run/report_page.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "sotto/apps/kit/report/line_chart.h"
#include "sotto/apps/kit/report/markup.h"
#include "sotto/apps/kit/report/run_page.h"
#include "sotto/apps/robin/names.h"
#include "sotto/apps/robin/roles/learned.h"
#include "sotto/core/text/count.h"

namespace sotto::apps {
namespace {

constexpr const char* promise =
    R"(Whoever sees all broadcasts of the run learns about as much about a client as if that client had
sent other estimates throughout: odds change by a factor of at most e to the epsilon, but for events of
probability delta. This covers everything that one client does in the whole run. It does not hide a client
from the aggregator, which is trusted, nor the number of clients; and what is on this page about regret,
rewards and clipped numbers is not covered: only whoever owns all the data of a run may have it.)";

bool is_local(const RobinResult& result) {
  return result.outcome.decision.mode == RobinMode::local;
}

std::string alerts(const RobinResult& result) {
  std::string out = insecure_alerts(result.insecure);
  const std::string why = escape_html(result.error.value_or("No reason was recorded."));
  if (result.status == RobinStatus::failed) out += alert("This run failed", why);
  if (result.status == RobinStatus::refused) {
    out += alert("This run was refused", why + " Nothing was released and nothing spent.");
  }
  if (is_local(result)) {
    out += alert("Played locally", escape_html(result.outcome.decision.why));
  }
  return out;
}

std::string verdict(const RobinResult& result) {
  const RobinOutcome& outcome = result.outcome;
  if (result.status != RobinStatus::complete || !outcome.regret_per_client) {
    return element("p", "verdict", "The run did not complete; what follows is no result.");
  }
  std::string text =
      fmt::format("{} played {} each and missed <strong>{:.2f}</strong> a client",
                  human_count(outcome.settings.clients, "client"),
                  human_count(outcome.settings.horizon, "step"), *outcome.regret_per_client);
  if (outcome.regret_local && !is_local(result)) {
    text += fmt::format("; each by itself would have missed {:.2f}", *outcome.regret_local);
  }
  return element("p", "verdict", text + ".");
}

std::string tiles(const RobinResult& result) {
  const RobinOutcome& outcome = result.outcome;
  const auto two = [](double value) { return fmt::format("{:.2f}", value); };
  const std::string of_twins = outcome.twin_clients == 0
                                   ? std::string("not played")
                                   : fmt::format("{}", human_count(outcome.twin_clients, "client"));
  std::string out;
  out += tile("Regret a client", figure_of(outcome.regret_per_client, two),
              result.has_means ? "of all steps" : "against the best arm in hindsight");
  out += tile("Local twin", figure_of(outcome.regret_local, two), of_twins);
  out += tile("Non-private twin", figure_of(outcome.regret_nonprivate, two), of_twins);
  out += tile("Epsilon spent", fmt::format("{:.4g}", outcome.epsilon_spent),
              fmt::format("of {:g}, at delta {}", outcome.settings.epsilon,
                          scientific_html(promised_delta(outcome.settings.composition,
                                                         outcome.settings.delta))));
  out += tile("Releases", std::to_string(outcome.releases.size()),
              fmt::format("of {}", counted(outcome.settings.dimension, "number")));
  out += tile("Chance of misfire", fmt::format("{:.1e}", outcome.decision.misfire),
              "at most, of all private ranges");
  out += tile("Clipped",
              human_count(static_cast<double>(outcome.clipped.features + outcome.clipped.rewards +
                                              outcome.clipped.estimates)),
              "features, rewards and estimates");
  out += tile("Whole run", figure_of(result.wall_seconds, human_seconds),
              "all processes, twins not included");
  return element("dl", "tiles", out);
}

ChartSeries series_of(const char* css_name, const char* name,
                      const std::vector<PhaseFigures>& phases) {
  ChartSeries series{css_name, name, {}};
  for (const auto& [step, regret] : regret_curve(phases)) {
    series.points.push_back({static_cast<double>(step), regret, std::nullopt});
  }
  return series;
}

std::string regret_section(const RobinResult& result) {
  const RobinOutcome& outcome = result.outcome;
  if (outcome.phases.empty()) return {};
  LineChart chart;
  chart.title = "Regret a client by step";
  chart.x_label = "steps";
  chart.y_label = "regret a client so far";
  chart.log_x = true;  // phases double
  chart.series.push_back(
      series_of("private", is_local(result) ? "local LinUCB" : "this run", outcome.phases));
  if (!outcome.nonprivate_phases.empty()) {
    chart.series.push_back(series_of("plaintext", "non-private twin", outcome.nonprivate_phases));
  }
  if (outcome.regret_local) {
    chart.baselines.push_back({"local twin, all steps", *outcome.regret_local});
  }
  std::string legend;
  for (const ChartSeries& series : chart.series) {
    legend += element(
        "li", "",
        fmt::format(R"(<svg viewBox="0 0 28 10" aria-hidden="true"><line class="series series-{}" )"
                    R"(x1="1" y1="5" x2="27" y2="5"/></svg>{} <b>{:.4g}</b>)",
                    series.css_name, series.name, series.points.back().y));
  }
  return titled_section(
      "What clients missed",
      element("figure", "",
              element("ul", "legend", legend) + line_chart_svg(chart, {920, 380}, "wide") +
                  line_chart_svg(chart, {380, 300}, "narrow") +
                  element("figcaption", "",
                          "The mean of the best arm less that of the arm pulled, summed over all "
                          "steps so far, a client on average; drawn at the end of each phase.")));
}

std::string number(const std::string& text) { return element("td", "number", text); }
std::string row_head(const std::string& markup) { return R"(<th scope="row">)" + markup + "</th>"; }

std::string table(std::initializer_list<std::string_view> heads, const std::string& rows) {
  std::string head;
  for (const std::string_view name : heads) {
    head +=
        fmt::format(R"(<th scope="col"{}>{}</th>)", head.empty() ? "" : R"( class="number")", name);
  }
  return element(
      "div", "scroll",
      element("table", "",
              element("thead", "", element("tr", "", head)) + element("tbody", "", rows)));
}

std::string releases_section(const RobinResult& result) {
  if (result.outcome.releases.empty()) return {};
  std::string rows;
  for (const Release& release : result.outcome.releases) {
    rows +=
        element("tr", "",
                row_head(std::to_string(release.phase)) + number(std::to_string(release.steps)) +
                    number(fmt::format("{:.3g}", release.tau)) +
                    number(release.round_last ? "last release" : "private range") +
                    number(fmt::format("{:.3g}", release.noise_sd)) +
                    number(fmt::format("{:.4g}", release.epsilon_spent)) +
                    number(std::to_string(release.clipped)));
  }
  return titled_section(
      "What was released",
      element("p", "note",
              "Noise is its standard deviation in each coordinate of the estimate. Epsilon is of "
              "the run until then.") +
          table({"After phase", "Steps", "Tau", "Range", "Noise", "Epsilon spent", "Clipped"},
                rows));
}

std::string learned_section(const RobinResult& result) {
  std::string rows;
  for (const auto& [role, sentence] : robin_learned(is_local(result))) {
    rows +=
        element("tr", "", row_head(escape_html(role)) + element("td", "", escape_html(sentence)));
  }
  std::string content = element("p", "", escape_html(robin_headline(is_local(result))));
  if (!is_local(result)) content += element("p", "", promise);
  return titled_section(
      "Who learns what",
      content + element("div", "scroll", element("table", "", element("tbody", "", rows))));
}

std::string cost_section(const RobinResult& result) {
  if (result.roles.empty()) return {};
  std::string rows;
  for (const RobinRoleCost& role : result.roles) {
    rows += element("tr", "",
                    row_head(escape_html(role.role)) +
                        number(human_bytes(static_cast<double>(role.bytes_sent))) +
                        number(human_seconds(role.cpu_seconds)) +
                        number(human_bytes(static_cast<double>(role.peak_memory_bytes))));
  }
  return titled_section("What it cost", table({"Process", "Sent", "CPU time", "Memory"}, rows));
}

std::string parameters_section(const RobinResult& result) {
  const RobinSettings& settings = result.outcome.settings;
  const auto real = [](double value) { return fmt::format("{:g}", value); };
  std::string list;
  list += parameter("clients", human_count(static_cast<double>(settings.clients)));
  list += parameter("features", std::to_string(settings.dimension));
  list += parameter("arms", std::to_string(settings.arms));
  list += parameter("steps", human_count(static_cast<double>(settings.horizon)));
  list += parameter("first phases", std::to_string(settings.init_phases));
  list += parameter("epsilon", real(settings.epsilon));
  list += parameter("delta", scientific_html(promised_delta(settings.composition, settings.delta)));
  list += parameter("composition", std::string(name_of(settings.composition)));
  list += parameter("noise", noise_text(settings.noise));
  list += parameter("range", range_text(settings.range));
  list += parameter("lambda min", real(settings.lambda_min));
  list += parameter("tau factor", real(settings.tau_factor));
  list += parameter("noise of rewards", real(settings.noise_sd));
  list += parameter("bound", real(settings.bound));
  list += parameter("reward bound", real(settings.reward_bound));
  list += parameter("alpha", real(settings.alpha));
  list += parameter("ridge", real(settings.ridge));
  if (result.files.empty()) {
    list += parameter("margin", real(settings.margin));
    list += parameter("diversity", real(settings.diversity));
    list += parameter("seed", std::to_string(settings.seed));
  } else {
    list += parameter("files", fmt::format("{}, {}", result.files.size(),
                                           escape_html(result.files.front()) + " first"));
  }
  const std::string content = element("dl", "parameters", list);
  return titled_section("Parameters", content + command_block(result.command));
}

}  // namespace

std::string report_html(const RobinResult& result) {
  const RobinSettings& settings = result.outcome.settings;
  const std::string eyebrow =
      fmt::format("sotto &middot; {} &middot; {}", human_count(settings.clients, "client"),
                  human_count(settings.horizon, "step"));
  std::string page = alerts(result);
  page += element(
      "header", "",
      element("p", "eyebrow", eyebrow) + element("h1", "", "A ROBIN run") + verdict(result));
  if (result.status != RobinStatus::refused) page += tiles(result);
  page += regret_section(result) + releases_section(result) + learned_section(result) +
          cost_section(result) + parameters_section(result) +
          run_footer(result.version, result.started);
  return run_page("report of a ROBIN run", "", page);
}

void write_run(const std::filesystem::path& folder, const RobinResult& result) {
  write_run_files(folder, report_html(result), to_json(result));
}

}  // namespace sotto::apps
