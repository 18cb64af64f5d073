// The result of a run of the private bandit: the content of run.json, of the terminal summary and of report.html.
//
// A BanditResult has only data, which the launcher fills from the reports of the roles. A value that was not measured
// (a failed run, a model that was not revealed) stays empty. Seconds and bytes are those of the largest party unless
// the comment says otherwise. The JSON has every field under the same name. An empty value is null, or absent where the
// comment says so.
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

// One part of the run, in order: "setup", "dealing", "online", "reveal", ...
struct PhaseCost {
  std::string name;
  double seconds = 0;
  double rounds = 0;
  double bytes = 0;        // bytes that the largest party sent
  double dealt_bytes = 0;  // bytes dealt to the last party

  static void describe(auto& self, auto&& field) {
    field("name", self.name);
    field("seconds", self.seconds);
    field("rounds", self.rounds);
    field("bytes", self.bytes);
    field("dealt_bytes", self.dealt_bytes);
  }
};

// One round of a step (1-based): the values that are opened in the round and the bytes that the largest party sends. In
// batches, it is a round of a batch of the largest size: the rounds of its decision come first, then the rounds of
// learning.
struct RoundCost {
  std::uint64_t round = 0;
  std::vector<std::string> labels;
  double bytes = 0;
  std::optional<double> seconds;       // absent if not measured
  std::optional<std::string> phase{};  // in batches "decide" or "learn"; the rounds of each are numbered from 1

  static void describe(auto& self, auto&& field) {
    field("round", self.round);
    field("labels", self.labels);
    field("bytes", self.bytes);
    field.unless_empty("seconds", self.seconds);
    field.unless_empty("phase", self.phase);
  }
};

// The information that a role of the run learns, and the information that it never sees.
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

// The state of a run with checkpoints.
struct KeptState {
  std::uint64_t checkpoint_every = 0;  // number of steps between checkpoints
  std::uint64_t epochs = 1;            // how often the run was started or resumed
  std::uint64_t from_step = 0;         // number of steps that were done before the last epoch
  std::uint64_t repeated_steps = 0;    // number of repeated steps in all epochs; eta_composed includes them

  static void describe(auto& self, auto&& field) {
    field("checkpoint_every", self.checkpoint_every);
    field("epochs", self.epochs);
    field("from_step", self.from_step);
    field("repeated_steps", self.repeated_steps);
  }
};

// A run that learned from a log, or evaluated a log.
struct LoggedRun {
  BanditTask task = BanditTask::learn;
  std::string file;
  double reward_scale = 1;  // rewards were divided by this scale; shown rewards are not

  static void describe(auto& self, auto&& field) {
    field("task", self.task);
    field("file", self.file);
    field("reward_scale", self.reward_scale);
  }
};

// One arm, played in every step.
struct ArmPlay {
  std::size_t arm = 0;
  double average_reward = 0;

  static void describe(auto& self, auto&& field) {
    field("arm", self.arm);
    field("average_reward", self.average_reward);
  }
};

// The model that a run begins from.
struct BegunFrom {
  std::string id;            // id of the checkpoint of the model
  std::uint64_t events = 0;  // number of events that the model has learned
  double reward_scale = 1;

  static void describe(auto& self, auto&& field) {
    field("id", self.id);
    field("events", self.events);
    field("reward_scale", self.reward_scale);
  }
};

using Matrix = std::vector<std::vector<double>>;

struct BanditResult : RunHeader {
  std::shared_ptr<const Settings> settings;  // as requested; may be null
  // Parameters.
  std::uint64_t steps = 0;
  std::size_t arms = 0;
  std::size_t features = 0;
  std::size_t parties = 0;
  std::size_t computing_only = 0;  // number of parties that bring no features
  std::size_t owners = 0;          // number of owners, which bring features and do not compute
  RandomnessBy preprocessing = RandomnessBy::dealer;
  double epsilon = 0;  // the epsilon that was used
  double max_norm = 1;
  bool joint_norm_holds = false;  // whether somebody has checked that norms of joint rows are at most max_norm
  int fraction_bits = 20;
  int inverse_fraction_bits = 30;
  int comparison_bits = 0;
  int reward_bits = 0;
  // The number of steps that are decided and learned at once. In a run in batches the JSON calls a step an event.
  std::uint64_t batch = 1;
  std::uint64_t reward_lag = 0;
  bool contexts_ahead = true;                   // whether single steps know contexts a step ahead
  std::shared_ptr<const BatchPlan> batches;     // further widths of a run in batches; null otherwise
  std::shared_ptr<const StepPlan> single_step;  // further widths of a run of single steps; null otherwise
  std::uint64_t repeats = 1;
  std::vector<PartyInput> inputs;
  std::string environment;  // the file's name
  std::optional<MoneyTerms> money;
  // Absent or null if the run has no log, no earlier model or no evaluation.
  std::optional<LoggedRun> log;
  std::optional<BegunFrom> from;
  std::shared_ptr<const EvaluationPlan> evaluation_plan;

