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

// The report of one role, a JSON file. The role writes the file under a temporary name and then renames it. The scores
// may be in a file of doubles next to the report.
struct O3mRoleReport : RoundsHeader {
  std::vector<std::pair<std::string, std::string>> leakage;

  std::uint64_t bytes_received = 0;

  // Time from the first round to the last. At the active participant, this time includes the bandit's steps only if the
  // contexts do not fit into the memory of the player (player.h).
  double masking_seconds = 0;
  double waiting_seconds = 0;
  double total_seconds = 0;

  // The following members are only for the active participant.
  std::vector<std::uint32_t> arms;
  std::vector<double> rewards;
  std::optional<double> average_reward;
  std::optional<double> cumulative_regret;  // empty if the environment has no means
  double play_seconds = 0;
  bool prefetched = false;
  std::uint64_t stream_seed = 0;               // seed for tie-breaking and for the noise of LinTS
  std::vector<double> scores;                  // by [step][arm], only with record_scores
  std::optional<std::uint64_t> scores_beside;  // number of scores in the file next to the report

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

// Brings the data and the randomness of one role.
class O3mRoleSite final : public O3mSite {
 public:
  using OnStep = std::function<void(std::uint64_t steps, double average)>;

  // Throws InputError if a file does not fit the run.
  explicit O3mRoleSite(const O3mSettings& config);

  // Describes this participant's file for the other roles. Empty at the mask generator.
  [[nodiscard]] std::string announcement() const;

  // Both functions return a text for people. Call them only at a role that has the file.
  [[nodiscard]] std::string contexts_in_short() const;
  [[nodiscard]] std::string environment_in_short() const;

  // Call this function when the run's parameters are known.
  void open(const O3mPlan& plan, bool record_scores, OnStep on_step, const std::atomic<bool>& interrupted);

  // Returns a fresh seed, or a seed derived from the insecure seed.
  [[nodiscard]] Seed secret() const;

  [[nodiscard]] std::vector<double> draw_mask(std::size_t dimension) override;
  [[nodiscard]] std::span<const double> contexts(std::uint64_t first, std::size_t steps) override;
  void take(std::uint64_t first, std::span<const double> masked) override;

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

// Runs one role of O3M and writes its report. The run's parameters come from the config and from the participants'
// announcements of their files (apps/kit/deploy/announcement.h). The role notifies every peer before it throws an
// error. The errors are:
//   InputError         a file does not fit, or the run is impossible with these parameters
//   DisagreementError  files have different numbers of steps, or configs differ
//   ProtocolError      a peer breaks the protocol, or the columns of a mask block are not orthonormal
//   NetworkError, TrustError, Interrupted as documented in include/sotto/protocol/mesh/mesh.h and
//   include/sotto/protocol/mesh/driver/run.h
O3mRoleReport run_o3m_role(const O3mSettings& config, const RoleExtras& extras, const std::atomic<bool>& interrupted);

}  // namespace sotto::apps::o3m
