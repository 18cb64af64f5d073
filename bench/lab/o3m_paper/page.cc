#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <span>

#include "sotto/apps/kit/report/human.h"
#include "sotto/bench/lab/o3m_paper/result.h"
#include "sotto/core/text/count.h"

namespace sotto::apps {
namespace {

std::string figure(const PageFigure& figure) {
  return element("h3", "", escape_html(figure.heading + ": " + figure.chart.title)) +
         chart_figure(figure.chart, figure.caption);
}

PageSection figures(const std::string& heading, const std::vector<PageFigure>& all) {
  PageSection section{heading, {}};
  for (const PageFigure& one : all) section.content += figure(one);
  return section;
}

PageSection settings_section(const PaperResult& result) {
  const RegretSettings& s = result.options.synthetic;
  std::string text = fmt::format(
      "Contexts uniform on the unit sphere of {} dimensions for each of {} arms and every step, theta uniform on it; "
      "features in blocks of {}; beta = {:g}, v = {:g}, ridge {:g}; the noise of the reward with a standard deviation "
      "and with a variance of 0.05, since the paper does not say which. All policies of a repeat meet the same "
      "contexts and noise; masked and central bandits share their ties and LinTS&rsquo;s draws.",
      s.dimension(), s.arms, fmt::join(s.columns, ", "), s.beta, s.v, s.lambda);
  return {"The synthetic experiment", paragraph(text)};
}

}  // namespace

std::string report_html(const PaperResult& result) {
  const RegretSettings& s = result.options.synthetic;
  ReportPage page;
  page.title = "vertical federated linear bandits, reproduced";
  page.style = paper_chart_style();
  page.eyebrow = fmt::format("sotto-lab paper o3m &middot; d = {}, K = {}, {}, {}", s.dimension(), s.arms,
                             human_count(s.steps, "step"), counted(s.repeats, "repeat"));
  page.heading = "Vertical federated linear bandits, reproduced";
  page.verdict = escape_html(result.verdict()) + ".";
  page.verdict_failed = !result.all_passed();
  page.about =
      "The experiments of Cao et al. 2022, <em>Vertical Federated Linear Contextual Bandits</em>, played with this "
      "implementation&rsquo;s bandit, mask and fixed point. Masked contexts lose nothing; what they do not hide is "
      "another matter: the active participant learns norms, distances and inner products of all contexts exactly, and "
      "features themselves from little more. <code>sotto-lab audit</code> shows it.";
  const std::vector<FigureTable> tables = paper_tables(result);
  page.add_tables(std::span(tables).first(1));
  page.sections.push_back(settings_section(result));
  for (const RegretRuns& runs : result.regret) {
    page.sections.push_back(figures("Figures 4 and 6, " + noise_name(runs.settings.noise_sd), regret_charts(runs)));
  }
  page.sections.push_back(figures("Figure 5, costs", cost_charts(result)));
  page.sections.push_back({"Figure 6 (c), the Criteo log",
                           result.criteo ? figure(criteo_chart(*result.criteo)) : paragraph(escape_html(no_criteo))});
  page.add_tables(std::span(tables).subspan(1));
  page.add_end(result.provenance, result.seconds);
  return to_html(page);
}

}  // namespace sotto::apps
