// The model of a finished run as whoever begins from it reads it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>

#include "apps/bandit/model/checkpoint_id.h"
#include "apps/bandit/model/parameters.h"
#include "apps/bandit/model/sites.h"

namespace sotto::apps {
class RoleSettings;
}  // namespace sotto::apps

namespace sotto::apps::bandit {

// A party's own shares, and what of its run says of what they are shares.
struct RunModel {
  CheckpointId id{};
  std::uint64_t learned = 0;  // events, those of models before it too
  ModelShares shares{};
  std::size_t arms = 0;
  std::uint64_t steps = 0;  // of the run, and of models before it
  std::size_t batch = 1;
  std::uint64_t reward_lag = 0;  // not 0 where the run decides and learns apart without a batch
  StepUpdate update = StepUpdate::all_arms;
  unsigned bits = 20;
  double max_norm = 1;
  bool binary_rewards = true;
};

// That of party `id` whose config of a run that is; nothing for any other config. Throws InputError where nothing was
// learned or the run has no max_norm, ResourceError while that role still runs.
using ReadRunModel = std::function<std::optional<RunModel>(const RoleSettings& before, std::size_t id)>;

}  // namespace sotto::apps::bandit
