// learn: adds a batch of decided events to the model, by the same operations for all arms.
//
// Functionality   Inputs: the model, and for up to B events the contexts x from their owners. The actor brings the
//                 one-hot o of the played arm, and the rewarder brings l r. An o of only zeros means that the event is
//                 not learned; only the actor sees such an o. If the plan may skip events, the rewarder also brings the
//                 secret bit l (l = 0: not learned). Output: the model after
//                     A_a <- A_a + the sum of o_a l x x'       b_a <- b_a + the sum of o_a l r x
//                     w_a <- A_a^-1 b_a up to rounding
//                 [Hannun et al. 2019, algorithm 1 lines 17 to 22, for many events at once]
// How             A and b are exact sums in shares and never opened. W, the approximate inverse of A, is scaled by c_a
//                 so that the Newton-Schulz iterations W <- 2W - W A W converge. After the iterations, w is refined
//                 once by b - A w:
//     round       matrices                                                    sums and weights
//     1           x by its owners, o by the actor; W masked again; A and b    l and l r by the rewarder
//                 of an imported model, which have more bits, rounded
//     2           o_a x, masked; l x where there is l
//     3           A_a += sum (o_a x)(l x)'; copies of A and of the batch's    b_a += sum (o_a x) l r; a copy of b at Fb
//                 sum S at FA and FS bits
//     4           t_a = tr(W_a S_a) + 2^-5; the copy of A masked again        the copy of b masked again
//     5           c_a by a look-up of t_a, masked
//     6           W_a <- c_a W_a
//     5 + 2i      P = A W, whole matrices; W masked again                     the last i: w0 = W b
//     6 + 2i      W <- 2W - (W P + P' W) / 2                                  the last i: e = b - A w0
//     7 + 2k                                                                  w = w0 + W e
//                 A value that is "masked again" has no carry term afterwards. Without a carry term, the value needs no
//                 dealt bit string for each product that it enters. Both triangles of W P are computed. If only the
//                 upper triangle were computed and mirrored, a direction with many data would get rounding errors of a
//                 direction with few data. In the direction with many data W is only 1/N. The step length c comes from
//                 a table of 1 / (1 + t/2), whose cells have a width of 1/8 in t. The table has the value at the upper
//                 end of each cell, so an index that is too large is safe. An index may be too large: by up to one with
//                 a dealer, and by up to three without a dealer. If selecting by bits is cheaper (two parties by
//                 transfers) and all events are learned, the actor shares o as bits. Then words are multiplied first,
//                 and bits select from the products; the sums stay exactly the same:
//     2           x x' and r x, masked
//     3           A_a += sum o_a (x x')                                       b_a += sum o_a (r x)
// Rounds          7 + 2k = 13, for any B, n and A.
// Bytes           `sotto plan` prints the bytes; every run checks that measured = planned.
// Views           Nobody learns anything: openings are uniform. The compute parties and the dealer see how many events
//                 are learned. Only the actor and the rewarder know whether a given event is learned.
// Ranges          |x| <= R, |r| <= 1, at most B events at once, at most T events in a run (batch_plan.h).
// Cannot diverge  Let M = A^(1/2) W A^(1/2) and d = plan.rounding <= .05. For any contexts within R, any rewards in
//                 [-1, 1] and any split into batches of at most B: 0 < M < 2 before every iteration, 0 < M <= 1 + d
//                 after every batch, and |w| <= (1 + d) sqrt(N) / 2 after N pulls.
//                 1. In the beginning A = W = M = I.
//                 2. New data: the eigenvalues of (A + S) W are positive and at most 1 + d + tr(W S) = 1 + d + t.
//                 3. c <= 1 / (1 + t^/2) with |t^ - t| <= D^1.5 2^-FS < 1 - d. So c (1 + d + t) < 2, and |E| < 1 for
//                    E = I - c M.
//                 4. An iteration replaces E by E^2, up to rounding. So it replaces M by I - E^2, which lies in (0, I].
//                 5. Rounding W changes M by at most D n 2^-FW. Rounding P adds the term (M X + X' M) / 2 to M, with
//                    |X| <= sqrt(n) D 2^-FP. To first order this term has the size |M| |X|, which holds only if both
//                    triangles of W P are computed. The copy of A has an error of D 2^-FA. The errors of W, P and A add
//                    up to d. The last iteration alone ensures that M <= 1 + d.
//                 6. Where M is small, X has an effect only multiplied by M, and to second order an effect of
//                    |X|^2 <= 1e-4. The remaining error is D n 2^-FW. c M is at least 1 / (1/M + B R^2 / 2), and M is
//                    at least 2^(k+1) / (2 + B R^2) after any batch. FW is so large that the rounding is below half of
//                    this lower bound of M.
//                 7. w = V b with V = W0 + W - W A W0, and A^(1/2) V A^(1/2) = I - E^3 up to d. Let X be the rows of
//                    the N pulls, and 0 <= V <= (1 + d) A^-1. |V X'|^2 is the largest eigenvalue of V (A - I) V, which
//                    is at most (1 + d)^2 / 4. In addition |r| <= sqrt(N) for the N rewards. So the range of compared
//                    scores includes a factor of 1.1, whether W has converged or not.
//                 Before the iterations |E| is about t / (2 + t), where t is about D B / N; the iterations raise it to
//                 its 8th power. Until W has converged, W <= (1 + d) A^-1, so the weights of an arm with few pulls are
//                 too small, never too large.
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

using BatchModel = LearnedModel;  // W at FW, w at Fw

// Before the first event: A = W = I, b = w = 0.
[[nodiscard]] BatchModel initial_batch_model(const Party& party, const BatchPlan& plan);

// The model in shares between two programs. A program that uses W and w masks them again.
struct BatchShares {
  Arith gram, targets, inverse, weights;
};
[[nodiscard]] BatchShares shares_of(const Party& party, BatchModel model);

[[nodiscard]] Task<BatchModel> learn(Party& party, const BatchPlan& plan, BatchShares model, TrainingEvents lessons);
[[nodiscard]] Task<BatchModel> learn(Party& party, const BatchPlan& plan, BatchModel model, TrainingEvents lessons);

}  // namespace sotto::apps::bandit
