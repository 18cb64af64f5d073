// The audit for a terminal, for programs and as a page: the same tables in all.
#include <fmt/format.h>

#include <algorithm>

#include "apps/kit/files/json.h"
#include "apps/kit/report/described.h"
#include "apps/kit/report/run_page.h"
#include "apps/kit/report/table.h"
#include "apps/o3m/leakage.h"
#include "bench/lab/o3m_audit/audit.h"
#include "core/text/count.h"
#include "core/text/terminal_safe.h"

namespace sotto::apps::lab {
namespace {

std::string tiny(double error) { return fmt::format("{:.1e}", error); }
std::string share(double correlation) { return fmt::format("{:.4f}", correlation); }

FigureTable geometry_table(const AuditResult& result) {
  FigureTable table("geometry", "1. Geometry, read off masked contexts: largest error",
                    "of; norms; products: inner products; distances; duplicates: duplicates found");
  for (const GeometryReading& one : result.geometry) {
    table.add(
        {one.whose, tiny(one.norm_error), tiny(one.inner_product_error), tiny(one.distance_error),
         fmt::format("{} of {}{}", one.duplicates_found, one.duplicates, one.same_duplicates ? "" : ", not the same")});
  }
  return table;
}

FigureTable sums_table(const AuditResult& result) {
  FigureTable table("norms", "2. Norms of one passive participant: correlation with the true ones",
                    "of: norms of; blocks: --insecure-blocks; sums: summed securely");
  for (const SumReading& one : result.sums) {
    table.add({fmt::format("passive participant {}", one.participant), share(one.block_correlation),
               share(one.sum_correlation)});
  }
  table.note(result.sums.size() == 1
                 ? "With two participants, secure summation hides nothing: the active one subtracts its own part."
                 : "Secure summation hides each from the active participant, unless others help it.");
  return table;
}

FigureTable recovery_table(const AuditResult& result) {
  FigureTable table("recovery", "3. Features of all passive participants and all users, from known contexts: error",
                    "known: known contexts; largest; rms; relative: of norm; other_sign: rms with the other sign");
  const auto add = [&](const std::string& what, const RecoveryReading& one) {
    const bool two = one.rms_with_other_sign.has_value();
    table.add({what + (two ? ", up to one sign" : ""), tiny(one.largest_error), fmt::format("{:.2g}", one.rms_error),
               fmt::format("{:.1f}%", 100 * one.relative_error),
               two ? fmt::format("{:.2g}", *one.rms_with_other_sign) : ""});
  };
  for (const RecoveryReading& one : result.recovery) {
    add(fmt::format("{} known of {}", one.known, result.independent), one);
  }
  add("a guess: the mean of those known", result.mean_guess);
  add("control: the block of another mask", result.wrong_block);
  return table;
}

std::string head(const AuditResult& result) {
  return fmt::format("{}\n{} of {} in {}; {} of them are the active participant's\n\n{}\n",
                     terminal_safe(result.data.source), counted(result.data.rows, "context"),
                     counted(result.data.dimension(), "feature"), counted(result.data.columns.size(), "participant"),
                     result.data.columns[0], leakage_headline());
}

std::string unmixing_text(const AuditResult& result) {
  return fmt::format(
      "\n4. The same without any known context: independent component analysis\n"
      "   {} components, {} matched with features; correlation {:.4f} on average, {:.4f} at least; rms error "
      "{:.2g}{}\n",
      result.unmixed.components, result.unmixing.matched, result.unmixing.mean_correlation,
      result.unmixing.least_correlation, result.unmixing.rms_error,
      result.unmixed.converged
          ? ""
          : "\n   (not settled: features are Gaussian, depend on each other, or are many for so few contexts)");
}

std::string generator_text(const AuditResult& result) {
  return fmt::format(
      "\n5. Active participant and mask generator: all features of all users\n"
      "   largest error {:.1e}\n",
      result.generator_error);
}

std::string words_text(const AuditResult& result) {
  std::string text = "\nWhat each role can learn\n";
  std::string role;
  for (const auto& [name, sentence] : leakage_words(result.parameters)) {
    if (name != role) text += fmt::format("   {}\n", name);
    role = name;
    text += fmt::format("     - {}\n", sentence);
  }
  return text;
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
  return {"Without any known context", paragraph(text) + scatter(result)};
}

PageSection generator_section(const AuditResult& result) {
  return {"Active participant and mask generator together",
          element("p", "",
                  fmt::format("They read every feature of every user: largest error <strong>{:.1e}</strong>.",
                              result.generator_error))};
}

}  // namespace

std::string to_text(const AuditResult& result) {
  std::string text = head(result);
  for (const FigureTable& table : {geometry_table(result), sums_table(result), recovery_table(result)}) {
    text += "\n" + table.to_text();
  }
  return text + unmixing_text(result) + generator_text(result) + words_text(result);
}

nlohmann::ordered_json to_json(const AuditResult& result) {
  nlohmann::ordered_json json{{"source", result.data.source},
                              {"contexts", result.data.rows},
                              {"columns", result.data.columns},
                              {"headline", leakage_headline()}};
  json["geometry"] = json_of(result.geometry);
  json["norms_of_one_participant"] = json_of(result.sums);
  json["independent_contexts"] = result.independent;
  json["recovery"] = json_of(result.recovery);
  json["guess_of_the_mean"] = json_of(result.mean_guess);
  json["recovery_with_wrong_block"] = json_of(result.wrong_block);
  json["unmixing"] = {{"components", result.unmixed.components},
                      {"matched", result.unmixing.matched},
                      {"iterations", result.unmixed.iterations},
                      {"converged", result.unmixed.converged},
                      {"mean_correlation", result.unmixing.mean_correlation},
                      {"least_correlation", result.unmixing.least_correlation},
                      {"rms_error", result.unmixing.rms_error}};
  json["mask_generator_error"] = result.generator_error;
  json["leakage"] = leakage(result.parameters);
  return json;
}

std::string audit_html(const AuditResult& result, const std::string& command) {
  ReportPage page;
  page.title = "what O3M leaks";
  page.eyebrow = escape_html(
      fmt::format("sotto · {} · {}, {}, {}", result.data.source, counted(result.data.rows, "context"),
                  counted(result.data.dimension(), "feature"), counted(result.data.columns.size(), "participant")));
  page.heading = "What O3M leaks";
  page.verdict = escape_html(leakage_headline());
  page.sections = {
      {"Geometry passes through the mask",
       paragraph("Read off masked contexts alone, and compared with the true values: the largest error over all users "
                 "or pairs.") +
           geometry_table(result).to_html()},
      {"What secure summation prevents",
       paragraph("Correlation of the norms that the active participant computes from what one participant sends with "
                 "the true ones.") +
           sums_table(result).to_html()},
      {"Known contexts undo the mask",
       paragraph("The active participant knows its own block of the mask and its own features. Contexts of others that "
                 "it happens to know give it the rest: features of all users.") +
           recovery_table(result).to_html() + recovery_chart(result)},
      unmixing_section(result),
      generator_section(result),
      leakage_section(result.parameters),
      {"Command", element("pre", "", escape_html(command))}};
  return to_html(page);
}

}  // namespace sotto::apps::lab
