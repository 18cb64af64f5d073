// The report of an O3M run: run.json, the terminal summary and report.html.
//
// run.json contains the arms and the rewards, which only the active participant knows in a run of several companies.
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

struct RegretPoint {
  std::uint64_t step = 0;
  double regret = 0;

  static void describe(auto& self, auto&& field) {
    field("step", self.step);
    field("cumulative_regret", self.regret);
  }
};

struct O3mResult : RunHeader {
  std::shared_ptr<const Settings> settings;
  O3mParameters parameters;
  std::vector<PartyInput> inputs;
  std::string environment;
  std::string arms_file;
  std::string combine;  // "concatenate" or "sum"; empty if there is no arms file
  bool leakage_acknowledged = false;

  std::vector<std::uint32_t> arms;  // numbered from 0
  std::vector<double> rewards;
  std::optional<double> average_reward;
  Curve reward_curve;
  std::optional<double> uniform_average_reward;
  // The next three members are present only if the environment has means.
  std::optional<double> cumulative_regret;
  std::optional<double> uniform_regret;
  std::vector<RegretPoint> regret_curve;

  // Empty without --compare-central.
  std::optional<CentralComparison> central;

  // Mean time to select an arm and learn its reward, after the masked contexts have arrived.
  std::optional<double> seconds_per_step;
  // Mean time of a step from the first round to the last played step. This time also includes masking, sending and
  // adding up.
  std::optional<double> end_to_end_seconds_per_step;
  std::optional<double> bytes_per_step;  // bytes that the active participant received per step, headers included
  std::optional<double> setup_seconds;
  std::optional<double> wall_seconds;
  std::optional<bool> prefetched;
  std::vector<RoleCost> roles;
};

[[nodiscard]] std::string leakage_of_arm_features(const O3mResult& result);

// "arms" is the list of chosen arms; "arm_count" is the number of arms.
[[nodiscard]] nlohmann::ordered_json to_json(const O3mResult& result);

[[nodiscard]] std::string summary_text(const O3mResult& result, const TextOptions& options);
[[nodiscard]] std::string report_html(const O3mResult& result);

}  // namespace sotto::apps::o3m
