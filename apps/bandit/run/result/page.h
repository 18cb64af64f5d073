// The parts of report.html about logs, and about what companies gain if they join their data (worth.h).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apps/bandit/run/result/result.h"
#include "apps/kit/report/run_page.h"

namespace sotto::apps::bandit::run {

[[nodiscard]] std::string log_verdict(const BanditResult& result);
[[nodiscard]] std::vector<Tile> log_tiles(const BanditResult& result);

[[nodiscard]] PageSection evaluation_section(const BanditResult& result);
[[nodiscard]] PageSection segments_section(const BanditResult& result);
struct SegmentLine {
  std::string name, value, remark;
};
[[nodiscard]] std::vector<SegmentLine> segment_lines(const Evaluation& evaluation,
                                                     const std::optional<Evaluation>& exact);
[[nodiscard]] PageSection worth_section(const BanditResult& result);
[[nodiscard]] std::string plays_text(std::uint64_t plays, double sd);
[[nodiscard]] std::vector<ChartSeries> series_of_companies(const BanditResult& result);
[[nodiscard]] std::string parts_style();

[[nodiscard]] std::string estimate_text(const std::optional<Estimate>& estimate);
[[nodiscard]] std::string bounds_text(const std::optional<Bounds>& bounds);
[[nodiscard]] std::string mean_weight_text(const MeanWeight& weight);
[[nodiscard]] std::string mean_weight_cell(const PolicyValue& value);
[[nodiscard]] std::string support_text(Support support);
[[nodiscard]] std::string why_no_value(const PolicyValue& value);
[[nodiscard]] std::string wrong_propensities_text(const Evaluation& evaluation);
[[nodiscard]] std::string answer_text(const BitAnswer& answer);
[[nodiscard]] std::string noise_text(const Evaluation& evaluation);
[[nodiscard]] std::vector<std::string> weak_noise(const Evaluation& evaluation);

[[nodiscard]] PageSection views_section(const BanditResult& result);
[[nodiscard]] std::string list_of(const std::vector<std::string>& items, std::string_view css_class);
[[nodiscard]] PageSection randomness_section(const BanditResult& result);
[[nodiscard]] PageSection privacy_section(const BanditResult& result);

}  // namespace sotto::apps::bandit::run
