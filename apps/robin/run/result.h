// What a ROBIN run reports: the content of run.json, of the terminal summary and of report.html.
//
// Plain data, filled by the launcher from the reports of the roles and by the twins. Figures that were
// not measured stay empty: null in the JSON. The file of a local run has the mean reward of all
// clients and the count of their clipped numbers, which are not private: between companies nobody has
// them.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "sotto/apps/robin/play.h"
#include "sotto/apps/robin/roles/role_report.h"

namespace sotto::apps {

enum class RobinStatus : std::uint8_t { complete, refused, failed };

struct RobinResult {
  RobinStatus status = RobinStatus::complete;
  std::optional<std::string> error;  // of a run that failed or was refused: one line
  std::string version;
  std::string command;  // as the user typed it
  std::string started;  // UTC, ISO 8601

  RobinOutcome outcome;            // settings, decision, what happened, twins
  std::vector<std::string> files;  // names, of logged clients
  bool has_means = true;           // else regret is against the best arm in hindsight
  std::vector<std::string> insecure;
  std::vector<double> estimate;  // the last broadcast
  std::vector<RobinRoleCost> roles;
  std::optional<double> play_seconds;  // of the slowest process of clients
  std::optional<double> wall_seconds;  // all processes, from start to end
};

// Regret a client until the end of each phase, summed: (steps, regret).
[[nodiscard]] std::vector<std::pair<std::uint64_t, double>> regret_curve(
    const std::vector<PhaseFigures>& phases);

// "complete", "refused", "failed".
[[nodiscard]] std::string status_text(RobinStatus status);

// The object of run.json.
[[nodiscard]] nlohmann::ordered_json to_json(const RobinResult& result);

}  // namespace sotto::apps
