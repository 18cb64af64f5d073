// What a role brings to a run whose world is a simulator (world_line.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "apps/bandit/run/settings/settings.h"
#include "apps/bandit/run/sites/site.h"
#include "apps/bandit/run/sites/world_line.h"

namespace sotto::apps::bandit::run {

// The bound on the norm of a party's rows, which it announces: max_norm / sqrt(parties), or max_norm itself where
// somebody promises that joint rows keep to it.
[[nodiscard]] double world_bound(const BanditRun& run);

// A compute party: each row is asked for once, and kept until its step is done.
class WorldPartySite final : public Contexts, public StepObserver {
 public:
  WorldPartySite(const BanditLinks& role, const BanditRun& run, const RoleInputs& inputs, unsigned fraction_bits,
                 const std::atomic<bool>& interrupted);
  void context(std::size_t party, std::uint64_t step, std::span<std::uint64_t> out) override;
  void step_done(std::uint64_t step) override;

 private:
  WorldLine line_;
  double bound_;
  unsigned fraction_bits_;
  std::map<std::uint64_t, std::vector<std::uint64_t>> rows_;
};

// What the arms earn.
[[nodiscard]] std::unique_ptr<RewardSource> world_rewards(const BanditLinks& role, const BanditRun& run,
                                                          const RoleInputs& inputs,
                                                          const std::atomic<bool>& interrupted);

}  // namespace sotto::apps::bandit::run
