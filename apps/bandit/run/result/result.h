// The content of run.json, of the terminal summary and of report.html.
//
// Values that were not measured stay empty. Seconds and bytes are those of the party that has the largest number,
// unless the comment at a member says otherwise.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "apps/bandit/model/batch/batch_plan.h"
#include "apps/bandit/model/evaluate/private_evaluation.h"
#include "apps/bandit/model/privacy.h"
#include "apps/bandit/model/program/randomness_account.h"
#include "apps/bandit/model/step/step_plan.h"
#include "apps/bandit/model/twin/plain_plays.h"
#include "apps/bandit/model/twin/plaintext.h"
#include "apps/bandit/run/log/estimates.h"
#include "apps/bandit/run/result/link_model.h"
#include "apps/bandit/run/settings/money.h"
#include "apps/kit/report/human.h"
#include "apps/kit/report/reward_curve.h"
#include "apps/kit/report/run_header.h"

namespace sotto::apps {
struct Settings;
}  // namespace sotto::apps

namespace sotto::apps::bandit::run {

struct PhaseCost {
  std::string name;
  double seconds = 0;
  double rounds = 0;
  double bytes = 0;        // sent bytes
  double dealt_bytes = 0;  // bytes from the dealer to the last party

  static void describe(auto& self, auto&& field) {
    field("name", self.name);
    field("seconds", self.seconds);
    field("rounds", self.rounds);
    field("bytes", self.bytes);
    field("dealt_bytes", self.dealt_bytes);
  }
};

// The cost of one round of a step. In a run in batches, the cost of one round of a batch of the largest size. The
// numbers of rounds begin at 1.
struct RoundCost {
  std::uint64_t round = 0;
  std::vector<std::string> labels;
  double bytes = 0;
  std::optional<double> seconds;       // if measured
  std::optional<std::string> phase{};  // "decide" or "learn"

  static void describe(auto& self, auto&& field) {
    field("round", self.round);
    field("labels", self.labels);
    field("bytes", self.bytes);
    field.unless_empty("seconds", self.seconds);
    field.unless_empty("phase", self.phase);
  }
};

struct RoleView {
  std::string role;
  std::vector<std::string> learns;
  std::vector<std::string> never_sees;

  static void describe(auto& self, auto&& field) {
    field("role", self.role);
    field("learns", self.learns);
    field("never_sees", self.never_sees);
  }
};

struct KeptState {
  std::uint64_t checkpoint_every = 0;
  std::uint64_t epochs = 1;          // number of starts and resumes
  std::uint64_t from_step = 0;       // number of steps before the last epoch
  std::uint64_t repeated_steps = 0;  // number of repetitions of steps; eta_composed includes them

  static void describe(auto& self, auto&& field) {
    field("checkpoint_every", self.checkpoint_every);
    field("epochs", self.epochs);
    field("from_step", self.from_step);
    field("repeated_steps", self.repeated_steps);
  }
};

struct LoggedRun {
  BanditTask task = BanditTask::learn;
  std::string file;
  double reward_scale = 1;  // number by which the rewards of the file were divided

  static void describe(auto& self, auto&& field) {
    field("task", self.task);
    field("file", self.file);
    field("reward_scale", self.reward_scale);
  }
};

struct ArmPlay {
  std::size_t arm = 0;
  double average_reward = 0;

  static void describe(auto& self, auto&& field) {
    field("arm", self.arm);
    field("average_reward", self.average_reward);
  }
};

struct BegunFrom {
  std::string id;            // id of the checkpoint of the earlier model
  std::uint64_t events = 0;  // number of events that the earlier model has learned
  double reward_scale = 1;

  static void describe(auto& self, auto&& field) {
    field("id", self.id);
    field("events", self.events);
    field("reward_scale", self.reward_scale);
  }
};

using Matrix = std::vector<std::vector<double>>;

struct BanditResult : RunHeader {
  std::shared_ptr<const Settings> settings;  // may be null
  std::uint64_t steps = 0;
  std::size_t arms = 0;
  std::size_t features = 0;
  std::size_t parties = 0;
  std::size_t computing_only = 0;
  std::size_t owners = 0;
  RandomnessBy preprocessing = RandomnessBy::dealer;
  double epsilon = 0;
  double max_norm = 1;
  bool joint_norm_holds = false;  // whether somebody has checked that joint norms are at most max_norm
  int fraction_bits = 20;
  int inverse_fraction_bits = 30;
  int comparison_bits = 0;
  int reward_bits = 0;
  // For a run in batches, the result calls a step an event.
  std::uint64_t batch = 1;
  std::uint64_t reward_lag = 0;
  bool contexts_ahead = true;
  std::shared_ptr<const BatchPlan> batches;     // null without batches
  std::shared_ptr<const StepPlan> single_step;  // null in batches
  std::uint64_t repeats = 1;
  std::vector<PartyInput> inputs;
  std::string environment;
  std::optional<MoneyTerms> money;
  std::optional<LoggedRun> log;
  std::optional<BegunFrom> from;
  std::shared_ptr<const EvaluationPlan> evaluation_plan;

