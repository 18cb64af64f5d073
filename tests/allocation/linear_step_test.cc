// A step of a linear bandit asks the system for no memory, except to compute the inverse anew.
#include <gtest/gtest.h>

#include "sotto/apps/kit/learn/linear_bandit.h"
#include "sotto/core/random/expansion.h"
#include "tests/allocation/requests.h"
#include "tests/apps/kit/learn/samples.h"

namespace sotto::testing {
namespace {

using apps::LinearAlgorithm;

TEST(LinearStep, AllocatesNothing) {
  // Without AES of the CPU the noise comes through OpenSSL, which allocates.
  const bool own_aes = expansion().schedule != nullptr;
  for (const auto algorithm : {LinearAlgorithm::ucb, LinearAlgorithm::ts}) {
    if (!own_aes && algorithm == LinearAlgorithm::ts) continue;
    apps::LinearBanditOptions options;
    options.algorithm = algorithm;
    options.dimension = 30;
    options.arms = 7;
    options.refresh_every = 200;
    apps::LinearBandit bandit(options);
    apps::StepStream stream(1, 2);
    for (std::uint64_t t = 0; t < 199; ++t) {  // more than one fold of recent samples
      const std::vector<double> contexts = apps::testing::directions(stream, 7, 30);
      const std::uint64_t before = memory_requests();
      const std::size_t arm = bandit.select(t, contexts);
      bandit.update(std::span(contexts).subspan(arm * 30, 30), 0.5);
      ASSERT_EQ(memory_requests(), before) << "step " << t;
    }
  }
}

}  // namespace
}  // namespace sotto::testing
