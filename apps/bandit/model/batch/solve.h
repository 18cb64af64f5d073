// From sums to a model: the inverse of A, and the weights A^-1 b, after all events are summed (sums.h).
//
// Functionality   A and b -> W, an approximate inverse of A, and w, close to A^-1 b. W and w do not depend on the order
//                 of the events or on the batches.
// How             Ridge continuation. Let n = 1 + T R^2 and A(s) = I + 2^-s (A - I). Each stage uses one A(s): s is
//                 ceil(log2 n) in the first stage, and 0 in the last stage. In the first stage, W = I is an inverse of
//                 A(s) up to a factor of 2. If W is the result of stage s, the eigenvalues of A(s - 1) W are in [1, 2).
//                 Scaling W by 2/3 brings the eigenvalues into [2/3, 4/3). Three Newton-Schulz iterations W <- 2W - W A
//                 W then leave an error of (1/3)^8, plus rounding.
//     round       1          The parties truncate and mask all A(s), to FA bits, and a copy of b, to Fb bits.
//                 2          The parties mask all A(s) and b again, which removes the carry terms.
//                 in each stage:
//                 1          The parties scale W by 2/3.
//                 2i, 2i + 1 iteration i (newton_schulz.h). The last iteration of the last stage also computes
//                            w0 = W b and e = b - A w0.
//                 and once, after the last stage:
//                 1          w = w0 + W e
// Rounds          3 + 7 (1 + ceil(log2 n)): 129 for 10^5 events of norm 1.
// Views           Nobody learns anything. Openings are uniform, and no step depends on a secret.
// Ranges          As in learn.h. The eigenvalues of A are from 1 to n. For any contexts, the eigenvalues of A(s) W stay
//                 in (0, 2), so the iterations cannot diverge.
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

[[nodiscard]] unsigned solve_stages(const BatchPlan& plan);
[[nodiscard]] unsigned solve_rounds(const BatchPlan& plan);

struct Ridge {
  const Masked& A;            // whole matrices
  const Masked& A_triangles;  // A as triangles
  const Masked& b;            // b with plan.target_bits
  const Arith& targets;
};

// The last Newton-Schulz iteration of learn() or solve(), with w0 = W b, e = b - A w0 and w = w0 + W e. Returns W and
// w. 3 rounds.
[[nodiscard]] Task<std::pair<Masked, Masked>> last_iteration(Party& party, const BatchPlan& plan,
                                                             const SymmetricLanes& lanes, const Ridge& ridge, Masked W);

}  // namespace sotto::apps::bandit
