// Runs of the private bandit that count how often their steps ask the system for memory.
#pragma once

#include "apps/bandit/model/bandit_plan.h"
#include "apps/bandit/model/sites.h"
#include "sotto/protocol/ring/fixed_point.h"
#include "tests/allocation/requests.h"
#include "tests/framework.h"

namespace sotto::testing {

// Number of warm-up steps. After these steps, all free lists have blocks that are large enough.
inline constexpr std::uint64_t warm_steps = 20;

inline apps::bandit::BanditPlan plan_of_steps(std::size_t parties, std::size_t arms, std::uint64_t steps) {
  apps::bandit::BanditParameters parameters;
  parameters.columns.assign(parties, 2);
  parameters.arms = arms;
  parameters.steps = steps;
  parameters.exploration.threshold = std::uint64_t{1} << 62;
  return plan_bandit(parameters);
}

class CountingSite final : public apps::bandit::SiteOf<apps::bandit::Contexts, apps::bandit::Arms,
                                                       apps::bandit::Rewards, apps::bandit::StepObserver> {
 public:
  void context(std::size_t party, std::uint64_t step, std::span<std::uint64_t> out) override {
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = ((step + party + i) % 7) << 14;
  }
  void pull(std::uint64_t, std::size_t arm) override { arm_ = arm; }
  std::uint64_t reward(std::uint64_t step) override { return arm_ == step % 2 ? 1 : 0; }
  void step_done(std::uint64_t) override {
    ++steps_;
    after_ = memory_requests();
    if (steps_ == warm_steps) before_ = after_;
  }
  [[nodiscard]] std::uint64_t steps() const { return steps_; }
  // Number of this thread's requests for memory between the end of the warm-up and the end of the last step.
  [[nodiscard]] std::uint64_t steady_requests() const { return after_ - before_; }
  [[nodiscard]] std::uint64_t first_requests() const { return before_; }

 private:
  std::size_t arm_ = 0;
  std::uint64_t steps_ = 0;
  std::uint64_t before_ = 0;
  std::uint64_t after_ = 0;
};

}  // namespace sotto::testing
