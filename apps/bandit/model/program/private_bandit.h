// The private epsilon-greedy contextual bandit: algorithm 1 of Hannun et al. 2019, Privacy-Preserving Contextual
// Bandits.
//
// n compute parties, or owners outside of them, hold blocks of the features x of successive contexts. In each step the
// roles score A arms in shares. One arm is opened to the actor and to nobody else. The rewarder brings the reward, and
// the model of that arm learns in shares:
//     s_a = w_a . x               scores; w_a are the weights of ridge regression on the pulls of a
//     o   = argmax, or uniform    epsilon-greedy one-hot of the arm, ties at random
//     v_a = W_a x / (1 + x' W_a x)                             W_a is the inverse of A_a = I + the sum of x x'
//     W_a <- W_a - o_a (W_a x) v_a'                            Sherman-Morrison, all arms alike
//     w_a <- w_a + o_a v_a (r - s_a)
// Every 256 steps W and w are refreshed from A and b (step/refresh.h). A and b are the sums of o_a x x' and o_a r x,
// which are kept exact in shares and never opened. So errors do not add up, in a run of any length. o_a is an unscaled
// bit, so arms that were not pulled keep W_a and w_a exactly. W_a is symmetric, so only its upper triangle is computed,
// opened under masks and dealt. W_a is updated from both triangles of u v', which is symmetric except for rounding.
//
// Rounds          6 per step where R <= 1, and one more for each further factor of the division (reciprocal.h). The
//                 rounds are the same for any number of parties and for 2 to 64 arms. The arm is opened in round 4.
//                     1  s = w . x                      |  u = W x
//                     2  compare all pairs              |  d = 1 + u . x
//                     3  count wins                     |  e0 = 1 - d y0,  p0 = u y0
//                     4  o to the actor, and masked     |  v = p0 (1 + e0)
//                     5  reward; o x                    |  o u, o v
//                     6  w + (o v)(r - s)               |  W - ((o u) v' + v (o u)') / 2;  the next x, by its owners
//                 The rounds above are those with StepUpdate::all_arms. With StepUpdate::pulled_arm W and s of the
//                 pulled arm are selected first, in 11 rounds of fewer bytes (step/single_step.h). With pulled_arm the
//                 arm is opened in round 4 as well. If the context x is known a step ahead (contexts_ahead), it is
//                 shared a step ahead, except at the first step of a fresh or resumed run. Without contexts_ahead a
//                 step has 7 rounds, and the arm is opened in round 5. A refresh has 5 rounds, or 6 with pulled_arm
//                 (phase "refresh").
// Bytes           `sotto plan` prints the bytes; every run checks that measured = planned.
// Views           The actor: the arms. The rewarder: its rewards. The compute parties: uniform openings, nothing else,
//                 not even the arm. The dealer: nothing. Owners: nothing, since nothing is sent to them. With
//                 reveal_model the compute parties learn the final W and w.
// May collude     Up to n-1 compute parties; the dealer with nobody. Semi-honest.
// Ranges          |x| <= R <= 8, rewards in [-1, 1]. All widths follow from R, T and D. A run is refused if rounding
//                 would spoil it (step/step_plan.h). Owners check their inputs before sharing. step/single_step.h says
//                 why no input can make W or w leave its range.
// Interruptions   Every checkpoint_every steps, and after the last step, there is one more round (phase "checkpoint").
//                 Each party computes an id from the opened values of W and w (apps/bandit/model/sites.h). Party 0
//                 sends this id to the actor and the rewarder: 32 bytes that are a hash of uniform words. Each compute
//                 party then passes its shares of W, A, w and b to its site, which stores these shares under the id. A
//                 run that resumes from such a checkpoint begins with one more round (phase "restore"), in which W and
//                 w are masked again. Refreshes are at the same steps as in a run without an interruption. It is safe
//                 to keep shares. The sites keep n shares, and any n-1 of them are uniform. Opened values are masked by
//                 words that are fresh and uniform at every single party
//                 (include/sotto/protocol/io/checkpoint_shares.h). The masks before and after an interruption have
//                 nothing in common as long as no epoch is opened twice, which the stores ensure
//                 (apps/bandit/run/state/store.h). The step from which a run resumes, and the steps at which a run
//                 keeps its state, are run parameters: the same at every role, and independent of data. Steps that were
//                 played after the checkpoint are played again. The arms of repeated steps are opened a second time,
//                 and the privacy of arms counts these arms twice.
// Deviations      The dealer draws the uniform arm instead of exploration scores. The one-hot of the arm stays in
//                 shares; the actor does not share it again.
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

// prepared_bandit: the private bandit, with randomness from the roles that the run's parameters name (RandomnessBy).
//
// Functionality   As private_bandit. With a dealer, prepared_bandit runs private_bandit directly. Without a dealer the
//                 roles agree on keys, and make the randomness for a stretch of steps before the stretch
//                 (protocols/preprocessing/replicated/run_replicated.h, or
//                 protocols/preprocessing/transfers/run_transfers.h for two parties).
// Rounds, bytes   As private_bandit; without a dealer also those of the phase "preprocessing".
//                 `sotto plan --preprocessing` prints the rounds and bytes.
// Views           As private_bandit, with nobody in the dealer's place. randomness_account.h says who could know what.
// Throws          std::invalid_argument if the topology is not that of the parameters.

// `plan` and `site` must outlive the task. `own` must be fresh for each epoch; with a dealer it is not used. `stock`,
// if given, must also outlive the task, because the first stretches come from the stock.
[[nodiscard]] Task<BanditModel> prepared_bandit(Party& party, const BanditPlan& plan, BanditSite& site,
                                                BanditSchedule schedule, protocols::OwnRandomness own,
                                                protocols::MaterialStock* stock = nullptr);

// Makes the randomness of a run from its first step on. The randomness goes into the stock, after the stretches that
// are already there, until `enough` returns true. The steps are played only to record their requests, and `site`
// observes the steps. Returns the number of stretches in the stock. Throws as prepared_bandit, and
// std::invalid_argument with a dealer.
[[nodiscard]] Task<std::uint64_t> prepare_bandit(Party& party, const BanditPlan& plan, BanditSite& site,
                                                 protocols::OwnRandomness own, protocols::MaterialStock& stock,
                                                 std::function<bool()> enough);

}  // namespace sotto::apps::bandit
