// What the model would have earned on a log, in shares: it learns from the first events of a log, and is evaluated on
// the others.
//
// Functionality   as of learn.h for the events that are learned. Of N others: the contexts x from their owners, and of
//                 each the arm that was logged, its weight v (one over its propensity) and v r, from the actor -> the
//                 actor learns the sums of opened_sums.h; nobody learns anything else. The model's arm g of an event is
//                 one of largest w_a . x, drawn at random among several, and is never opened; nor is an estimate.
//                 [inverse propensities: Horvitz and Thompson 1952; doubly robust: Dudik, Langford, Li 2011]
// How             With the one-hot o of g, and u = v r and v at the logged arm of a row and zeros elsewhere, both the
//                 actor's input: w = o . v, y = o . u; d_b = s_b (1 - v_b) + u_b; d = o . d, one inner product each.
//     round       1  x by its owners, u and v by the actor; the model's weights masked again
//                 2  s_a = w_a . x, masked for comparison, and truncated
//                 3  all pairs compared              |  d_b, truncated
//                 4  wins counted
//                 5  o, masked
//                 6  y, w and d of each event, masked: their squares are added up without a message
//                 and at the end of the run one round more: the sums to the actor (phase "sums").
// Rounds          6 a batch for any number of events and parties, 11 above 64 arms.
// Bytes           an event: D words from its owners, 2 A words from the actor; 4 A + 3 words and A (A-1) / 2 + A bytes
//                 from each party to each other. Once: 8 (7 + 2 A) bytes of each party to the actor. Measured = planned
//                 is checked in every run.
// Who sees what   The actor: 7 + 2 A sums over at least least_evaluated events, of terms that are rounded at random:
//                 shares that were refreshed by a dealt sharing of zero. The sums hide no single event from it
//                 (opened_sums.h). The compute parties: uniform openings, how many events are learned and evaluated.
//                 The dealer: those numbers. Roundings are coins that openings have a part in, as of any truncation
//                 (include/sotto/protocol/arithmetic/mask_trunc.h): parties that see sums as well see one sum of them.
// Ranges          evaluation_plan.h. The actor checks rewards, weights and arms before sharing.
#pragma once

#include "apps/bandit/model/evaluate/evaluation_plan.h"
#include "apps/bandit/model/evaluate/opened_sums.h"
#include "apps/bandit/model/learned_model.h"
#include "sotto/protocol/async/task.h"
#include "sotto/protocol/party/party.h"

namespace sotto::apps::bandit {

[[nodiscard]] Task<BanditModel> private_evaluation(Party& party, const BatchPlan& batches, const EvaluationPlan& plan,
                                                   BanditSite& site);

}  // namespace sotto::apps::bandit
