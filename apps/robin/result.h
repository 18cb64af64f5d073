// The report of a ROBIN run: the content of run.json, of the terminal summary and of report.html.
//
// The launcher fills in a RobinResult from the reports of the roles and from the twins. Figures that were not measured
// stay empty and are null in the JSON. The file of a local run has the mean reward of all clients and the number of
// their clipped numbers. Neither of the two is differentially private. In a run between companies, nobody has the mean
// reward or the number of clipped numbers.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "apps/kit/report/human.h"
#include "apps/kit/report/run_header.h"
#include "apps/robin/play.h"

namespace sotto::apps::robin {

struct RobinResult : RunHeader {
  RobinOutcome outcome;            // settings, decision, results, twins
  std::vector<std::string> files;  // names of the logged clients' files
  bool has_means = true;           // false: regret is computed against the best arm in hindsight
  std::vector<double> estimate;    // the last broadcast
  std::vector<RoleCost> roles;
  std::optional<double> play_seconds;  // time of the slowest process of clients
  std::optional<double> wall_seconds;  // from the start of the first process to the end of the last one
};

// The cumulative regret of a client at the end of each phase: (steps, regret).
[[nodiscard]] std::vector<std::pair<std::uint64_t, double>> regret_curve(const std::vector<PhaseFigures>& phases);

// The JSON object in run.json.
[[nodiscard]] nlohmann::ordered_json to_json(const RobinResult& result);

// The summary for a terminal: several aligned lines, each ended by a newline.
[[nodiscard]] std::string summary_text(const RobinResult& result, const TextOptions& options);
// report.html: one page that loads no other files.
[[nodiscard]] std::string report_html(const RobinResult& result);

// Pairs (role, sentence): everything that each role learns. docs/explain/privacy.md explains why each sentence is true.
// `local` is for a run without any release.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> robin_learned(bool local);
// The line to print on every page that shows results of ROBIN.
[[nodiscard]] std::string robin_headline(bool local);

}  // namespace sotto::apps::robin
