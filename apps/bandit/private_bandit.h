// The private epsilon-greedy contextual bandit: algorithm 1 of Hannun et al. 2019, Privacy-Preserving Contextual
// Bandits.
//
// n compute parties, or owners outside of them, hold blocks of the features x of one context after another. In each step they score A arms, one of
// them is opened to the actor and to nobody else, the rewarder brings the reward, and the model of that arm learns, all
// in shares:
//     s_a = w_a . x               scores; w_a are the weights of ridge regression on the pulls of a
//     o   = argmax, or uniform    epsilon-greedy one-hot of the arm, ties at random
//     v_a = W_a x / (1 + x' W_a x)                             W_a is the inverse of A_a = I + the sum of x x'
//     W_a <- W_a - o_a (W_a x) v_a'                            Sherman-Morrison, all arms alike
//     w_a <- w_a + o_a v_a (r - s_a)
// Every 256 steps W and w are refreshed from A and b, the sums of o_a x x' and o_a r x, which are kept exact in shares and
// never opened (step/refresh.h). So errors do not add up, in a run of any length. o_a is an unscaled bit, so arms that
// were not pulled keep W_a and w_a exactly. W_a is symmetric: its upper triangle alone is computed, opened masked and
// dealt, from both halves of u v', which is symmetric but for rounding.
//
// Rounds          6 a step where R <= 1, one more for each further factor of the division (reciprocal.h); the same for
//                 any number of parties and for 2 to 64 arms. The arm is out after 4.
//                     1  s = w . x                      |  u = W x
//                     2  compare all pairs              |  d = 1 + u . x
//                     3  count wins                     |  e0 = 1 - d y0,  p0 = u y0
//                     4  o to the actor, and masked     |  v = p0 (1 + e0)
//                     5  reward; o x                    |  o u, o v
//                     6  w + (o v)(r - s)               |  W - ((o u) v' + v (o u)') / 2;  the next x, by its owners
//                 That is with StepUpdate::all_arms. With StepUpdate::pulled_arm W and s of the pulled arm are selected first,
//                 in 11 rounds of fewer bytes (step/pulled_arm_step.h); the arm is out after 4 as well.
//                 x is shared a step ahead where it is known then (contexts_ahead), but for the first step of a run or of
//                 one that goes on: 7 and 5 without that. A refresh has 5 (phase "refresh").
// Bytes           `sotto plan` prints them; measured = planned is checked in every run.
// Who sees what   The actor: the arms. The rewarder: its rewards. The compute parties: uniform
//                 openings, nothing else, not even the arm. The dealer, and owners, whom nothing is sent: nothing. With reveal_model the compute parties
//                 learn the final W and w.
// May collude     Up to n-1 compute parties; the dealer with nobody. Semi-honest.
// Ranges          |x| <= R <= 8, rewards in [-1, 1]; all widths follow from R, T and D, and runs that rounding would spoil
//                 are refused (step/step_plan.h). Owners check their inputs before sharing. step/single_step.h says why
//                 no input can make W or w leave its range.
// Interruptions   Every checkpoint_every steps, and after the last, one round more (phase
//                 "checkpoint"): party 0 tells the actor and the rewarder the id that each party computes from what was
//                 opened of W and w (apps/bandit/state/checkpoint_id.h), 32 bytes that are a hash of uniform words.
//                 Then each compute party hands its shares of W, A, w and b to its site, which keeps them under that id.
//                 A run that goes on from such a checkpoint begins with one round more (phase "restore"), in which W
//                 and w are masked again. Refreshes are where they would have been. That is safe: what is kept are n shares of which any n-1 are uniform, and
//                 what is opened is masked by words that are fresh and uniform at every single party
//                 (protocols/io/checkpoint_shares.h). Masks of the two epochs have nothing in common as long as no
//                 epoch is opened twice, which the stores see to (apps/bandit/state/store.h). From where a run goes on,
//                 and when it keeps its state, are run parameters like any other: the same at every role, and no
//                 function of data. Steps after the checkpoint that had been played are played once more: their arms
//                 are opened a second time, and the privacy of arms counts them twice.
// Deviations      The dealer draws the uniform arm instead of exploration scores. The one-hot is
//                 kept as shares instead of being shared again by the actor.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "sotto/apps/bandit/parameters.h"
#include "sotto/apps/bandit/state/checkpoint_id.h"
#include "sotto/core/async/task.h"
#include "sotto/core/party/ledger.h"
#include "sotto/core/party/party.h"
#include "sotto/core/sharing/public.h"

