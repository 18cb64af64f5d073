// What the model would have earned on a log, in shares: it learns from the first events of a log, and is evaluated on
// the others.
//
// Functionality   as of learn.h for the events that are learned. Of N others: the contexts x from their owners, and of
//                 each the arm that was logged, its weight v (one over its propensity) and v r, from the actor -> the
//                 actor learns OpenedSums; nobody learns anything else. The model's arm g of an
//                 event is one of largest w_a . x, drawn at random among several, and is never opened; nor is an
//                 estimate. [inverse propensities: Horvitz and Thompson 1952; doubly robust: Dudik, Langford, Li 2011]
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
//                 (OpenedSums). The compute parties: uniform openings, how many events are learned and
//                 evaluated. The dealer: those numbers. Roundings are coins that openings have a part in, as of any
//                 truncation (include/sotto/protocol/arithmetic/mask_trunc.h): parties that see sums as well see one
//                 sum of them.
// Ranges          EvaluationPlan. The actor checks rewards, weights and arms before sharing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "apps/bandit/model/batch/batch_plan.h"
#include "apps/bandit/model/learned_model.h"
#include "sotto/protocol/async/task.h"
#include "sotto/protocol/party/party.h"

namespace sotto::apps::bandit {

// The widths of an evaluation, all from public bounds.
//
// With T, D, R as in parameters.h, N events that are evaluated and weights up to V, one over the least propensity:
//
//     S  = .55 R sqrt(T) + 1                                an estimate w_a . x of a reward, by learn.h's w
//     G  = S (1 + V) + V                                    a term of the doubly robust sum
//     Fu = min(16, floor((62 - log2 N - 2 log2(V + 1)) / 2))   weights, and weights times rewards
//     Fs = min(16, Fx + Fw - 1, floor(61 - log2 G) - Fu)    estimates
//     Fd = min(16, Fs + Fu - 1, floor((62 - log2 N - 2 log2(G + 1)) / 2))   terms of the doubly robust sum
//
// So sums of squares stay below 2^62 whatever the features and rewards. Terms are rounded without bias and
// independently, and it is the rounded terms whose squares are added: rounding makes intervals wider and never wrong,
// by less than 2^-Fd / sqrt(N). Refused: Fu below 4, Fs or Fd below 1, S beyond 2^(61 - Fx - Fw), and fewer than
// least_evaluated events.

// Sums over fewer events are not opened.
inline constexpr std::uint64_t least_evaluated = 1000;

struct EvaluationPlan {
  std::uint64_t learned;    // events, the first of the run
  std::uint64_t evaluated;  // N, those after them
  double largest_weight;    // V
  unsigned weight_bits;     // Fu
  unsigned estimate_bits;   // Fs
  unsigned gain_bits;       // Fd
  std::size_t batch;        // events that are evaluated at once

  static constexpr std::size_t most_at_once = 1024;
  // Rounds of a batch.
  [[nodiscard]] static unsigned rounds(const BanditParameters& parameters) {
    return parameters.arms <= protocols::max_pairwise ? 6 : 11;
  }

  static void describe(auto& self, auto&& field) {
    field("learned", self.learned);
    field("evaluated", self.evaluated);
    field("largest_weight", self.largest_weight);
    field("weight_bits", self.weight_bits);
    field("estimate_bits", self.estimate_bits);
    field("gain_bits", self.gain_bits);
    field("batch", self.batch);
  }
};

// Throws InputError, saying which parameter to change.
[[nodiscard]] EvaluationPlan plan_evaluation(const BatchPlan& plan);

// What an evaluation opens to the actor, and nothing else: sums over all events that are evaluated.
//
// The sums have no noise, and the actor chooses the arms, weights and rewards that go into them. An event whose terms
// are constants, such as one at weight 1, adds nothing unknown; where all events but one are such, the sums are those
// of one customer. So they hide no single event from the actor, however many there are.
//
// Of event t with the arm a that was logged, its reward r and its weight v, one over the propensity of a; with the arm
// g that the model holds best and its estimates s of what arms earn:
//     w = v where g is a, else 0        y = w r        d = s_g (1 - w) + y
// and of each arm b, with v_b = v where b is a, else 0:     d_b = s_b (1 - v_b) + v_b r.

// What everybody who brings features to an evaluation is told, in help, pages and at the start of such a role.
inline constexpr const char* single_customer_warning =
    "The owner of the log can read a single customer's features, estimates and greedy arm from one evaluation, "
    "because it chooses which events are constants, and the sums have no noise. Give evaluations only to an owner "
    "that may know these features.";

struct OpenedSums {
  std::uint64_t events = 0;
  double y = 0, w = 0;
  double yy = 0, yw = 0, ww = 0;
  double d = 0, dd = 0;
  std::vector<double> arms, arm_squares;  // of d_b
};

[[nodiscard]] Task<BanditModel> private_evaluation(Party& party, const BatchPlan& batches, const EvaluationPlan& plan,
                                                   BanditSite& site);

}  // namespace sotto::apps::bandit
