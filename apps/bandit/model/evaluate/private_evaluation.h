// Counts in shares how often the model agrees with a log. The model learns from the first events of a log. For each
// cell of the later events, the run counts how often the model's arm is the logged arm.
//
// Functionality   For each of the N evaluated events, the holders bring the contexts x. The actor brings the logged arm
//                 a and the event's cell, which is one of C cells. The actor learns how many events of each cell agree
//                 with the model, with noise of each holder. No role learns anything else. The model's arm g of an
//                 event is an arm with the largest w_a . x; ties are broken at random. Neither g nor an estimate is
//                 ever opened. From the counts and its own log, the actor computes the value of each policy
//                 (apps/bandit/run/log/estimates.h).
//                 With BanditParameters::held_out.by_best, each compute party also brings an XOR share of a bit b per
//                 event: whether a was the best arm of the model that played. The actor knows the chance of a for b = 1
//                 and for b = 0, but nobody knows b. The actor then learns two counts of each cell: of the events that
//                 agree with b = 1, and of those with b = 0.
// How             The actor brings the arm and the cell as bits: the one-hots a and e. The parties check these
//                 one-hots. Let o be the one-hot of g. The XOR m of the bits o & a is 1 if g is the logged arm. The
//                 counts are the sum of m e:
//     round       1  The holders share x, and the actor shares a and e. The parties mask the model's weights again.
//                 2  The parties compute and mask s_a = w_a . x. They draw and open coins, after a and e are fixed.
//                 3  The parties compare all pairs of scores.
//                 4  The parties count the wins of each arm.
//                 5  The parties mask o and a, and compute o & a.
//                 6  The parties mask m, and compute m e without a message.
//                 With bits b, these rounds also compute a & b, m b and m (1 - b). The counts of a cell are then the
//                 sums of m b e and of m (1 - b) e:
//     round       2  The parties compute a & b.
//                 5  The parties compute o & a & b. The XOR of these bits is m b, and m (1 - b) is m ^ m b.
//                 6  The parties mask m b and m (1 - b) instead of m.
//                 At the end of the run (phase "counts"):
//                 1  The roles open the sum of all checks of one-hots (one_hots.h) to the parties and owners. If the
//                    sum is not 0, the run ends here.
//                 2  If there are owners, they share their noise.
//                 3  The parties open the counts, with noise, to the actor.
//                 If the answer is one bit, these rounds replace round 3:
//                 3  The parties mask the counts H. The actor shares factors q and a threshold t.
//                 4  The parties compute and mask q . H.
//                 5  The parties compare t < q . H.
//                 6  The parties open the bit t < q . H to the actor.
// Rounds          Each learned batch has 2 rounds (batch/sums.h). After the last of these batches, the rounds of
//                 batch/solve.h follow once. Noise in learning adds 1 round (batch/noised_sums.h). Each evaluated batch
//                 has 6 rounds, or 11 with more than 64 arms. The end of the run has 2 rounds, or 3 with owners. An
//                 answer in one bit needs 3 more rounds.
// Bytes           Per event, the holders send D words, and the actor sends A + C bits. To each other party, each party
//                 sends A words, A (A+1) / 2 bytes and 2 A + 1 bits. Bits b cost 4 A + 1 bits more. Per batch, each
//                 party sends two words to each other party. Per run, each party sends a word to each other party and
//                 to each owner, and C words to the actor. With bits b, it sends 2 C words to the actor.
// Views           The actor sees C numbers that are epsilon_j-differentially private, with delta 0, for any log that
//                 the actor brings. The privacy covers the features of holder j in one evaluated row, or in all
//                 evaluated rows of a subject that has at most m_j rows. The privacy holds against the actor together
//                 with all roles except j and the dealer.
//                 Proof: fix all inputs except these features of holder j. The model is then fixed too. The features
//                 affect only the o of their own rows. m is an XOR of bits and so a bit, for any o. The cell is a
//                 checked one-hot that does not depend on the features. So a row changes the counts by at most 1 in
//                 total, and a subject changes them by at most m_j in total. The noise of holder j is a discrete
//                 Laplace number of scale m_j / epsilon_j in each count. With this noise, a change of the counts by m_j
//                 changes probabilities by a factor of at most e^epsilon_j. [Dwork, McSherry, Nissim, Smith 2006;
//                 discrete: Ghosh, Roughgarden, Sundararajan 2009]
//                 With bits b, the privacy covers these features and the bits of the same rows. The actor sees 2 C
//                 numbers, and the noise has the scale 2 m_j / epsilon_j in each of them. Proof: m b and m (1 - b) are
//                 bits, and at most one of them is 1. So a row adds 1 to at most one of the 2 C counts. If the features
//                 and the bit of a row are replaced, the row leaves one count and enters another, so the counts change
//                 by at most 2 in total. They change by at most 2 m_j for a subject. The bits of all other rows are
//                 fixed inputs here. The service made these bits with models that may have learned from the row. The
//                 noise does not cover this, just as it does not cover learned rows.
//                 The noise in counts does not cover the learned rows, although these rows affect every count. Noise in
//                 learning covers the learned rows (batch/noised_sums.h), for any number of counts over other rows. The
//                 parties compute an answer in one bit from the counts with their noise, so epsilon holds for the
//                 answer as well. Such an answer reveals at most one bit about the learned rows. The epsilons of
//                 several evaluations add up.
//                 The compute parties see uniform openings, and whether the actor's bits are one-hots. The compute
//                 parties and the dealer see how many events are learned and evaluated.
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

