#include <fmt/format.h>

#include <cmath>
#include <memory>

#include "sotto/apps/bandit/private_bandit.h"
#include "sotto/bench/instructions/work.h"
#include "sotto/core/ring/fixed_point.h"

namespace sotto::instructions {
namespace {

constexpr std::size_t features = 20;
constexpr std::uint64_t steps = 4;

// Arm = step modulo arms earns 1.
class Site final : public apps::BanditSite {
 public:
  explicit Site(std::size_t arms) : arms_(arms) {}
  void context(std::size_t party, std::uint64_t step, std::span<std::uint64_t> out) override {
    const double size = 0.9 / std::sqrt(static_cast<double>(features));
    for (std::size_t i = 0; i < out.size(); ++i) {
      out[i] = encode(((step + party + i) % 3 == 0 ? -1 : 1) * size, 20);
    }
  }
  void pull(std::uint64_t, std::size_t arm) override { arm_ = arm; }
  std::uint64_t reward(std::uint64_t step) override { return arm_ == step % arms_ ? 1 : 0; }
  void step_done(std::uint64_t) override {}

 private:
  std::size_t arms_;
  std::size_t arm_ = 0;
};

// Widths are those of a run over MNIST, whatever the number of repetitions.
constexpr std::uint64_t planned_steps = 60'000;

apps::BanditPlan plan_of(std::size_t parties, std::size_t arms, std::uint64_t repetitions) {
  apps::BanditParameters parameters;
  for (std::size_t p = 0; p < parties; ++p) {
    parameters.columns.push_back(features / parties + (p < features % parties ? 1 : 0));
  }
  parameters.arms = arms;
  parameters.steps = planned_steps;
  parameters.exploration.threshold = (std::uint64_t{1} << 63) / 5;
  apps::BanditPlan plan = apps::plan_bandit(parameters);
  plan.parameters.steps = repetitions;
  return plan;
}

Task<apps::BanditModel> bandit_steps(Party& party, std::size_t arms, std::uint64_t repetitions) {
  const apps::BanditPlan plan = plan_of(party.topology().parties(), arms, repetitions);
  Site site(arms);
  co_return co_await apps::private_bandit(party, plan, site);
}

}  // namespace

std::vector<Work> bandit_work() {
  std::vector<Work> all;
  for (const std::size_t arms : {10u, 40u}) {
    for (const std::size_t parties : {2u, 3u, 8u}) {
      Work work = make_work(fmt::format("bandit step, {} arms, {} parties", arms, parties), Topology(parties), steps,
                            [=](Party& party, std::uint64_t often) { return bandit_steps(party, arms, often); });
      work.by_role = true;
      all.push_back(std::move(work));
    }
  }
  return all;
}

}  // namespace sotto::instructions
