// What a run of the bandit has learned, in shares, however it learns: the same for single steps and for batches.
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

// The model of a run to the sites that keep it, and back: every compute party's own shares, under an id that all nodes
// are told.

// What a model consists of, in shares: matrices of all arms, and vectors.
struct KeptModel {
  std::vector<Arith> matrices;
  std::vector<Arith> vectors;
};

// Every compute party hands its shares to its site, ModelShares with the parts of each kind one after the other. Of
// them nothing is said but the id that they go by, a hash of the public words of two masked values of the model: 1
// round, of the phase that the caller has entered.
[[nodiscard]] Task<void> save_model(Party& party, BanditSite& site, std::uint64_t steps, KeptModel model,
                                    const Masked& first, const Masked& second);

// The shares that were kept after `steps` steps, in the shapes and scales of `like`. They must be masked afresh before
// anything is opened that depends on them (include/sotto/protocol/io/checkpoint_shares.h).
[[nodiscard]] KeptModel load_model(const Party& party, BanditSite& site, std::uint64_t steps, const KeptModel& like);

// Matrices are upper triangles, an arm a row.
struct LearnedModel {
  Arith gram;      // A: I + the sum of x x', exact at 2 Fx and never opened
  Arith targets;   // b: the sum of r x, exact at Fx + Fr and never opened
  Masked inverse;  // W, an approximate inverse of A
  Masked weights;  // w, close to A^-1 b
};

// Before the first event: A = W = I, b = w = 0.
[[nodiscard]] LearnedModel initial_model(const Party& party, const BanditParameters& parameters, ModelBits bits);

// What the sites keep of it: W, then A, and w, then b.
[[nodiscard]] KeptModel kept(const Party& party, const LearnedModel& model);

// The model after `steps` steps, from the shares that were kept then, of the shapes and scales of `fresh`: W and w are
// masked again, in one round.
[[nodiscard]] Task<LearnedModel> restored(Party& party, BanditSite& site, std::uint64_t steps, LearnedModel fresh);

// The model that an earlier run has left, as the sites bring its shares for step 0, at the scales of `fresh`: W and w
// are masked again, and truncated where they had more bits; A and b stay exact. 1 round. Throws InputError where the
// bits of A or b would have to be cut.
[[nodiscard]] Task<LearnedModel> begun(Party& party, BanditSite& site, const BanditParameters& parameters,
                                       LearnedModel fresh);

// With reveal_model, at the compute parties: weights, an arm a row, and the upper triangles of the inverse matrices at
// the plan's inverse_bits.
struct BanditModel {
  Public weights;
  Public inverse_triangles;
};

// w and W, opened at the compute parties in one round.
[[nodiscard]] Task<BanditModel> revealed(Party& party, const LearnedModel& model);

// Adds decided events to A and b, without a message, and returns what was added to A: the sum of o_a x x'. An event a
// row: o_a x at Fx, D columns an arm; x at Fx; the rewards at Fr, a column. All are plain masks. Dealt: 8 bytes an
// entry of A and of b, however many events.
[[nodiscard]] Arith add_events(Party& party, Arith& gram, Arith& targets, const Masked& of_arms, const Masked& contexts,
                               const Masked& rewards);

// The copy of a value that enters products, masked: truncated to `bits` fraction bits where it has more. 1 round.
[[nodiscard]] Task<Masked> copy_at(Party& party, Arith value, unsigned bits, Label label);

// The model of a finished run as whoever begins from it reads it.

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
