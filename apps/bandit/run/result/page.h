// The parts of report.html about logs, and about what each party's features are worth by themselves.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "apps/bandit/run/result/result.h"
#include "apps/kit/report/run_page.h"

namespace sotto::apps::bandit::run {

// Of a run about a log.
[[nodiscard]] std::string log_verdict(const BanditResult& result);
[[nodiscard]] std::vector<Tile> log_tiles(const BanditResult& result);

[[nodiscard]] PageSection evaluation_section(const BanditResult& result);
// What it says of each segment of the log.
[[nodiscard]] PageSection segments_section(const BanditResult& result);
// A line of the terminal for one of them; `exact` is what the plain-text twin says of all, if it is there.
struct SegmentLine {
  std::string name, value, remark;
};
[[nodiscard]] std::vector<SegmentLine> segment_lines(const Evaluation& evaluation,
                                                     const std::optional<Evaluation>& exact);
// The curves of --compare-parts beside the private run, and their style.
[[nodiscard]] PageSection parts_section(const BanditResult& result);
[[nodiscard]] std::string parts_style();

// "0.7123 (0.7010 to 0.7236)"; a dash where there is none.
[[nodiscard]] std::string estimate_text(const std::optional<Estimate>& estimate);
// "0.6400 to 0.7800".
[[nodiscard]] std::string bounds_text(const std::optional<Bounds>& bounds);
// "mean weight 1.01 +- 0.05": with 95%.
[[nodiscard]] std::string mean_weight_text(const MeanWeight& weight);
// "not refuted": the name of it.
[[nodiscard]] std::string support_text(Support support);
// Why a policy has no value, in a phrase; empty where it has one.
[[nodiscard]] std::string why_no_value(const PolicyValue& value);
// Of propensities that a mean weight refutes: by which policy; empty where none does.
[[nodiscard]] std::string wrong_propensities_text(const Evaluation& evaluation);
// What an answer in one bit says.
[[nodiscard]] std::string answer_text(const BitAnswer& answer);
// Who added how much noise to the counts.
[[nodiscard]] std::string noise_text(const Evaluation& evaluation);
// A line for each who added so little that it is stamped.
[[nodiscard]] std::vector<std::string> weak_noise(const Evaluation& evaluation);

// The sections of report.html about who sees what: the flow of data with the roles' views, and the differential privacy
// of arms.

[[nodiscard]] PageSection views_section(const BanditResult& result);
// Who could know what of the run's randomness (randomness_account.h).
[[nodiscard]] PageSection randomness_section(const BanditResult& result);
[[nodiscard]] PageSection privacy_section(const BanditResult& result);

}  // namespace sotto::apps::bandit::run
