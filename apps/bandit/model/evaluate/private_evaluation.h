// How often the model agrees with a log, in shares. The model learns from the first events of a log. For each cell of
// the later events, the run counts how often the model's arm is the logged arm.
//
// Functionality   The learned events are summed as in sums.h, and the model follows from the sums as in solve.h. For
//                 each of the N evaluated events, the holders bring the contexts x. The actor brings the logged arm a,
//                 and the event's cell, which is one of C cells. The actor learns, for each cell, in how many of its
//                 events the model's arm is the logged arm; each holder adds noise to this number. Apart from these
//                 counts, no role learns anything. The model's arm g of an event is an arm with the largest w_a . x;
//                 ties are broken at random. Neither g nor an estimate is ever opened. The actor computes from the
//                 counts and its own log what policies are worth (apps/bandit/run/log/estimates.h).
// How             The actor brings the arm and the cell as bits: the one-hots a and e, which are checked. Let o be the
//                 one-hot of g. The XOR m of the bits o & a is 1 if the two arms of an event are the same. The counts
//                 are the sum of m e:
//     round       1  x by its holders, a and e by the actor; the model's weights masked again
//                 2  s_a = w_a . x, masked                |  coins of the parties, drawn once a and e are there
//                 3  all pairs compared
//                 4  wins counted
//                 5  o and a, masked: o & a
//                 6  m, masked; m e without a message
//                 and at the end of the run (phase "counts"):
//                 1  the sum of all checks of one-hots (one_hots.h), to parties and owners. It is 0, or the run
//                    ends here
//                 2  where there are owners: their noise
//                 3  the counts, with noise, to the actor
//                 or, where the answer is one bit, in place of 3:
//                 3  the counts H, masked; factors q and a threshold t by the actor
//                 4  q . H, masked
//                 5  t < q . H
//                 6  that bit to the actor
// Rounds          2 per learned batch (batch/sums.h), and once the rounds of batch/solve.h. 6 per evaluated batch for
//                 any number of events and parties, and 11 above 64 arms. The end of the run has 2 rounds, or 3 with
//                 owners; an answer in one bit needs 3 more.
// Bytes           per event: D words from its holders, A + C bits from the actor; A words, A (A-1) / 2 + A bytes and
//                 2 A + 1 bits from each party to each other party. Once per batch: two words from each party to each
//                 other party. Once per run: a word from each party to each other party and to each owner, and C words
//                 from each party to the actor. Every run checks that measured = planned.
// Views           The actor: C numbers that are epsilon_j-differentially private, with delta 0, whatever log the actor
//                 brings. The privacy covers the features of holder j in one evaluated row, or in all evaluated rows of
//                 a subject that has at most m_j rows. The privacy holds against the actor together with all roles
//                 except j and the dealer. Proof: fix all inputs except these features of holder j, and so also the
//                 model. The features then enter only the o of their own rows. m is an XOR of bits and so a bit,
//                 whatever o is. The cell is a checked one-hot that does not depend on the features. So a row changes
//                 the counts by at most 1 in total, and a subject changes them by at most m_j in total. The noise of
//                 holder j is a discrete Laplace number of scale m_j / epsilon_j in each count. With this noise, a
//                 change of the counts by m_j changes probabilities by a factor of at most e^epsilon_j. [Dwork,
//                 McSherry, Nissim, Smith 2006; discrete: Ghosh, Roughgarden, Sundararajan 2009] The noise in counts
//                 does not cover the learned rows, although these rows affect every count. Noise in learning covers
//                 them (batch/noised_sums.h), for any number of counts over other rows. An answer in one bit is
//                 computed from the counts with their noise, so epsilon holds for the answer as well. Such an answer
//                 reveals at most one bit about the learned rows. The epsilons of several evaluations add up. The
//                 compute parties: uniform openings, whether the actor's bits are one-hots, and how many events are
//                 learned and evaluated. The dealer: how many events are learned and evaluated.
// Ranges          Counts are below 2^62 and never wrap. The actor shares its arms and cells as bits, so each of these
//                 inputs is 0 or 1, even if the actor cheats.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "apps/bandit/model/batch/batch_plan.h"
#include "apps/bandit/model/learned_model.h"
#include "sotto/protocol/async/task.h"
#include "sotto/protocol/party/party.h"

namespace sotto::apps::bandit {

// Counts are opened only if at least this number of events is evaluated. This limit by itself protects nobody.
inline constexpr std::uint64_t least_evaluated = 1000;

inline constexpr std::size_t most_cells = 64;

struct EvaluationPlan {
  std::uint64_t learned;    // the first events of the run
  std::uint64_t evaluated;  // N, the other events
  std::size_t cells;        // C
  std::size_t batch;        // events that are evaluated at once
  bool in_one_bit = false;

  static constexpr std::size_t most_at_once = 1024;
  // Rounds of an evaluated batch.
  [[nodiscard]] static unsigned rounds(const BanditParameters& parameters) {
    return parameters.arms <= protocols::max_pairwise ? 6 : 11;
  }
  // Rounds at the end of the run.
  [[nodiscard]] static unsigned closing_rounds(const BanditParameters& parameters) {
    return (parameters.owners == 0 ? 2U : 3U) + (parameters.held_out.in_one_bit ? 3U : 0U);
  }
  // Fraction bits of a question's numbers. With them, a sum of 4 N numbers of size up to 1 has at most 61 bits.
  [[nodiscard]] unsigned question_bits() const {
    return std::min(40U, 58 - static_cast<unsigned>(std::bit_width(evaluated)));
  }

  static void describe(auto& self, auto&& field) {
    field("learned", self.learned);
    field("evaluated", self.evaluated);
    field("cells", self.cells);
    field("batch", self.batch);
  }
};

// Throws InputError if fewer than least_evaluated events are evaluated, or if no event is learned and there is no
// earlier model. The error says which parameter to change.
[[nodiscard]] EvaluationPlan plan_evaluation(const BatchPlan& plan);

// The promise to everybody who brings features to an evaluation. The help, the pages and the start of a role that
// brings features show this promise.
inline constexpr const char* evaluation_promise =
    "The owner of the log chooses up to 64 cells of events. For each cell it learns how many events agree with the "
    "model, with noise of every role that brings features. The counts are epsilon-differentially private in all that "
    "one such role knows of one evaluated row, whatever log is brought. Rows that the model learned from are covered "
    "only by noise in learning (learning_epsilon). The epsilons of several evaluations of the same rows add up: an "
    "account counts them, and refuses more than its budget.";

// Everything that an evaluation opens to the actor.
struct OpenedCounts {
  std::uint64_t events = 0;
  std::vector<std::int64_t> agreed;  // agreements of each cell, with noise, so they may be negative
};

// Throws ProtocolError at the compute parties, before anything is opened, if the actor's arms or cells are not
// one-hots.
[[nodiscard]] Task<BanditModel> private_evaluation(Party& party, const BatchPlan& batches, const EvaluationPlan& plan,
                                                   BanditSite& site);

}  // namespace sotto::apps::bandit
