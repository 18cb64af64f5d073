// learn: adds a batch of decided events to the model, by the same operations for all arms [Hannun et al. 2019,
// algorithm 1 lines 17 to 22, for many events at once].
//
// Functionality   Inputs: the model, and the inputs of sums.h for up to B events. Output: the model after
//                     A_a <- A_a + the sum of o_a l x x'       b_a <- b_a + the sum of o_a l r x
//                     w_a <- A_a^-1 b_a up to rounding
// How             A and b are exact sums in shares and never opened. The parties scale W, the approximate inverse of A,
//                 by a step length c_a. The k = 3 Newton-Schulz iterations W <- 2W - W A W then converge. The last
//                 iteration also computes w, and corrects w by the residual b - A w. i is the number of the iteration,
//                 from 1 to k:
//     round       computation
//     1           The holders share x, the actor shares o, and the rewarder shares l and l r. The parties mask W again.
//                 If A and b of an imported model have more bits than the plan, the parties truncate both.
//     2           The parties mask o_a x. If events may be skipped, they also mask l x.
//     3           A_a += sum (o_a x)(l x)' and b_a += sum (o_a x) l r. The parties mask truncated copies of A, of the
//                 sum S of this batch and of b, with FA, FS and Fb bits.
//     4           t_a = tr(W_a S_a) + 2^-5, masked. The parties mask the copies of A and b again.
//     5           c_a, by a look-up of t_a in a table, masked
//     6           W_a <- c_a W_a
//     5 + 2i      P = A W. The parties mask W again. In the last iteration also w0 = W b.
//     6 + 2i      W <- 2W - (W P + P' W) / 2. In the last iteration also e = b - A w0.
//     7 + 2k      w = w0 + W e
//                 A value that is masked again has no carry term afterwards, so each product with this value needs less
//                 randomness. The step length c comes from a table of 1 / (1 + t/2), whose cells have a width of 1/8 in
//                 t. Each cell contains the value for the upper end of its range, so an index that is too large is
//                 safe. With a dealer an index is too large by up to one, without a dealer by up to three. If two
//                 parties compute products by transfers and all events are learned, the actor shares o as bits, because
//                 selecting by bits is then cheaper. Rounds 2 and 3 are then:
//     2           The parties mask x x' and r x.
//     3           A_a += sum o_a (x x') and b_a += sum o_a (r x). The parties mask the same copies as above.
// Rounds          7 + 2k = 13, for any B, any number n of parties and any A.
// Views           Nobody learns anything, and openings are uniform. The compute parties and the dealer see how many
//                 events are learned. Only the actor and the rewarder know whether a given event is learned.
// Ranges          |x| <= R, |r| <= 1, at most B events at once, at most T events in a run (batch_plan.h).
// Cannot diverge  Let n = 1 + T R^2, M = A^(1/2) W A^(1/2) and d = plan.rounding <= .05. Let the contexts be within R,
//                 let the rewards be in [-1, 1], and let each batch have at most B events. Then 0 < M < 2 before every
//                 iteration, 0 < M <= 1 + d after every batch, and |w| <= (1 + d) sqrt(N) / 2 after N pulls. Proof:
//                 1. In the beginning A = W = M = I.
//                 2. A batch adds S to A. Let t = tr(W S). The eigenvalues of (A + S) W are positive and at most
//                    1 + d + t.
//                 3. The parties compute t only from the truncated copy of S. Let t^ be this value, and D the number of
//                    features. Then |t^ - t| <= D^1.5 2^-FS < 1 - d. The table ensures c <= 1 / (1 + t^/2), so c (1 + d
//                    + t) < 2. M is now A^(1/2) c W A^(1/2) with the new A. Let E = I - M. Then |E| < 1 before the
//                    iterations.
//                 4. Up to rounding, an iteration replaces E by E^2. So the iteration replaces M by I - E^2, which lies
//                    in (0, I].
//                 5. Rounding W changes M by at most D n 2^-FW. Let F be the rounding error of P and X = A^(-1/2) F
//                    A^(1/2), so |X| <= sqrt(n) D 2^-FP. F changes M by (M X + X' M) / 2. To first order this change
//                    has the size |M| |X|, but only because the parties compute both triangles of W P. The copy of A
//                    has an error of D 2^-FA. The errors of W, P and A add up to d. Each iteration starts from 0 < M <
//                    2, so the last iteration by itself ensures that M <= 1 + d.
//                 6. M also stays above 0. In a direction where M is small, the first-order effect of X is a multiple
//                    of M, and the second-order effect is at most |X|^2 <= 1e-4. The remaining error is D n 2^-FW. Let
//                    M0 be the matrix M before a batch. After the scaling in round 6, M is at least 1 / (1/M0 + B R^2 /
//                    2). Each iteration about doubles a small M. So after any batch, M is at least 2^(k+1) / (2 + B
//                    R^2). FW is so large that the remaining error is below half of this lower bound of M.
//                 7. w = V b with V = W0 + W - W A W0, where W0 and W are the inverses before and after the last
//                    iteration. Let E be the error before the last iteration. Up to an error of d, A^(1/2) V A^(1/2) =
//                    I - E^3. So 0 <= V <= (1 + d) A^-1. Let the rows of X now be the N pulled contexts, so A = I + X'
//                    X and b = X' r. Then |V X'|^2 is the largest eigenvalue of V (A - I) V, which is at most (1 + d)^2
//                    / 4. The vector r of N rewards has |r| <= sqrt(N). So |w| <= |V X'| |r| <= (1 + d) sqrt(N) / 2,
//                    whether W has converged or not. The range of compared scores therefore includes a factor of 1.1,
//                    which is more than 1 + d.
//                 Before the iterations |E| is about t / (2 + t), where t is about D B / N. The k = 3 iterations raise
//                 |E| to its 8th power. Until W has converged, W <= (1 + d) A^-1, so the weights of an arm with few
//                 pulls are too small, never too large.
#pragma once

#include <cstdint>

#include "apps/bandit/model/batch/batch_plan.h"
#include "apps/bandit/model/batch/sums.h"
#include "apps/bandit/model/learned_model.h"
#include "sotto/protocol/async/task.h"
#include "sotto/protocol/party/party.h"
#include "sotto/protocol/sharing/arith.h"
#include "sotto/protocol/sharing/masked.h"

namespace sotto::apps::bandit {

using BatchModel = LearnedModel;  // W has FW bits, w has Fw bits

[[nodiscard]] BatchModel initial_batch_model(const Party& party, const BatchPlan& plan);

// The shares of a model. A program must mask these shares of W and w again before it uses them.
struct BatchShares {
  Arith gram, targets, inverse, weights;
};
[[nodiscard]] BatchShares shares_of(const Party& party, BatchModel model);

[[nodiscard]] Task<BatchModel> learn(Party& party, const BatchPlan& plan, BatchShares model, TrainingEvents lessons);
[[nodiscard]] Task<BatchModel> learn(Party& party, const BatchPlan& plan, BatchModel model, TrainingEvents lessons);

}  // namespace sotto::apps::bandit
