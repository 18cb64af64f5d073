// A program of its own, because it replaces the global operator new to count: after the first steps
// of the private bandit, a step asks the system for no memory at all, at any role.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "apps/bandit/parameters.h"
#include "apps/bandit/private_bandit.h"
#include "core/async/pool.h"
#include "protocols/simulate/simulate.h"

namespace {
std::atomic<std::uint64_t> requests{0};
}

void* operator new(std::size_t size) {
  ++requests;
  if (void* block = std::malloc(size)) return block;
  throw std::bad_alloc();
}
void operator delete(void* block) noexcept { std::free(block); }
void operator delete(void* block, std::size_t) noexcept { std::free(block); }

namespace sotto::apps {
namespace {

class CountingSite final : public BanditSite {
 public:
  static constexpr std::uint64_t warm = 10;

  void context(std::size_t, std::uint64_t step, std::span<std::uint64_t> out) override {
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = (step + i) << 14;
  }
  void pull(std::uint64_t, std::size_t) override {}
  std::uint64_t reward(std::uint64_t step) override { return step % 2; }
  void step_done(std::uint64_t step) override {
    if (step == warm) before = requests;
    after = requests;
  }
  std::uint64_t before = 0;
  std::uint64_t after = 0;
};

TEST(SteadyStep, AllocatesNothing) {
  if (!pool_is_pooling()) GTEST_SKIP() << "under sanitizers every block comes from the system";
  for (const std::size_t parties : {2u, 3u}) {
    BanditParameters parameters;
    parameters.columns.assign(parties, 4);
    parameters.arms = 6;
    parameters.steps = 100;
    parameters.exploration.threshold = std::uint64_t{1} << 62;
    const BanditPlan plan = plan_bandit(parameters);
    CountingSite site;
    const auto run = protocols::simulate(plan.parameters.topology(), [&](Party& party) {
      return private_bandit(party, plan, site);
    });
    EXPECT_EQ(run.rounds, 700u);
    EXPECT_GT(site.before, 0u);
    EXPECT_EQ(site.after - site.before, 0u) << parties << " parties";
  }
}

}  // namespace
}  // namespace sotto::apps
