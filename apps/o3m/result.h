// The report of an O3M run: the content of run.json, of the terminal summary and of report.html.
//
// The report is plain data, which the launcher fills in from the reports of the roles. Fields that were not measured or
// not requested stay empty and are null in the JSON. The file run.json has the arms and the rewards, which only the
// active participant knows in a run of several companies.
#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "apps/kit/report/human.h"
#include "apps/kit/report/reward_curve.h"
#include "apps/kit/report/run_header.h"
#include "apps/o3m/plan.h"
#include "apps/o3m/player.h"

namespace sotto::apps {
struct Settings;
}  // namespace sotto::apps

namespace sotto::apps::o3m {

// A point of the regret curve: the sum of the regret of steps 1 to `step`.
struct RegretPoint {
  std::uint64_t step = 0;
  double regret = 0;

  static void describe(auto& self, auto&& field) {
    field("step", self.step);
    field("cumulative_regret", self.regret);
  }
};

struct O3mResult : RunHeader {
  std::shared_ptr<const Settings> settings;  // the requested settings; may be null
  O3mParameters parameters;
  std::vector<PartyInput> inputs;     // one entry for each participant
  std::string environment;            // name of the environment file
  std::string arms_file;              // name of the arms file; empty: none
  std::string combine;                // "concatenate" or "sum"; empty: no arms file
  bool leakage_acknowledged = false;  // whether the user gave --acknowledge-leakage

  // The arms and rewards of the run, one entry for each step.
  std::vector<std::uint32_t> arms;  // 0-based
  std::vector<double> rewards;
  std::optional<double> average_reward;
  Curve reward_curve;
  std::optional<double> uniform_average_reward;  // average reward of uniform play
  // The next three members are present only if the environment has means.
  std::optional<double> cumulative_regret;
  std::optional<double> uniform_regret;  // cumulative regret of uniform play
  std::vector<RegretPoint> regret_curve;

  // Absent without --compare-central.
  std::optional<CentralComparison> central;

  // The time for a step after the masked contexts have arrived: the active participant selects an arm and learns the
  // arm's reward.
  std::optional<double> seconds_per_step;
  // The time for a step including masking, sending and adding up, measured from the first round until the last step is
  // played.
  std::optional<double> end_to_end_seconds_per_step;
  std::optional<double> bytes_per_step;  // bytes that the active participant receives, headers included
  std::optional<double> setup_seconds;   // time of connecting and of the handshake at the active participant
  std::optional<double> wall_seconds;    // from the start of the first process to the end of the last process
  std::optional<bool> prefetched;        // whether all masked contexts had arrived before the first step
  std::vector<RoleCost> roles;
};

// The extra leakage to the active participant when all participants know the arm features; empty otherwise.
[[nodiscard]] std::string leakage_of_arm_features(const O3mResult& result);

// The result as the JSON object of run.json. "arms" is the list of chosen arms; "arm_count" is the number of arms.
[[nodiscard]] nlohmann::ordered_json to_json(const O3mResult& result);

// The summary for a terminal: several aligned lines, each ended by a newline.
[[nodiscard]] std::string summary_text(const O3mResult& result, const TextOptions& options);
// report.html: one page that loads no other file. Like the summary, the page states the leakage of O3M.
[[nodiscard]] std::string report_html(const O3mResult& result);

}  // namespace sotto::apps::o3m
