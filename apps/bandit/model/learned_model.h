// The model that a run of the bandit has learned, in shares. Single steps and batches use one form of the model.
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

// Functions that pass a model to the sites that keep it, and get the model back. Each compute party's site keeps the
// party's own shares under an id that all nodes learn.

// The parts of a kept model in shares: matrices of all arms, and vectors.
struct KeptModel {
  std::vector<Arith> matrices;
  std::vector<Arith> vectors;
};

// Every compute party passes its shares to its site, as ModelShares: all matrices one after the other, and all vectors
// one after the other. The only message is the id of these shares, a hash of the public words of two masked values of
// the model. 1 round, in the phase that the caller has entered.
[[nodiscard]] Task<void> save_model(Party& party, BanditSite& site, std::uint64_t steps, KeptModel model,
                                    const Masked& first, const Masked& second);

// The shares that were kept after `steps` steps, in the shapes and scales of `like`. Mask the shares again before you
// open anything that depends on them (include/sotto/protocol/io/checkpoint_shares.h).
[[nodiscard]] KeptModel load_model(const Party& party, BanditSite& site, std::uint64_t steps, const KeptModel& like);

// Matrices are upper triangles, one row per arm.
struct LearnedModel {
  Arith gram;      // A: I + the sum of x x', exact at 2 Fx and never opened
  Arith targets;   // b: the sum of r x, exact at Fx + Fr and never opened
  Masked inverse;  // W, an approximate inverse of A
  Masked weights;  // w, close to A^-1 b
};

// Before the first event: A = W = I, b = w = 0.
[[nodiscard]] LearnedModel initial_model(const Party& party, const BanditParameters& parameters, ModelBits bits);

// The parts of the model that the sites keep: the matrices W, then A, and the vectors w, then b.
[[nodiscard]] KeptModel kept(const Party& party, const LearnedModel& model);

// The model after `steps` steps, from the shares that were kept then, in the shapes and scales of `fresh`. W and w are
// masked again, in one round.
[[nodiscard]] Task<LearnedModel> restored(Party& party, BanditSite& site, std::uint64_t steps, LearnedModel fresh);

// The model that an earlier run has left, at the scales of `fresh`. The sites provide the shares of that model as those
// of step 0. W and w are masked again, and truncated if they have more bits than in `fresh`. A and b stay exact. 1
// round. Throws InputError if bits of A or b would have to be cut.
[[nodiscard]] Task<LearnedModel> begun(Party& party, BanditSite& site, const BanditParameters& parameters,
                                       LearnedModel fresh);

// The revealed model, at the compute parties of a run with reveal_model. It has the weights, one row per arm, and the
// upper triangles of the inverse matrices at the plan's inverse_bits.
struct BanditModel {
  Public weights;
  Public inverse_triangles;
};

// w and W, opened at the compute parties in one round.
[[nodiscard]] Task<BanditModel> revealed(Party& party, const LearnedModel& model);

// Adds decided events to A and b without a message. Returns the sum of o_a x x' that it added to A. The arguments have
// one row per event: o_a x at Fx with D columns per arm, x at Fx, and the rewards at Fr as a column. All arguments have
// plain masks, which have no carry terms. Dealt: 8 bytes for each entry of A and of b, for any number of events.
[[nodiscard]] Arith add_events(Party& party, Arith& gram, Arith& targets, const Masked& of_arms, const Masked& contexts,
                               const Masked& rewards);

// The masked copy of a value that enters products, truncated to `bits` fraction bits if it has more. 1 round.
[[nodiscard]] Task<Masked> copy_at(Party& party, Arith value, unsigned bits, Label label);

// The model of a finished run, in the form in which another run reads it to begin from it.

// A party's own shares, and the parameters of its run that say what the shares mean.
struct RunModel {
  CheckpointId id{};
  std::uint64_t learned = 0;  // number of learned events, including those of earlier models
  ModelShares shares{};
  std::size_t arms = 0;
  std::uint64_t steps = 0;  // steps of the run and of the runs of earlier models
  std::size_t batch = 1;
  std::uint64_t reward_lag = 0;  // above 0 if the run decides and learns separately and its batch is 1
  StepUpdate update = StepUpdate::all_arms;
  unsigned bits = 20;
  double max_norm = 1;
  bool binary_rewards = true;
};

// Reads the model of party `id`, if `before` is the config of that party in a run. Returns nothing for any other
// config. Throws InputError if nothing was learned or the run has no max_norm, and ResourceError while the party still
// runs.
using ReadRunModel = std::function<std::optional<RunModel>(const RoleSettings& before, std::size_t id)>;

}  // namespace sotto::apps::bandit
