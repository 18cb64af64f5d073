// From sums to a model: the inverse of A, and the weights A^-1 b, once all events are summed (sums.h).
//
// Functionality   A and b -> W, an approximate inverse of A, and w, close to A^-1 b. W and w depend only on A, on b and
//                 on the random coins of the roundings. They depend neither on the order of the events nor on the
//                 batches.
// How             Ridge continuation. A(s) = I + 2^-s (A - I), for s from ceil(log2 n) down to 0. For the first s, W =
//                 I is an inverse of A(s) up to a factor of 2. With the W for s, the eigenvalues of A(s - 1) W are in
//                 [1, 2). Scaling W by 2/3 brings the eigenvalues into [2/3, 4/3). Three Newton-Schulz iterations W <-
//                 2W - W A W then leave an error of (1/3)^8, plus rounding.
//     round       1          all A(s), truncated to FA bits; a copy of b at Fb
//                 2          both masked again, without a carry term
//                 for each s:
//                 1          2/3 W
//                 2i, 2i + 1 an iteration (newton_schulz.h); with the very last one w0 = W b and e = b - A w0
//                 and once   w = w0 + W e
// Rounds          3 + 7 (1 + ceil(log2 n)) with n = 1 + T R^2: 129 for 10^5 events of norm 1.
// Views           Nobody learns anything: openings are uniform, and no step depends on a secret.
// Ranges          as in learn.h; eigenvalues of A from 1 to n. Eigenvalues of A(s) W never leave (0, 2), whatever the
//                 contexts are, so the iterations cannot diverge.
#pragma once

#include <cstdint>
#include <utility>

#include "apps/bandit/model/batch/batch_plan.h"
#include "apps/bandit/model/batch/sums.h"
#include "apps/bandit/model/learned_model.h"
#include "sotto/protocol/async/task.h"
#include "sotto/protocol/party/party.h"
#include "sotto/protocol/sharing/arith.h"
#include "sotto/protocol/sharing/masked.h"
#include "sotto/protocol/sharing/rearrange.h"

namespace sotto::apps::bandit {

[[nodiscard]] Task<LearnedModel> solve(Party& party, const BatchPlan& plan, Sums sums);

// The number of stages of solve(), and its rounds.
[[nodiscard]] unsigned solve_stages(const BatchPlan& plan);
[[nodiscard]] unsigned solve_rounds(const BatchPlan& plan);

// A and b as copies that enter products, and the exact b.
struct Ridge {
  const Masked& A;            // whole matrices
  const Masked& A_triangles;  // A as triangles
  const Masked& b;            // at plan.target_bits
  const Arith& targets;
};

// The last Newton-Schulz iteration of learn() or solve(). The iteration also computes w0 = W b and e = b - A w0, and in
// a last round w = w0 + W e. Returns W and w. 3 rounds.
[[nodiscard]] Task<std::pair<Masked, Masked>> last_iteration(Party& party, const BatchPlan& plan,
                                                             const SymmetricLanes& lanes, const Ridge& ridge, Masked W);

}  // namespace sotto::apps::bandit
