// What one role reports of a run: what it measured, and what it alone knows. Only the launcher of a
// local simulation puts the reports of all roles together. A JSON file, written by rename.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "sotto/apps/bandit/result.h"
#include "sotto/apps/kit/report/reward_curve.h"

namespace sotto::apps {

struct RoleReport {
  std::string role;                   // "party 0", "dealer", ...
  std::vector<std::string> insecure;  // "insecure-plaintext", ...: what makes this run unsafe
  bool joint_norm_holds = false;      // the config says so; the parties' bounds need not

  // Measured on the links and by the ledger.
  std::uint64_t rounds = 0;
  std::uint64_t bytes_sent = 0;          // on all links of the rounds, headers included
  std::uint64_t planned_bytes_sent = 0;  // what the ledger says that must be
  std::uint64_t step_rounds = 0;         // of the phase "step" alone
  std::uint64_t step_bytes_sent = 0;
  std::uint64_t step_dealt_bytes = 0;
  std::uint64_t dealt_bytes = 0;  // whole run; at the dealer and the last party

  // Of a run that keeps its state. What is measured above and below is of this epoch alone.
  std::uint32_t epoch = 1;
  std::uint64_t from_step = 0;  // steps that earlier epochs had done
  std::uint64_t steps_begun =
      0;  // in all epochs: more than the run's steps where some were repeated

  // Seconds.
  double setup_seconds = 0;    // connecting and handshake
  double dealing_seconds = 0;  // before the clock of the rounds starts
  double online_seconds = 0;   // the rounds, all waiting included
  double waiting_for_dealer_seconds = 0;
  double waiting_for_peers_seconds = 0;
  double cpu_seconds = 0;

  std::uint64_t peak_memory_bytes = 0;  // see usage.h

  // The rewarder, with the simulated environment.
  std::optional<double> average_reward;
  Curve reward_curve;
  std::vector<std::uint32_t> arms;  // with compare_plaintext

  // Party 0, with reveal_model.
  std::optional<Matrix> weights;
  std::optional<std::vector<Matrix>> inverse_matrices;
};

void write_role_report(const std::filesystem::path& path, const RoleReport& report);
// Throws InputError where the file is missing or not a report.
[[nodiscard]] RoleReport read_role_report(const std::filesystem::path& path);

}  // namespace sotto::apps
