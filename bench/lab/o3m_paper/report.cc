#include "sotto/bench/lab/o3m_paper/report.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "sotto/apps/kit/report/human.h"
#include "sotto/apps/kit/report/experiment_page.h"
#include "sotto/apps/kit/report/markup.h"
#include "sotto/apps/kit/report/run_page.h"
#include "sotto/bench/lab/o3m_paper/charts.h"
#include "sotto/bench/lab/o3m_paper/tables.h"
#include "sotto/core/text/count.h"

namespace sotto::apps {
namespace {

std::string figure(const PaperChart& chart) {
  return element("h3", "", escape_html(chart.heading + ": " + chart.chart.title)) +
         chart_figure(chart.chart, chart.caption);
}

std::string figures(const std::vector<PaperChart>& charts) {
  std::string out;
  for (const PaperChart& chart : charts) out += figure(chart);
  return out;
}

std::string header(const PaperResult& result) {
  const RegretSettings& s = result.options.synthetic;
  const std::string eyebrow =
      fmt::format("sotto-lab paper o3m &middot; d = {}, K = {}, {}, {}", s.dimension(), s.arms,
                  human_count(s.steps, "step"), counted(s.repeats, "repeat"));
  return element(
      "header", "",
      element("p", "eyebrow", eyebrow) +
          element("h1", "", "Vertical federated linear bandits, reproduced") +
          element("p", result.all_passed() ? "verdict" : "verdict failed",
                  escape_html(result.verdict()) + ".") +
          element(
              "p", "",
              "The experiments of Cao et al. 2022, <em>Vertical Federated Linear Contextual "
              "Bandits</em>, played with this implementation&rsquo;s bandit, mask and fixed point. "
              "Masked contexts lose nothing; what they do not hide is another matter: the active "
              "participant learns norms, distances and inner products of all contexts exactly, and "
              "features themselves from little more. <code>sotto-lab audit</code> shows it."));
}

std::string settings_section(const PaperResult& result) {
  const RegretSettings& s = result.options.synthetic;
  std::string text = fmt::format(
      "Contexts uniform on the unit sphere of {} dimensions for each of {} arms and every step, "
      "theta "
      "uniform on it; features in blocks of {}; beta = {:g}, v = {:g}, ridge {:g}; the noise of "
      "the reward "
      "with a standard deviation and with a variance of 0.05, since the paper does not say which. "
      "All "
      "policies of a repeat meet the same contexts and noise; masked and central bandits share "
      "their ties "
      "and LinTS&rsquo;s draws.",
      s.dimension(), s.arms, fmt::join(s.columns, ", "), s.beta, s.v, s.lambda);
  return titled_section("The synthetic experiment", element("p", "", text));
}

std::string regret_sections(const PaperResult& result) {
  std::string out;
  for (const RegretRuns& runs : result.regret) {
    out += titled_section("Figures 4 and 6, " + noise_name(runs.settings.noise_sd),
                          figures(regret_charts(runs)));
  }
  return out;
}

std::string criteo_section(const PaperResult& result) {
  return titled_section("Figure 6 (c), the Criteo log",
                        result.criteo ? figure(criteo_chart(*result.criteo))
                                      : element("p", "", escape_html(no_criteo)));
}

}  // namespace

std::string paper_html(const PaperResult& result) {
  std::string body = header(result);
  const std::vector<FigureTable> tables = paper_tables(result);
  body += titled_section(escape_html(tables.front().title()), tables.front().to_html());
  body += settings_section(result) + regret_sections(result);
  body += titled_section("Figure 5, costs", figures(cost_charts(result)));
  body += criteo_section(result);
  for (std::size_t i = 1; i < tables.size(); ++i) {
    body += titled_section(escape_html(tables[i].title()), tables[i].to_html());
  }
  body += experiment_end(result.provenance, result.seconds);
  return experiment_page("vertical federated linear bandits, reproduced", paper_chart_style, body);
}

void write_paper(const std::filesystem::path& folder, const PaperResult& result) {
  write_run_files(folder, paper_html(result), to_json(result));
}

}  // namespace sotto::apps
