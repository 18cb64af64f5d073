// What a run of the bandit has learned, in shares, however it learns: the same for single steps and for batches.
#pragma once

#include <cstdint>

#include "apps/bandit/model/model_store.h"
#include "apps/bandit/model/parameters.h"
#include "apps/bandit/model/sites.h"
#include "sotto/protocol/async/task.h"
#include "sotto/protocol/party/party.h"
#include "sotto/protocol/sharing/arith.h"
#include "sotto/protocol/sharing/masked.h"
#include "sotto/protocol/sharing/public.h"

namespace sotto::apps::bandit {

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

}  // namespace sotto::apps::bandit
