// The report of one role about a run: its measurements, and the facts that only this role knows. The report is a JSON
// file, which is written under another name and then renamed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "apps/bandit/run/result/result.h"
#include "apps/kit/report/reward_curve.h"
#include "apps/kit/report/run_header.h"

namespace sotto::apps::bandit::run {

// The epsilon that an evaluation costs the subjects of a role's rows.
struct ChargedAccount {
  double epsilon = 0;
  std::uint64_t subjects = 0;
  double most_spent = 0;  // the most that one subject has spent in total
  double budget = 0;
  double learning_epsilon = 0;  // epsilon for the subjects whose rows were learned; 0: nothing was charged

  static void describe(auto& self, auto&& field) {
    field("epsilon", self.epsilon);
    field("subjects", self.subjects);
    field("most_spent", self.most_spent);
    field("budget", self.budget);
    field("learning_epsilon", self.learning_epsilon);
  }
};

// "charged 0.5 to 1,000 subjects, 1 for learning, most spent 1.5 of 4".
[[nodiscard]] std::string charged_text(const ChargedAccount& account);

// The features that a party or an owner brings.
struct OwnData {
  std::string file;
  std::uint64_t rows = 0;
  std::uint64_t columns = 0;
  double max_norm = 0;  // the bound that the role announces for the norm of its rows

  static void describe(auto& self, auto&& field) {
    field("file", self.file);
    field("rows", self.rows);
    field("columns", self.columns);
    field("max_norm", self.max_norm);
  }
};

struct RoleReport : RoundsHeader {
  bool joint_norm_holds = false;  // whether the config promises that joint rows are within max_norm

  // Measured on the links and by the ledger.
  std::uint64_t step_rounds = 0;  // rounds in the steps only
  std::uint64_t step_bytes_sent = 0;
  std::uint64_t step_dealt_bytes = 0;
  std::uint64_t dealt_bytes = 0;  // bytes dealt in the whole run; at the dealer and the last party
  // Without a dealer: the randomness that the parties make ahead. The sent bytes of the run include the bytes of
  // preprocessing, and its online seconds include the seconds of preprocessing.
  std::uint64_t preprocessing_rounds = 0;
  std::uint64_t preprocessing_bytes_sent = 0;
  double preprocessing_seconds = 0;

  // For a run that keeps its state. The measurements above and below are only of this epoch.
  std::uint32_t epoch = 1;
  std::uint64_t from_step = 0;    // number of steps that were done in earlier epochs
  std::uint64_t steps_begun = 0;  // number of steps begun in all epochs, repeated steps included

  // Seconds.
  double dealing_seconds = 0;  // dealing before the clock of the rounds starts
  double online_seconds = 0;   // time of the rounds, including all waiting
  double waiting_for_dealer_seconds = 0;
  double waiting_for_peers_seconds = 0;
  double decide_seconds = 0;  // in batches, part of online_seconds: the time of all decisions' rounds

  // At the rewarder of a run with the simulated environment.
  std::optional<double> average_reward;
  Curve reward_curve;
  std::vector<std::uint32_t> arms;  // with compare_plaintext

  // At the actor: how often each arm was pulled, from step `from_step` on. Empty in a run about a log.
  std::vector<std::uint64_t> pulls;

  // At a party or an owner with features in a file.
  std::optional<OwnData> data;

  // At the actor, if a log is evaluated.
  std::optional<Evaluation> evaluation;

  // At a party or an owner with an account, if a log was evaluated.
  std::optional<ChargedAccount> account;

  // At party 0, with reveal_model.
  std::optional<Matrix> weights;
  std::optional<std::vector<Matrix>> inverse_matrices;

  static void describe(auto& self, auto&& field) {
    RoundsHeader::describe(self, field);
    field("joint_norm_holds", self.joint_norm_holds);
    field("step_rounds", self.step_rounds);
    field("step_bytes_sent", self.step_bytes_sent);
    field("step_dealt_bytes", self.step_dealt_bytes);
    field("dealt_bytes", self.dealt_bytes);
    field("preprocessing_rounds", self.preprocessing_rounds);
    field("preprocessing_bytes_sent", self.preprocessing_bytes_sent);
    field("preprocessing_seconds", self.preprocessing_seconds);
    field("epoch", self.epoch);
    field("from_step", self.from_step);
    field("steps_begun", self.steps_begun);
    field("dealing_seconds", self.dealing_seconds);
    field("online_seconds", self.online_seconds);
    field("waiting_for_dealer_seconds", self.waiting_for_dealer_seconds);
    field("waiting_for_peers_seconds", self.waiting_for_peers_seconds);
    field("decide_seconds", self.decide_seconds);
    field.unless_empty("average_reward", self.average_reward);
    field("reward_curve", self.reward_curve);
    field("arms", self.arms);
    field.unless_empty("pulls", self.pulls);
    field.unless_empty("data", self.data);
    field.unless_empty("evaluation", self.evaluation);
    field.unless_empty("account", self.account);
    field.unless_empty("weights", self.weights);
    field.unless_empty("inverse_matrices", self.inverse_matrices);
  }
};

void write_role_report(const std::filesystem::path& path, const RoleReport& report);
// Throws InputError if the file is missing or is not a report.
[[nodiscard]] RoleReport read_role_report(const std::filesystem::path& path);

}  // namespace sotto::apps::bandit::run
