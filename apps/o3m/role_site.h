// What a role brings to an O3M run: its files, read before anything is connected, its randomness, and at the active
// participant the bandit that plays.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <string>

#include "sotto/apps/o3m/environment.h"
#include "sotto/apps/o3m/files.h"
#include "sotto/apps/o3m/masked_contexts.h"
#include "sotto/apps/o3m/player.h"
#include "sotto/apps/o3m/role_report.h"
#include "sotto/apps/o3m/settings.h"
#include "sotto/core/random/seed.h"

namespace sotto::apps {

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

}  // namespace sotto::apps
