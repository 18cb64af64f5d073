// The page of an audit.
#include <fmt/format.h>

#include <algorithm>

#include "sotto/apps/kit/report/run_page.h"
#include "sotto/apps/o3m/leakage.h"
#include "sotto/bench/lab/o3m_audit/audit.h"
#include "sotto/core/text/count.h"

namespace sotto::apps {
namespace {

std::string table(const std::vector<std::string>& heads, const std::vector<std::vector<std::string>>& rows) {
  PageTable table{{}, rows};
  for (const std::string& head : heads) {
    table.columns.push_back({head, table.columns.empty() ? "" : "number"});
  }
  return to_html(table);
}

PageSection geometry_section(const AuditResult& result) {
  std::vector<std::vector<std::string>> rows;
  for (const GeometryReading& one : result.geometry) {
    rows.push_back({escape_html(one.whose), fmt::format("{:.1e}", one.norm_error),
                    fmt::format("{:.1e}", one.inner_product_error), fmt::format("{:.1e}", one.distance_error),
                    fmt::format("{} of {}", one.duplicates_found, one.duplicates)});
  }
  return {"Geometry passes through the mask",
          element("p", "",
                  "Read off masked contexts alone, and compared with the true values: the largest error over all users "
                  "or pairs.") +
              table({"of", "norms", "inner products", "distances", "duplicates found"}, rows)};
}

PageSection sums_section(const AuditResult& result) {
  std::vector<std::vector<std::string>> rows;
  for (const SumReading& one : result.sums) {
    rows.push_back({fmt::format("passive participant {}", one.participant),
                    fmt::format("{:.4f}", one.block_correlation), fmt::format("{:.4f}", one.sum_correlation)});
  }
  const char* const words =
      result.sums.size() == 1
          ? "With two participants secure summation hides nothing from the active one: it subtracts its own part."
          : "Correlation of the norms that the active participant computes from what one participant sends with the "
            "true ones. Secure summation leaves nothing of one participant by itself, as long as no other one helps.";
  return {"What secure summation prevents",
          element("p", "", words) + table({"norms of", "--insecure-blocks", "summed securely"}, rows)};
}

std::string recovery_chart(const AuditResult& result) {
  LineChart chart;
  chart.title = "Root mean square error of recovered features by number of known contexts";
  chart.x_label = "known contexts";
  chart.y_label = "rms error of all features";
  ChartSeries series{"private", "error", {}};
  for (const RecoveryReading& one : result.recovery_curve) {
    series.points.push_back({static_cast<double>(one.known), one.rms_error, {}});
  }
  chart.series = {series};
  return chart_figure(chart,
                      "Features of all passive participants and all users. With one context fewer than all, the better "
                      "of the two signs.");
}

PageSection recovery_section(const AuditResult& result) {
  std::vector<std::vector<std::string>> rows;
  const auto add = [&](const std::string& what, const RecoveryReading& one) {
    rows.push_back({what + (one.rms_with_other_sign ? ", up to one sign" : ""),
                    fmt::format("{:.1e}", one.largest_error), fmt::format("{:.2g}", one.rms_error),
                    fmt::format("{:.1f}%", 100 * one.relative_error)});
  };
  for (const RecoveryReading& one : result.recovery) {
    add(fmt::format("{} of {}", one.known, result.independent), one);
  }
  add("a guess: the mean of those known", result.mean_guess);
  add("control: all, with the block of another mask", result.wrong_block);
  return {"Known contexts undo the mask",
          element("p", "",
                  "The active participant knows its own block of the mask and its own features. Contexts of others "
                  "that it happens to know give it the rest: features of all users.") +
              table({"known contexts", "largest error", "rms error", "of the norm"}, rows) + recovery_chart(result)};
}

// Recovered against true values of the best match, of some hundred users.
std::string scatter(const AuditResult& result) {
  if (result.unmixing.matches.empty()) return {};
  const MatchReading::Match& best = result.unmixing.matches.front();
  constexpr double side = 380;
  constexpr double margin = 44;
  const std::size_t d = result.data.dimension();
  const std::size_t stride = result.data.rows / 300 + 1;
  std::vector<std::pair<double, double>> points;
  for (std::size_t row = 0; row < result.data.rows; row += stride) {
    points.emplace_back(result.data.values[row * d + result.data.columns[0] + best.feature],
                        best.sign * result.unmixed.values[row * result.unmixed.components + best.component]);
  }
  double low = points[0].first;
  double high = low;
  for (const auto& [truth, guess] : points) {
    low = std::min({low, truth, guess});
    high = std::max({high, truth, guess});
  }
  const auto at = [&](double value) {
    return margin + (value - low) / std::max(high - low, 1e-300) * (side - 2 * margin);
  };
  std::string svg = fmt::format(
      R"(<svg class="chart" style="max-width:{0}px" viewBox="0 0 {0} {0}" role="img"><title>Recovered )"
      R"(against true values of one feature</title><line class="grid" x1="{1}" y1="{2}" x2="{2}" y2="{1}"/>)"
      R"(<line class="axis" x1="{1}" y1="{2}" x2="{2}" y2="{2}"/><line class="axis" x1="{1}" y1="{1}" x2="{1}" y2="{2}"/>)",
      side, margin, side - margin);
  for (const auto& [truth, guess] : points) {
    svg += fmt::format(R"(<circle class="dot-private" cx="{:.1f}" cy="{:.1f}" r="2"/>)", at(truth), side - at(guess));
  }
  svg += fmt::format(
      R"(<text class="label" x="{}" y="{}" text-anchor="middle">true value</text>)"
      R"svg(<text class="label" x="18" y="{}" text-anchor="middle" transform="rotate(-90 18 {})">recovered</text></svg>)svg",
      side / 2, side - 14, side / 2, side / 2);
  return element("figure", "",
                 svg + element("figcaption", "",
                               fmt::format("One feature of up to 300 users, correlation {:.4f}.", best.correlation)));
}

PageSection unmixing_section(const AuditResult& result) {
  const std::string text = fmt::format(
      "Independent component analysis of the masked contexts, by someone who knows no context of others: {} of {} "
      "features matched, correlation <strong>{:.4f}</strong> on average and {:.4f} at least, rms error {:.2g}.{}",
      result.unmixing.matched, result.data.dimension() - result.data.columns[0], result.unmixing.mean_correlation,
      result.unmixing.least_correlation, result.unmixing.rms_error,
      result.unmixed.converged
          ? ""
          : " It did not settle: features are Gaussian, depend on each other, or are many for so few contexts.");
  return {"Without any known context", element("p", "", text) + scatter(result)};
}

PageSection generator_section(const AuditResult& result) {
  return {"Active participant and mask generator together",
          element("p", "",
                  fmt::format("They read every feature of every user: largest error <strong>{:.1e}</strong>.",
                              result.generator_error))};
}

}  // namespace

std::string audit_html(const AuditResult& result, const std::string& command) {
  ReportPage page;
  page.title = "what O3M leaks";
  page.eyebrow = escape_html(
      fmt::format("sotto · {} · {}, {}, {}", result.data.source, counted(result.data.rows, "context"),
                  counted(result.data.dimension(), "feature"), counted(result.data.columns.size(), "participant")));
  page.heading = "What O3M leaks";
  page.verdict = escape_html(leakage_headline());
  page.sections = {geometry_section(result),
                   sums_section(result),
                   recovery_section(result),
                   unmixing_section(result),
                   generator_section(result),
                   leakage_section(result.parameters),
                   {"Command", element("pre", "", escape_html(command))}};
  return to_html(page);
}

}  // namespace sotto::apps
