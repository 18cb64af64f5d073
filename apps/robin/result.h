// The report of a ROBIN run: run.json, the terminal summary and report.html.
//
// The run.json of a local run contains the mean reward of all clients and counts of clipped values. These figures are
// not differentially private. In a run between companies, nobody learns these figures.
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
  RobinOutcome outcome;
  std::vector<std::string> files;
  bool has_means = true;
  std::vector<double> estimate;  // the last broadcast
  std::vector<RoleCost> roles;
  std::optional<double> play_seconds;
  std::optional<double> wall_seconds;
};

// Returns the cumulative regret of a client at the end of each phase, as pairs of steps and regret.
[[nodiscard]] std::vector<std::pair<std::uint64_t, double>> regret_curve(const std::vector<PhaseFigures>& phases);

[[nodiscard]] nlohmann::ordered_json to_json(const RobinResult& result);

[[nodiscard]] std::string summary_text(const RobinResult& result, const TextOptions& options);
[[nodiscard]] std::string report_html(const RobinResult& result);

// Returns pairs of a role and a sentence about everything that the role learns.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> robin_learned(bool local);
[[nodiscard]] std::string robin_headline(bool local);

}  // namespace sotto::apps::robin
