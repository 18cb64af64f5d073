// The report of one role about a run. The role writes the file under a temporary name and then renames it.
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

// The epsilon that an evaluation has cost the subjects of a role.
struct ChargedAccount {
  double epsilon = 0;
  std::uint64_t subjects = 0;
  double most_spent = 0;  // largest sum of epsilons that one subject has spent
  double budget = 0;
  double learning_epsilon = 0;  // epsilon of the noise in learning

  static void describe(auto& self, auto&& field) {
    field("epsilon", self.epsilon);
    field("subjects", self.subjects);
    field("most_spent", self.most_spent);
    field("budget", self.budget);
    field("learning_epsilon", self.learning_epsilon);
  }
};

[[nodiscard]] std::string charged_text(const ChargedAccount& account);

struct OwnData {
  std::string file;
  std::uint64_t rows = 0;
  std::uint64_t columns = 0;
  double max_norm = 0;  // the bound that the role announces

  static void describe(auto& self, auto&& field) {
    field("file", self.file);
    field("rows", self.rows);
    field("columns", self.columns);
    field("max_norm", self.max_norm);
  }
};

struct RoleReport : RoundsHeader {
  bool joint_norm_holds = false;  // the config says that joint norms are at most max_norm

  std::uint64_t step_rounds = 0;  // number of rounds in steps, without other phases
  std::uint64_t step_bytes_sent = 0;
  std::uint64_t step_dealt_bytes = 0;
  std::uint64_t dealt_bytes = 0;  // bytes of the whole run
  // The cost of randomness that the parties make ahead. The sent bytes and online_seconds include this cost.
  std::uint64_t preprocessing_rounds = 0;
  std::uint64_t preprocessing_bytes_sent = 0;
  double preprocessing_seconds = 0;

  // The epoch in which the role measured all values of this report.
  std::uint32_t epoch = 1;
  std::uint64_t from_step = 0;    // number of steps before this epoch
  std::uint64_t steps_begun = 0;  // number of steps begun in all epochs

  double dealing_seconds = 0;  // before the rounds
  double online_seconds = 0;   // all waiting included
  double waiting_for_dealer_seconds = 0;
  double waiting_for_peers_seconds = 0;
  double decide_seconds = 0;  // part of online_seconds

  std::optional<double> average_reward;
  Curve reward_curve;
  std::vector<std::uint32_t> arms;  // pulled arms, only with compare_plaintext

  // At the actor: the pulls of each arm from step `from_step` on.
  std::vector<std::uint64_t> pulls;

  std::optional<OwnData> data;

  // At the actor.
  std::optional<Evaluation> evaluation;

  std::optional<ChargedAccount> account;

  // At party 0.
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
