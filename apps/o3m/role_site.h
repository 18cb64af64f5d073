// One role of an O3M run: its inputs, its run and its report.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "apps/kit/deploy/role_process.h"
#include "apps/kit/report/run_header.h"
#include "apps/o3m/environment.h"
#include "apps/o3m/files.h"
#include "apps/o3m/masked_contexts.h"
#include "apps/o3m/player.h"
#include "apps/o3m/settings.h"
#include "sotto/protocol/random/seed.h"

namespace sotto::apps::o3m {

// The report of one role of an O3M run: its measurements, the facts that the roles can learn, and the results that only
// this role knows. The report is a JSON file that is written under another name and then renamed. If the scores of all
// arms are kept, they are in a file of doubles next to the report.
struct O3mRoleReport : RoundsHeader {
  // Pairs (role, sentence) for all roles: apps/o3m/leakage.h.
  std::vector<std::pair<std::string, std::string>> leakage;

  std::uint64_t bytes_received = 0;

  // Seconds from the first round to the last. At the active participant this time includes the bandit's steps only if
  // there are too many contexts to keep.
  double masking_seconds = 0;
  double waiting_seconds = 0;  // the part of masking_seconds in which the role waited for peers
  double total_seconds = 0;    // time of the whole process, including reading its files

  // The fields from here on are filled only at the active participant.
  std::vector<std::uint32_t> arms;  // by step, 0-based
  std::vector<double> rewards;      // by step
  std::optional<double> average_reward;
  std::optional<double> cumulative_regret;     // absent if the environment has no means
  double play_seconds = 0;                     // time spent on selecting arms and updating the bandit, over all steps
  bool prefetched = false;                     // whether all masked contexts had arrived before the first step
  std::uint64_t stream_seed = 0;               // seed for ties and noise of LinTS (apps/kit/learn/linear_bandit.h)
  std::vector<double> scores;                  // [step][arm], with record_scores
  std::optional<std::uint64_t> scores_beside;  // the number of scores in the file next to the report

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

// Throws ResourceError if the report cannot be written.
void write_o3m_report(const std::filesystem::path& path, O3mRoleReport report);
// Throws InputError if the file is missing or is not a report.
[[nodiscard]] O3mRoleReport read_o3m_report(const std::filesystem::path& path);

// The inputs of a role of an O3M run: the role's files, which are read before the role connects to any peer, and the
// role's randomness. At the active participant the inputs include the bandit that plays.
class O3mRoleSite final : public O3mSite {
 public:
  // The type of a function that is called after each played step, with the number of steps so far and the average
  // reward.
  using OnStep = std::function<void(std::uint64_t steps, double average)>;

  // Reads the role's files. Throws InputError if a file does not fit the run.
  explicit O3mRoleSite(const O3mSettings& config);

  // The text that announces the properties of this participant's file to the other roles; empty at the mask generator.
  [[nodiscard]] std::string announcement() const;

  // Describe the name and the shape of a file in a text for people. Each function may be called only at a role that has
  // the file.
  [[nodiscard]] std::string contexts_in_short() const;
  [[nodiscard]] std::string environment_in_short() const;

  // Prepares the run. Call open() after the run's parameters are known.
  void open(const O3mPlan& plan, bool record_scores, OnStep on_step, const std::atomic<bool>& interrupted);

  // This role's own secret: fresh, or derived from the insecure seed.
  [[nodiscard]] Seed secret() const;

  [[nodiscard]] std::vector<double> draw_mask(std::size_t dimension) override;
  [[nodiscard]] std::span<const double> contexts(std::uint64_t first, std::size_t steps) override;
  void take(std::uint64_t first, std::span<const double> masked) override;

  // At the active participant: plays the remaining steps, and adds to the report the results that only this role knows.
  void finish(O3mRoleReport& report);

 private:
  double reward(std::uint64_t step, std::size_t arm);
  [[nodiscard]] std::optional<Seed> insecure(const std::string& purpose) const;

  O3mSettings config_;
  std::optional<ParticipantContexts> contexts_;
  std::optional<O3mEnvironment> environment_;
  std::optional<O3mPlayer> player_;
  OnStep on_step_;
  const std::atomic<bool>* interrupted_ = nullptr;
  double rewards_ = 0;
  std::uint64_t stream_seed_ = 0;
};

// Runs one role of O3M, from its config to its report.
//
// This function reads the role's files: the contexts at a participant, and also the environment at the active
// participant. The function connects to the other roles and shakes hands. The run's parameters come from the config and
// from the participants' announcements of their files (apps/kit/deploy/announcement.h). The function runs the protocol
// (masked_contexts.h), plays the bandit at the active participant, and writes the role's report. If other roles still
// wait for this role, the function notifies every peer before it throws an error. The errors are:
//   InputError         a file that does not fit, or parameters that cannot be run
//   DisagreementError  files that have different numbers of steps, or configs that differ
//   ProtocolError      a peer that breaks the protocol; a mask block whose columns are not orthonormal
//   NetworkError, TrustError, Interrupted as documented in include/sotto/protocol/mesh/mesh.h and
//   include/sotto/protocol/mesh/driver/run.h
O3mRoleReport run_o3m_role(const O3mSettings& config, const RoleExtras& extras, const std::atomic<bool>& interrupted);

}  // namespace sotto::apps::o3m
