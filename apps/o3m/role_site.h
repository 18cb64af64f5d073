// One role of an O3M run: what it brings, how it runs, what it reports.
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

// What one role of an O3M run reports: what it measured, what it can learn, and what it alone knows. A JSON file,
// written by rename; the scores of all arms, where they are kept, are a file of doubles beside it.
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

// What a role brings to an O3M run: its files, read before anything is connected, its randomness, and at the active
// participant the bandit that plays.
class O3mRoleSite final : public O3mSite {
 public:
  // After each step that is played: steps so far and the average of their rewards.
  using OnStep = std::function<void(std::uint64_t steps, double average)>;

  // Reads the role's files. Throws InputError where one does not fit the run.
  explicit O3mRoleSite(const O3mSettings& config);

  // Of a participant: what its file holds; empty at the mask generator.
  [[nodiscard]] std::string announcement() const;

  // For people: file and shape. Of roles that have them.
  [[nodiscard]] std::string contexts_in_short() const;
  [[nodiscard]] std::string environment_in_short() const;

  // Once the run's parameters are known.
  void open(const O3mPlan& plan, bool record_scores, OnStep on_step, const std::atomic<bool>& interrupted);

  // This role's own secret: fresh, or of the insecure seed.
  [[nodiscard]] Seed secret() const;

  [[nodiscard]] std::vector<double> draw_mask(std::size_t dimension) override;
  [[nodiscard]] std::span<const double> contexts(std::uint64_t first, std::size_t steps) override;
  void take(std::uint64_t first, std::span<const double> masked) override;

  // Plays what is left, at the active participant, and adds what it alone knows.
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
// It reads what the role owns (a participant its contexts, the active one the environment as well), connects and shakes
// hands, takes the run's parameters from the config and what the participants announce of their files
// (apps/kit/deploy/announcement.h), runs the protocol (masked_contexts.h), plays the bandit at the active participant,
// and writes the role's report. It throws what can go wrong on the way; while others still wait for this role, every
// peer has been told by then:
//   InputError         a file that does not fit, or parameters that cannot be run
//   DisagreementError  files of different numbers of steps, configs that differ
//   ProtocolError      a peer breaks the protocol; a mask block whose columns are not orthonormal
//   NetworkError, TrustError, Interrupted as include/sotto/protocol/mesh/mesh.h and
//   include/sotto/protocol/mesh/driver/run.h have them
O3mRoleReport run_o3m_role(const O3mSettings& config, const RoleExtras& extras, const std::atomic<bool>& interrupted);

}  // namespace sotto::apps::o3m
