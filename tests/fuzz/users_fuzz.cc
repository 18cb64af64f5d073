// A file of users for P2B: read as contexts of sum 1 and rewards in [0, 1], or InputError.
#include <cmath>

#include "sotto/apps/p2b/users_file.h"
#include "sotto/core/error/errors.h"
#include "tests/fuzz/target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace sotto;
  const fuzz::MemoryFile file(data, size);
  try {
    const apps::UsersFile users = apps::read_users(file.path(), 1);
    const apps::TableWorld& world = *users.world;
    fuzz::require(world.users() == users.user_names.size(), "a name a user");
    fuzz::require(world.recorded().steps() == users.rows, "a step a row");
    std::vector<double> contexts;
    for (std::size_t user = 0; user < world.users(); ++user) {
      const std::size_t steps = world.meet(user, contexts);
      fuzz::require(steps > 0, "a user has a step");
      for (std::size_t step = 0; step < steps; ++step) {
        double sum = 0;
        for (std::size_t i = 0; i < world.dimension(); ++i) {
          const double feature = contexts[step * world.dimension() + i];
          fuzz::require(feature >= 0, "features are not negative");
          sum += feature;
        }
        fuzz::require(std::abs(sum - 1) < 1e-6, "contexts sum to 1");
        for (std::size_t arm = 0; arm < world.arms(); ++arm) {
          const double reward = world.reward(user, step, {}, arm);
          fuzz::require(reward >= 0 && reward <= 1, "rewards in [0, 1]");
        }
      }
    }
  } catch (const InputError&) {
    // Most inputs are none.
  }
  return 0;
}