namespace sotto::apps {

// Where a run starts and when it keeps its state: the same at every role.
struct BanditSchedule {
  std::uint64_t from_step = 0;         // 0: a fresh model; at most the run's steps
  std::uint64_t checkpoint_every = 0;  // steps; 0: keep nothing
};

// A compute party's additive shares of the model in Z/2^64.
struct ModelShares {
  std::vector<std::uint64_t> inverses;  // W, then A: upper triangles, an arm a row
  std::vector<std::uint64_t> targets;   // w, then b: an arm a row
};

struct OpenedSums;

// What a role brings to the run. Each function is called at the role that it names and nowhere else; pull and reward
// may block.
class BanditSite {
 public:
  virtual ~BanditSite() = default;

  // At holder `holder` of features (FeatureHolders): its part of context `step`, in words of context_bits fraction bits;
  // `out` has its columns. Where contexts are known ahead it is asked for before the step begins.
  virtual void context(std::size_t holder, std::uint64_t step, std::span<std::uint64_t> out) = 0;
  // At the actor: pulls the arm of this step.
  virtual void pull(std::uint64_t step, std::size_t arm) = 0;
  // At the rewarder: the reward of this step, a word of reward_bits fraction bits, rounded without bias.
  virtual std::uint64_t reward(std::uint64_t step) = 0;
  // At every role of a run in batches: the arms of these steps are decided, and at the actor they were pulled. Their
  // rewards are asked for later, those of a batch at once.
  virtual void decided(std::uint64_t /*first*/, std::size_t /*steps*/) {}
  // At the rewarder of a run in batches: the rewards of the steps from `first` on, each as reward() gives it.
  virtual void rewards(std::uint64_t first, std::span<std::uint64_t> out);
  // At the actor of a run about a log (apps/bandit/log/log_site.h): the arm that was played at that event; and where the
  // log is evaluated, at `arm` of each row, which come as zeros, the event's weight, and its weight times its reward.
  [[nodiscard]] virtual std::size_t logged_arm(std::uint64_t step);
  virtual void logged_weight(std::uint64_t step, std::span<std::uint64_t> weights, std::span<std::uint64_t> gains);
  // There as well: what the evaluation opens to it (evaluate/private_evaluation.h).
  virtual void evaluated(const OpenedSums& sums);
  // At every role, before and after each step.
  virtual void step_begins(std::uint64_t /*step*/) {}
  virtual void step_done(std::uint64_t step) = 0;

  // At a compute party, where the run keeps its state: the id of the checkpoint after `steps` steps, from the digest of
  // the model's public words.
  virtual CheckpointId name_checkpoint(std::uint64_t /*steps*/, const net::Digest& /*public_words*/) { return {}; }
  // Then at every role. At a compute party with its shares, elsewhere with empty ones; at all nodes with the id, at the
  // dealer with zeros. May write to a disk.
  virtual void save(std::uint64_t /*steps*/, const ModelShares& /*shares*/, const CheckpointId& /*id*/) {}
  // At a compute party of a run that goes on: the shares that it kept at that step; at step 0 those of the model that the
  // run begins from. Of the sizes that `shares` comes with. By default std::logic_error.
  virtual void load(std::uint64_t steps, ModelShares& shares);
};

// With reveal_model, at the compute parties: weights, an arm a row, and the upper triangles of the inverse matrices at the
// plan's inverse_bits.
struct BanditModel {
  Public weights;
  Public inverse_triangles;
};

// The phases of the ledger.
inline constexpr std::string_view preprocessing_phase = "preprocessing";  // where there is no dealer
inline constexpr std::string_view restore_phase = "restore";
inline constexpr std::string_view step_phase = "step";        // or, in batches, these two
inline constexpr std::string_view refresh_phase = "refresh";  // between two of them
inline constexpr std::string_view decide_phase = "decide";
inline constexpr std::string_view learn_phase = "learn";
inline constexpr std::string_view evaluate_phase = "evaluate";  // of a log, after what is learned of it
inline constexpr std::string_view sums_phase = "sums";          // opened to the actor
inline constexpr std::string_view checkpoint_phase = "checkpoint";
inline constexpr std::string_view reveal_phase = "reveal";

// Whether steps are played in that phase, and what all steps cost, with the refreshes between them.
[[nodiscard]] constexpr bool plays_steps(std::string_view phase) {
  return phase == step_phase || phase == decide_phase || phase == learn_phase || phase == evaluate_phase;
}
[[nodiscard]] Cost cost_of_steps(const Ledger& ledger);

// Throws std::invalid_argument if the schedule starts after the last step.
[[nodiscard]] Task<BanditModel> private_bandit(Party& party, const BanditPlan& plan, BanditSite& site,
                                               BanditSchedule schedule = {});

// The arm that the opened one-hot stands for: the place of the only 1 among words in Z/2^8 of which all others are 0.
// Throws ProtocolError, which names the step and no word, on everything else: no 1, more than one, or any other value,
// even where the words add up to 1.
[[nodiscard]] std::size_t arm_of(std::span<const std::uint64_t> one_hot, std::uint64_t step);

}  // namespace sotto::apps