// The parties open counts only if at least this number of events is evaluated. This limit by itself protects nobody.
inline constexpr std::uint64_t least_evaluated = 1000;

inline constexpr std::size_t most_cells = 64;

struct EvaluationPlan {
  std::uint64_t learned;    // number of learned events, which come first in the run
  std::uint64_t evaluated;  // N, the number of the other events
  std::size_t cells;        // C
  std::size_t batch;
  bool in_one_bit = false;
  bool by_best = false;  // whether the parties bring bits b, which split each cell

  // The number of opened counts.
  [[nodiscard]] std::size_t counts() const { return by_best ? 2 * cells : cells; }
  static constexpr std::size_t most_at_once = 1024;
  [[nodiscard]] static unsigned rounds(const BanditParameters& parameters) {
    return parameters.arms <= protocols::max_pairwise ? 6 : 11;
  }
  [[nodiscard]] static unsigned closing_rounds(const BanditParameters& parameters) {
    return (parameters.owners == 0 ? 2U : 3U) + (parameters.held_out.in_one_bit ? 3U : 0U);
  }
  // The fraction bits of the factors of a question. With this number of fraction bits, a sum of 4 N factors of at most
  // 1 has at most 61 bits.
  [[nodiscard]] unsigned question_bits() const {
    return std::min(40U, 58 - static_cast<unsigned>(std::bit_width(evaluated)));
  }

  static void describe(auto& self, auto&& field) {
    field("learned", self.learned);
    field("evaluated", self.evaluated);
    field("cells", self.cells);
    field("batch", self.batch);
    if (self.by_best) field.derived("counts", self.counts());
  }
};

// Throws InputError if fewer than least_evaluated events are evaluated, if no event is learned and there is no earlier
// model, or if the number of cells is not from 2 to most_cells. With bits b, there are at most most_cells counts.
[[nodiscard]] EvaluationPlan plan_evaluation(const BatchPlan& plan);

inline constexpr const char* evaluation_promise =
    "The owner of the log chooses up to 64 cells of events. For each cell it learns how many events agree with the "
    "model, with noise of every role that brings features. The counts are epsilon-differentially private in all that "
    "one such role knows of one evaluated row, whatever log is brought. Rows that the model learned from are covered "
    "only by noise in learning (learning_epsilon). The epsilons of several evaluations of the same rows add up: an "
    "account counts them, and refuses more than its budget.";

struct OpenedCounts {
  std::uint64_t events = 0;
  // The noised count of each cell. With bits b, the count of the cell's events in which b is 1.
  std::vector<std::int64_t> agreed;
  // Only with bits b: the noised count of each cell's events in which b is 0.
  std::vector<std::int64_t> otherwise{};
};

// The number of counts that a replaced row of an evaluation can move by 1. The scale of the noise grows with it.
[[nodiscard]] constexpr std::uint64_t moved_counts(bool by_best) { return by_best ? 2 : 1; }

// Throws ProtocolError at the compute parties, before anything is opened, if the actor's arms or cells are not
// one-hots.
[[nodiscard]] Task<BanditModel> private_evaluation(Party& party, const BatchPlan& batches, const EvaluationPlan& plan,
                                                   BanditSite& site);

}  // namespace sotto::apps::bandit
