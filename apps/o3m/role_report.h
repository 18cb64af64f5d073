// What one role of an O3M run reports: what it measured, what it can learn, and what it alone knows. A JSON file,
// written by rename; the scores of all arms, where they are kept, are a file of doubles beside it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sotto/apps/kit/report/run_header.h"

namespace sotto::apps {

struct O3mRoleReport : RoundsHeader {
  // (role, sentence) of all roles, apps/o3m/leakage.h.
  std::vector<std::pair<std::string, std::string>> leakage;

  std::uint64_t bytes_received = 0;

  // Seconds, from the first round to the last; the active participant's own steps are part of it only where contexts
  // are too many to keep.
  double masking_seconds = 0;
  double waiting_seconds = 0;  // part of it: for peers
  double total_seconds = 0;    // of the whole process, its files included

  // Of the active participant; empty at all others.
  std::vector<std::uint32_t> arms;  // by step, 0-based
  std::vector<double> rewards;      // by step
  std::optional<double> average_reward;
  std::optional<double> cumulative_regret;     // where the environment has means
  double play_seconds = 0;                     // selecting and updating alone, all steps
  bool prefetched = false;                     // all masked contexts were there before the first step
  std::uint64_t stream_seed = 0;               // of ties and of LinTS' noise (apps/kit/learn/linear_bandit.h)
  std::vector<double> scores;                  // [step][arm], with record_scores
  std::optional<std::uint64_t> scores_beside;  // how many the file beside the report has

  static void describe(auto& self, auto&& field) {
    RoundsHeader::describe(self, field);
    field("leakage", self.leakage);
    field("bytes_received", self.bytes_received);
    field("masking_seconds", self.masking_seconds);
    field("waiting_seconds", self.waiting_seconds);
    field("total_seconds", self.total_seconds);
    field.unless_empty("average_reward", self.average_reward);
    field.unless_empty("cumulative_regret", self.cumulative_regret);
    field.unless_empty("scores", self.scores_beside);
    if (!self.average_reward) return;
    field("arms", self.arms);
    field("rewards", self.rewards);
    field("play_seconds", self.play_seconds);
    field("prefetched", self.prefetched);
    field("stream_seed", self.stream_seed);
  }
};

// Throws ResourceError if it cannot be written.
void write_o3m_report(const std::filesystem::path& path, O3mRoleReport report);
// Throws InputError where the file is missing or not a report.
[[nodiscard]] O3mRoleReport read_o3m_report(const std::filesystem::path& path);

}  // namespace sotto::apps