  [[nodiscard]] const char* step_word() const { return batches ? "event" : "step"; }
  [[nodiscard]] const char* a_step() const { return batches ? "an event" : "a step"; }

  EtaPerAction eta_per_action;
  EtaComposed eta_composed;  // over all played steps, repeated steps included
  std::vector<RoleView> views;
  std::vector<RandomnessSource> randomness;

  std::optional<double> average_reward;
  Curve reward_curve;
  std::optional<double> plaintext_average_reward;
  std::uint64_t plaintext_plays = 0;
  Curve plaintext_curve;
  std::optional<double> uniform_average_reward;
  std::optional<double> best_average_reward;
  std::optional<PlaintextComparison> compare_plaintext;  // absent without --compare-plaintext
  std::vector<PlainPlays> parts;                         // the plays of each company, then of all companies together
  std::optional<ArmPlay> baseline_arm;                   // absent without --baseline
  std::optional<Evaluation> evaluation;
  std::optional<Evaluation> plaintext_evaluation;

  std::optional<double> rounds_per_step;  // rounds of steps, without other phases
  std::optional<double> bytes_per_step;   // bytes that one party sends
  std::optional<double> dealt_bytes_per_step;
  std::optional<double> online_seconds;    // without waiting for the dealer
  std::optional<double> dealer_seconds;    // CPU time of the dealer
  std::optional<double> seconds_per_step;  // wall time of a step
  std::optional<double> events_per_second;
  std::optional<double> dealer_seconds_per_event;
  // The cost of randomness that parties make ahead. The costs and online_seconds above do not include this cost.
  std::optional<double> preprocessing_rounds_per_step;
  std::optional<double> preprocessing_bytes_per_step;
  std::optional<double> preprocessing_seconds;
  std::vector<PhaseCost> phases;
  std::vector<RoundCost> step_rounds;
  std::vector<RoleCost> roles;

  // After a resume, the costs above are only those of the last epoch. Rewards, arms and privacy are those of all
  // epochs.
  std::optional<KeptState> state;

  // The emulated links of a simulation. Their times say nothing about a real network.
  std::optional<net::LinkConditions> link;
  std::optional<LinkModel> link_model;  // only of a complete run

  // Weights are [arm][feature in party order], inverse matrices [arm][i][j].
  std::optional<Matrix> weights;
  std::optional<std::vector<Matrix>> inverse_matrices;

  // Standard deviations over repeated runs. For plaintext_average_reward, the standard deviation over the plays.
  std::map<std::string, double> sd;
  std::vector<std::map<std::string, double>> runs;

  static void describe_figures(auto& self, auto&& field) {
    field("average_reward", self.average_reward);
    field("uniform_average_reward", self.uniform_average_reward);
    field("best_average_reward", self.best_average_reward);
    field("rounds_per_step", self.rounds_per_step);
    field("bytes_per_step", self.bytes_per_step);
    field("dealt_bytes_per_step", self.dealt_bytes_per_step);
    field("online_seconds", self.online_seconds);
    field("dealer_seconds", self.dealer_seconds);
    field("seconds_per_step", self.seconds_per_step);
    field("events_per_second", self.events_per_second);
    field("dealer_seconds_per_event", self.dealer_seconds_per_event);
    field("preprocessing_rounds_per_step", self.preprocessing_rounds_per_step);
    field("preprocessing_bytes_per_step", self.preprocessing_bytes_per_step);
    field("preprocessing_seconds", self.preprocessing_seconds);
  }
};

// At epsilon 0 the bounds on eta are null.
nlohmann::json to_json(const BanditResult& result);

// The mean of several runs. Scalars, phases, rounds and roles are means over the runs, and curves are means point by
// point. The model and the plain-text comparison are those of the first run. The status is "failed" if any run failed.
// Throws std::invalid_argument if there is no run.
BanditResult average(std::span<const BanditResult> runs);

std::string summary_text(const BanditResult& result, const TextOptions& options = {});
std::string report_html(const BanditResult& result);

std::string batches_text(const BanditResult& result);

std::string link_parts(const LinkModel& model);

}  // namespace sotto::apps::bandit::run
