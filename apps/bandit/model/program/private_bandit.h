// The private epsilon-greedy contextual bandit: algorithm 1 of Hannun et al. 2019, Privacy-Preserving Contextual
// Bandits.
//
// n compute parties, or owners outside of them, hold blocks of the features x of successive contexts. In each step the
// roles score A arms in shares. The actor learns the chosen arm, the rewarder brings the reward, and the roles update
// the model of the chosen arm in shares:
//     s_a = w_a . x               scores; w_a are the weights of ridge regression on the pulls of a
//     o   = argmax, or uniform    epsilon-greedy one-hot of the arm, ties at random
//     v_a = W_a x / (1 + x' W_a x)                             W_a is the inverse of A_a = I + the sum of x x'
//     W_a <- W_a - o_a (W_a x) v_a'                            Sherman-Morrison, all arms alike
//     w_a <- w_a + o_a v_a (r - s_a)
// Every 256 steps the parties refresh W and w from A and b (step/refresh.h). A and b are the sums of o_a x x' and o_a r
// x, which are exact in shares and never opened. So errors do not add up, in a run of any length. o_a is an unscaled
// bit, so arms that were not pulled keep W_a and w_a exactly. W_a is symmetric, so only its upper triangle is computed.
//
// Rounds          6 per step if R <= 1. With a larger R, the division may multiply by additional factors
//                 (reciprocal.h), and each of them costs one round. The rounds are the same for any number of parties
//                 and for 2 to 64 arms. The roles open the arm to the actor in round 4.
//                        choice of the arm, new w       |  new W
//                     1  s = w . x                      |  u = W x
//                     2  compare all pairs              |  d = 1 + u . x
//                     3  count wins                     |  e0 = 1 - d y0,  p0 = u y0
//                     4  o masked, and o to the actor   |  v = p0 (1 + e0)
//                     5  reward; o x                    |  o u, o v
//                     6  w + (o v)(r - s)               |  W - ((o u) v' + v (o u)') / 2;  the next x is shared
//                 These are the rounds with StepUpdate::all_arms. y0 is a first approximation of 1 / d (reciprocal.h).
//                 A step with StepUpdate::pulled_arm has 11 rounds (step/single_step.h). Without contexts_ahead a step
//                 has 7 rounds, and the arm is opened in round 5. A refresh has 5 rounds, or 6 with pulled_arm.
// Bytes           `sotto plan` prints the bytes. Every run checks that the measured bytes are the planned bytes.
// Views           The actor sees the arms, and the rewarder sees the rewards that it brings. The compute parties see
//                 uniform openings, and not even the arm. The dealer and the owners see nothing. With reveal_model the
//                 compute parties learn the final W and w.
// May collude     Up to n-1 compute parties may collude. The dealer may collude with nobody. All roles are semi-honest.
// Ranges          |x| <= R <= 8, rewards in [-1, 1]. All widths follow from R, T and D. plan_step() refuses a
//                 run that rounding would spoil (step/step_plan.h). Owners check their inputs before sharing.
//                 step/single_step.h proves that no input can make W or w leave its range.
// Interruptions   Every checkpoint_every steps, and after the last step, one more round takes place (phase
//                 "checkpoint"). Each party computes an id from the opened values of W and w (sites.h). Party 0 sends
//                 this id to the actor and the rewarder. The id has 32 bytes and is a hash of uniform words. Each
//                 compute party then passes its shares of W, A, w and b to its site, which stores these shares under
//                 the id. A resumed run begins with one more round (phase "restore"), in which the parties mask W and w
//                 again. It is safe to store the n shares, because any n-1 of them are uniform. The masks before and
//                 after an interruption are independent if no role opens an epoch twice. The stores ensure this
//                 (apps/bandit/run/state/store.h). A resumed run plays the steps after the checkpoint again. The arms
//                 of these steps are opened a second time, and the account of the arms' privacy counts these arms
//                 twice.
// Deviations      To explore, the paper draws random scores. Here the dealer draws a uniform arm instead. The one-hot
//                 of the arm stays in shares; the actor does not share it again.
#pragma once

#include <cstdint>
#include <functional>

#include "apps/bandit/model/bandit_plan.h"
#include "apps/bandit/model/learned_model.h"
#include "apps/bandit/model/sites.h"
#include "protocols/preprocessing/recorded/material.h"
#include "sotto/protocol/async/task.h"
#include "sotto/protocol/party/party.h"
#include "sotto/protocol/preprocessing/run_with_randomness.h"

namespace sotto::apps::bandit {

// Throws std::invalid_argument if the schedule starts after the last step.
[[nodiscard]] Task<BanditModel> private_bandit(Party& party, const BanditPlan& plan, BanditSite& site,
                                               BanditSchedule schedule = {});

// prepared_bandit: the private bandit with randomness from the roles that the run's parameters name (RandomnessBy).
//
// Without a dealer, the roles make the randomness for a stretch of steps before the stretch, in the phase
// "preprocessing". Otherwise the rounds, bytes and views are those of private_bandit(). randomness_account.h says which
// roles know which randomness. prepared_bandit() throws std::invalid_argument if the topology is not that of the
// parameters.

// `plan`, `site` and `stock` must outlive the task. `own` must be fresh for each epoch. With a dealer, `own` is not
// used.
[[nodiscard]] Task<BanditModel> prepared_bandit(Party& party, const BanditPlan& plan, BanditSite& site,
                                                BanditSchedule schedule, protocols::OwnRandomness own,
                                                protocols::MaterialStock* stock = nullptr);

// Appends randomness to the stock until `enough` returns true. Returns the number of stretches in the stock. Throws
// std::invalid_argument with a dealer.
[[nodiscard]] Task<std::uint64_t> prepare_bandit(Party& party, const BanditPlan& plan, BanditSite& site,
                                                 protocols::OwnRandomness own, protocols::MaterialStock& stock,
                                                 std::function<bool()> enough);

}  // namespace sotto::apps::bandit
