// The model that a run of the bandit has learned, in shares.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "apps/bandit/model/parameters.h"
#include "apps/bandit/model/sites.h"
#include "sotto/protocol/async/task.h"
#include "sotto/protocol/party/party.h"
#include "sotto/protocol/sharing/arith.h"
#include "sotto/protocol/sharing/masked.h"
#include "sotto/protocol/sharing/public.h"

namespace sotto::apps {
struct RoleSettings;
}  // namespace sotto::apps

namespace sotto::apps::bandit {

struct KeptModel {
  std::vector<Arith> matrices;
  std::vector<Arith> vectors;
};

// The roles save the model under an id, a hash of the opened words of `first` and `second`. This id is the only
// message. 1 round.
[[nodiscard]] Task<void> save_model(Party& party, BanditSite& site, std::uint64_t steps, KeptModel model,
                                    const Masked& first, const Masked& second);

// Mask the shares again before you open anything that depends on them (include/sotto/protocol/io/checkpoint_shares.h).
[[nodiscard]] KeptModel load_model(const Party& party, BanditSite& site, std::uint64_t steps, const KeptModel& like);

// A model in shares, one row per arm. Each matrix is stored as its upper triangle.
struct LearnedModel {
  Arith gram;      // A, exact, never opened
  Arith targets;   // b, exact, never opened
  Masked inverse;  // W, near A^-1
  Masked weights;  // w, near A^-1 b
};

[[nodiscard]] LearnedModel initial_model(const Party& party, const BanditParameters& parameters, ModelBits bits);

// The matrices are W and A, the vectors w and b.
[[nodiscard]] KeptModel kept(const Party& party, const LearnedModel& model);

// 1 round.
[[nodiscard]] Task<LearnedModel> restored(Party& party, BanditSite& site, std::uint64_t steps, LearnedModel fresh);

// Returns the imported model, from which the run begins. The parties truncate W and w to the scales of `fresh`; A and b
// stay exact. 1 round. Throws InputError if A or b has more bits than in `fresh`.
[[nodiscard]] Task<LearnedModel> begun(Party& party, BanditSite& site, const BanditParameters& parameters,
                                       LearnedModel fresh);

struct BanditModel {
  Public weights;
  Public inverse_triangles;
};

// Opens W and w to the compute parties. 1 round.
[[nodiscard]] Task<BanditModel> revealed(Party& party, const LearnedModel& model);

// Adds decided events to A and b without a message, and returns the sum of o_a x x'. Each argument has one row per
// event: o_a x with D columns per arm, x, and the reward. o_a x and x have Fx fraction bits, and the reward has Fr. The
// mask of no argument may have a carry term (include/sotto/protocol/sharing/masked.h). The dealer sends 8 bytes for
// each entry of A and of b, for any number of events.
[[nodiscard]] Arith add_events(Party& party, Arith& gram, Arith& targets, const Masked& of_arms, const Masked& contexts,
                               const Masked& rewards);

// Returns a masked copy, truncated to `bits` fraction bits. 1 round.
[[nodiscard]] Task<Masked> copy_at(Party& party, Arith value, unsigned bits, Label label);

struct RunModel {
  CheckpointId id{};
  std::uint64_t learned = 0;  // number of learned events, including events of earlier models
  ModelShares shares{};
  std::size_t arms = 0;
  std::uint64_t steps = 0;  // including steps of earlier runs
  std::size_t batch = 1;
  std::uint64_t reward_lag = 0;
  StepUpdate update = StepUpdate::all_arms;
  unsigned bits = 20;
  double max_norm = 1;
  bool binary_rewards = true;
};

// Returns nothing if `before` is not the config of party `id`. Throws InputError if nothing was learned or the run has
// no max_norm, and ResourceError while the party still runs.
using ReadRunModel = std::function<std::optional<RunModel>(const RoleSettings& before, std::size_t id)>;

}  // namespace sotto::apps::bandit
