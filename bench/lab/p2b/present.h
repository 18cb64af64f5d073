// What `sotto-lab simulate` shows: tables, charts, the report page, run.json.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "sotto/apps/kit/report/human.h"
#include "sotto/apps/kit/report/line_chart.h"
#include "sotto/apps/kit/report/table.h"
#include "sotto/bench/lab/p2b/simulate.h"

namespace sotto::apps {

// Rewards of the points, what the shuffler dropped, and the comparison with the reference where there is one.
[[nodiscard]] std::vector<FigureTable> simulate_tables(const SimulateResult& result);

// Of the curves, in their order; bands are 95% ones of the mean over the repeats.
[[nodiscard]] LineChart simulate_chart(const SimulateCurve& curve);

// run.json: reward_cold, reward_warm_nonprivate and reward_p2b of the headline (its last variant), epsilon, delta,
// tuples_received, tuples_kept, tuples_dropped, codes_dropped, users, seconds; then all points.
[[nodiscard]] nlohmann::ordered_json to_json(const SimulateResult& result);
[[nodiscard]] std::string summary_text(const SimulateResult& result, const TextOptions& options = {});
[[nodiscard]] std::string report_html(const SimulateResult& result);

// report.html and run.json. ResourceError where the folder cannot be written.
void write_run(const std::filesystem::path& folder, const SimulateResult& result);

}  // namespace sotto::apps