  // The word for a step in texts: in batches an event.
  [[nodiscard]] const char* step_word() const { return batches ? "event" : "step"; }
  [[nodiscard]] const char* a_step() const { return batches ? "an event" : "a step"; }

  // Privacy.
  EtaPerAction eta_per_action;
  EtaComposed eta_composed;  // bound for all opened arms, repeated steps included
  std::vector<RoleView> views;
  std::vector<RandomnessSource> randomness;  // which roles could know which randomness

  // Rewards.
  std::optional<double> average_reward;
  Curve reward_curve;
  // The plain-text twin on all features: the mean over its plays. Its standard deviation is in `sd`.
  std::optional<double> plaintext_average_reward;
  std::uint64_t plaintext_plays = 0;
  Curve plaintext_curve;
  std::optional<double> uniform_average_reward;          // of uniform play, if known
  std::optional<double> best_average_reward;             // of always playing the best arm, if known
  std::optional<PlaintextComparison> compare_plaintext;  // absent without --compare-plaintext
  std::vector<PlainPlays> parts;                         // of each company's features only, then of all together
  std::optional<ArmPlay> baseline_arm;                   // absent without --baseline
  std::optional<Evaluation> evaluation;                  // the evaluation of a log
  std::optional<Evaluation> plaintext_evaluation;        // the evaluation by the plain-text twin

  // Cost.
  std::optional<double> rounds_per_step;  // rounds in the loop of steps only
  std::optional<double> bytes_per_step;   // headers and payload that one party sends to all other roles
  std::optional<double> dealt_bytes_per_step;
  std::optional<double> online_seconds;    // without waiting for the dealer
  std::optional<double> dealer_seconds;    // CPU time of the dealer
  std::optional<double> seconds_per_step;  // wall time of all roles together
  std::optional<double> events_per_second;
  std::optional<double> dealer_seconds_per_event;
  // Without a dealer: the randomness that the parties make ahead. The rounds and bytes of preprocessing are not
  // included in the costs above. The seconds of preprocessing are not in online_seconds.
  std::optional<double> preprocessing_rounds_per_step;
  std::optional<double> preprocessing_bytes_per_step;
  std::optional<double> preprocessing_seconds;
  std::vector<PhaseCost> phases;
  std::vector<RoundCost> step_rounds;
  std::vector<RoleCost> roles;

  // Absent if the run keeps no state. After a resume, the costs above are only those of the last epoch. Rewards, arms
  // and privacy are those of all steps.
  std::optional<KeptState> state;

  // The emulated links, which do not measure a real network. Absent if no links were emulated.
  std::optional<net::LinkConditions> link;
  std::optional<LinkModel> link_model;  // only for a complete run

  // The model, absent without --reveal-model. Weights are [arm][feature in party order], inverse matrices [arm][i][j].
  std::optional<Matrix> weights;
  std::optional<std::vector<Matrix>> inverse_matrices;

  // sd: the sample standard deviation of each scalar, by the scalar's name. It is over the runs for repeated runs (see
  // average), and over the plays for plaintext_average_reward. runs: the scalars of each run.
  std::map<std::string, double> sd;
  std::vector<std::map<std::string, double>> runs;

  // The measured figures. The result of repeated runs has their means.
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

// The object of run.json. At epsilon 0 the bounds are null and eta_composed has "bound": "unbounded".
nlohmann::json to_json(const BanditResult& result);

// The result of repeated runs of one configuration. Each measured scalar is the mean over the runs, with its sample
// standard deviation in `sd` (JSON: <name>_sd next to <name>). Curves are averaged point by point; phases, rounds and
// roles are averaged by position. The model and the plain-text comparison are those of the first run. The result has
// the status "failed" if one run failed. Throws std::invalid_argument if there is no run.
BanditResult average(std::span<const BanditResult> runs);

// The summary for a terminal: several aligned lines, each ended by a newline.
std::string summary_text(const BanditResult& result, const TextOptions& options = {});
// report.html: one page that loads nothing from elsewhere.
std::string report_html(const BanditResult& result);

// " in batches of 64, rewards 100 events late"; empty if there are no batches.
std::string batches_text(const BanditResult& result);

// "140 ms delay + 2.27 ms bytes / rate + 410 us arithmetic"; parts that are zero are left out.
std::string link_parts(const LinkModel& model);

}  // namespace sotto::apps::bandit::run
