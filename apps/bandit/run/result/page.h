// The parts of report.html about logs, and about the worth of joining.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apps/bandit/run/result/result.h"
#include "apps/kit/report/run_page.h"

namespace sotto::apps::bandit::run {

// For a run about a log.
[[nodiscard]] std::string log_verdict(const BanditResult& result);
[[nodiscard]] std::vector<Tile> log_tiles(const BanditResult& result);

[[nodiscard]] PageSection evaluation_section(const BanditResult& result);
// The evaluation's values for each segment of the log.
[[nodiscard]] PageSection segments_section(const BanditResult& result);
// A line of the terminal for one segment. `exact` is the plain-text twin's evaluation, if there is one.
struct SegmentLine {
  std::string name, value, remark;
};
[[nodiscard]] std::vector<SegmentLine> segment_lines(const Evaluation& evaluation,
                                                     const std::optional<Evaluation>& exact);
// The worth of joining: each policy as a dot with whiskers, and the curve of the lift.
[[nodiscard]] PageSection worth_section(const BanditResult& result);
// "mean of 100 plays, sd 0.0193"; "one play" for one.
[[nodiscard]] std::string plays_text(std::uint64_t plays, double sd);
// The learning curves of the single companies, and their style.
[[nodiscard]] std::vector<ChartSeries> series_of_companies(const BanditResult& result);
[[nodiscard]] std::string parts_style();

// "0.7123 (0.7010 to 0.7236)"; a dash if there is no estimate.
[[nodiscard]] std::string estimate_text(const std::optional<Estimate>& estimate);
// "0.6400 to 0.7800".
[[nodiscard]] std::string bounds_text(const std::optional<Bounds>& bounds);
// "mean weight 1.01 +- 0.05", with a 95% interval.
[[nodiscard]] std::string mean_weight_text(const MeanWeight& weight);
// "1.01 &plusmn; 0.05", as HTML: with a 95% interval; a dash if the policy has no mean weight.
[[nodiscard]] std::string mean_weight_cell(const PolicyValue& value);
// The name of the support, such as "not refuted".
[[nodiscard]] std::string support_text(Support support);
// A phrase that says why a policy has no value; empty if the policy has a value.
[[nodiscard]] std::string why_no_value(const PolicyValue& value);
// A phrase that names the policy whose mean weight refutes the propensities; empty if there is no such policy.
[[nodiscard]] std::string wrong_propensities_text(const Evaluation& evaluation);
// The answer in one bit, in words.
[[nodiscard]] std::string answer_text(const BitAnswer& answer);
// Which role added how much noise to the counts.
[[nodiscard]] std::string noise_text(const Evaluation& evaluation);
// One line for each role that added so little noise that the page stamps it as weak.
[[nodiscard]] std::vector<std::string> weak_noise(const Evaluation& evaluation);

// The sections of report.html about the view of each role: the flow of data with the roles' views, and the differential
// privacy of arms.

[[nodiscard]] PageSection views_section(const BanditResult& result);
// The items as a list: `css_class` is "sees" or "blind".
[[nodiscard]] std::string list_of(const std::vector<std::string>& items, std::string_view css_class);
// Which roles could know which part of the run's randomness (randomness_account.h).
[[nodiscard]] PageSection randomness_section(const BanditResult& result);
[[nodiscard]] PageSection privacy_section(const BanditResult& result);

}  // namespace sotto::apps::bandit::run
