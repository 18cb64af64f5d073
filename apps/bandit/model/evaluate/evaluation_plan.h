// The widths of an evaluation, all from public bounds.
//
// With T, D, R as in widths.h, N events that are evaluated and weights up to V, one over the least propensity:
//
//     S  = .55 R sqrt(T) + 1                                an estimate w_a . x of a reward, as learn leaves w
//        (learn.h)
//     G  = S (1 + V) + V                                    a term of the doubly robust sum
//     Fu = min(16, floor((62 - log2 N - 2 log2(V + 1)) / 2))   weights, and weights times rewards
//     Fs = min(16, Fx + Fw - 1, floor(61 - log2 G) - Fu)    estimates
//     Fd = min(16, Fs + Fu - 1, floor((62 - log2 N - 2 log2(G + 1)) / 2))   terms of the doubly robust sum
//
// So sums of squares stay below 2^62 whatever the features and rewards. Terms are rounded without bias and
// independently, and it is the rounded terms whose squares are added: rounding makes intervals wider and never wrong,
// by less than 2^-Fd / sqrt(N). Refused: Fu below 4, Fs or Fd below 1, S beyond 2^(61 - Fx - Fw), and fewer than
// least_evaluated events.
#pragma once

#include <cstddef>
#include <cstdint>

#include "apps/bandit/model/batch/batch_plan.h"

namespace sotto::apps::bandit {

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

}  // namespace sotto::apps::bandit
