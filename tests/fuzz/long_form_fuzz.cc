// A participant's contexts in an O3M run, and its environment: each a user's CSV file. What is read
// is whole, everything else is InputError.
#include <cmath>

#include "sotto/apps/o3m/environment.h"
#include "sotto/apps/o3m/files.h"
#include "sotto/core/error/errors.h"
#include "tests/fuzz/target.h"

namespace {

using namespace sotto;

void read_contexts(const std::filesystem::path& path, std::optional<std::size_t> arms) {
  try {
    const apps::ParticipantContexts contexts =
        apps::read_contexts({.features = path, .arms = arms});
    fuzz::require(contexts.steps > 0 && contexts.arms > 0 && contexts.columns > 0, "none is empty");
    fuzz::require(contexts.values.size() == contexts.steps * contexts.arms * contexts.columns,
                  "contexts are whole");
    fuzz::require(!arms || contexts.arms == *arms, "arms are as many as asked for");
    for (const double value : contexts.values) {
      fuzz::require(std::abs(value) <= contexts.bound * (1 + 1e-8), "the bound holds");
    }
  } catch (const InputError& error) {
    fuzz::require(error.what()[0] != '\0', "an error says something");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const fuzz::MemoryFile file(data, size);
  read_contexts(file.path(), std::nullopt);
  read_contexts(file.path(), 2);
  try {
    const apps::O3mEnvironment environment = apps::O3mEnvironment::read(file.path());
    for (std::size_t t = 0; t < environment.steps(); ++t) {
      for (std::size_t arm = 0; arm < environment.arms(); ++arm) {
        fuzz::require(std::abs(environment.reward(t, arm)) <= apps::largest_o3m_reward,
                      "rewards are in range");
        fuzz::require(environment.regret(t, arm).value_or(0) >= 0, "no regret is negative");
      }
    }
  } catch (const InputError& error) {
    fuzz::require(error.what()[0] != '\0', "an error says something");
  }
  return 0;
}
