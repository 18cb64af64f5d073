// What one role of an O3M run reports: what it measured, what it can learn, and what it alone knows.
// Only the launcher of a local simulation puts the reports of all roles together. A JSON file,
// written by rename; the scores of all arms, where they are kept, are a file of doubles beside it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace sotto::apps {

struct O3mRoleReport {
  std::string role;                   // "active participant", "passive participant 1", ...
  std::vector<std::string> insecure;  // "insecure-blocks", ...: what makes this run unsafe
  // (role, sentence) of all roles, apps/o3m/leakage.h.
  std::vector<std::pair<std::string, std::string>> leakage;

  // Measured on the links, and what the plan says that must be; headers included.
  std::uint64_t rounds = 0;
  std::uint64_t bytes_sent = 0;
  std::uint64_t planned_bytes_sent = 0;
  std::uint64_t bytes_received = 0;

  // Seconds.
  double setup_seconds = 0;  // connecting and handshake
  // From the first round to the last; the active participant's own steps are part of it only where
  // contexts are too many to keep.
  double masking_seconds = 0;
  double waiting_seconds = 0;  // part of it: for peers
  double total_seconds = 0;    // of the whole process, its files included
  double cpu_seconds = 0;
  std::uint64_t peak_memory_bytes = 0;

  // Of the active participant; empty at all others.
  std::vector<std::uint32_t> arms;  // by step, 0-based
  std::vector<double> rewards;      // by step
  std::optional<double> average_reward;
  std::optional<double> cumulative_regret;  // where the environment has means
  double play_seconds = 0;                  // selecting and updating alone, all steps
  bool prefetched = false;                  // all masked contexts were there before the first step
  std::uint64_t stream_seed = 0;  // of ties and of LinTS' noise (apps/kit/learn/linear_bandit.h)
  std::vector<double> scores;     // [step][arm], with record_scores
};

// Throws ResourceError if it cannot be written.
void write_o3m_report(const std::filesystem::path& path, const O3mRoleReport& report);
// Throws InputError where the file is missing or not a report.
[[nodiscard]] O3mRoleReport read_o3m_report(const std::filesystem::path& path);

}  // namespace sotto::apps
