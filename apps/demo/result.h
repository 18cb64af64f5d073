// The result of the demo: what the private run earned and cost, next to plays in plain text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "apps/bandit/model/bandit_plan.h"
#include "apps/bandit/model/privacy.h"
#include "apps/bandit/model/twin/plain_plays.h"
#include "apps/demo/digits.h"
#include "apps/demo/roles.h"
#include "apps/kit/report/run_header.h"

namespace sotto::apps::bandit::demo {

// The fields of run.json have the names that they have in the results of `sotto bandit`.
struct DemoResult : RunHeader {
  std::uint64_t steps = 0;
  double epsilon = 0;
  double average_reward = 0;
  double uniform_average_reward = 0;
  std::vector<PlainPlays> plays{};  // of each party by itself, then of both together
  double rounds_per_step = 0;
  double bytes_per_step = 0;
  double dealt_bytes_per_step = 0;
  double online_seconds = 0;
  double dealer_seconds = 0;
  EtaPerAction eta_per_action{};
  EtaComposed eta_composed{};
  Curve reward_curve{};
  std::vector<RoleCost> roles{};

  [[nodiscard]] const PlainPlays& twin() const { return plays.back(); }
  [[nodiscard]] std::span<const PlainPlays> companies() const { return std::span(plays).first(plays.size() - 1); }
  [[nodiscard]] double seconds_per_step() const { return online_seconds / static_cast<double>(steps); }

  static void describe(auto& self, auto&& field) {
    RunHeader::describe(self, field);
    field("steps", self.steps);
    field.derived("arms", Digits::arms);
    field.derived("features", Digits::columns);
    field.derived("parties", Digits::parties);
    field("epsilon", self.epsilon);
    field.derived("preprocessing", "dealer");
    field("eta_per_action", self.eta_per_action);
    field("eta_composed", self.eta_composed);
    field("average_reward", self.average_reward);
    field("uniform_average_reward", self.uniform_average_reward);
    field("plaintext_average_reward", self.twin().average_reward);
    field("plaintext_plays", self.twin().plays);
    field("plaintext_average_reward_sd", self.twin().sd);
    field("rounds_per_step", self.rounds_per_step);
    field("bytes_per_step", self.bytes_per_step);
    field("dealt_bytes_per_step", self.dealt_bytes_per_step);
    field("online_seconds", self.online_seconds);
    field.derived("seconds_per_step", self.seconds_per_step());
    field("dealer_seconds", self.dealer_seconds);
    field("reward_curve", self.reward_curve);
    field("plaintext_curve", self.twin().reward_curve);
    field("compare_parts", self.plays);
    field("roles", self.roles);
  }
};

// The result of a run; the plays in plain text are played here.
[[nodiscard]] DemoResult result_of(const DemoRun& run, const BanditPlan& plan, const Digits& digits);

// The text of the result for a terminal, in the form of the summary of `sotto bandit`.
[[nodiscard]] std::string summary_of(const DemoResult& result, bool colour);

// Writes report.html and run.json into the folder. Throws ResourceError if they cannot be written.
void write_report(const DemoResult& result, const std::filesystem::path& folder);

}  // namespace sotto::apps::bandit::demo
