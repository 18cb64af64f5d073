// The run parameters of a bandit that decides and learns in batches, and the widths that follow from them.
//
// Every role has the parameters before the first round, and the handshake compares their digest. All widths follow from
// public bounds: the events T of a run, the features D, the bound R on |x|, and the events B of a batch. With
// n = 1 + T R^2:
//
//     Fx, FA, FW, FP, d as in parameters.h, where FW grows until 2 D n 2^-FW (1 + .6 B R^2) <= 1: W then stays positive
//     Fw = min(20, floor(60 - log2(n) - FA))       weights; |b - A w| <= sqrt(n T) at FA + Fw
//     Fr = min(16, FA + Fw - Fx, floor(62 - Fx - log2(R T)))     real rewards; 0 for 0/1
//     Fe = min(20, floor(61 - FW - log2(sqrt(T) / 2 + 1)))       b - A w;  Fb = min(Fe, Fx + Fr)
//     FS = min(20, floor(61 - FW - log2(B R^2 + 2)))             the sum of a batch
//     k  = 17 + ceil(log2(1.1 R sqrt(T / 2) + 1))                compared scores
//
// A plan is refused where d > .05, or where B R^2 needs a table of more than 2^14 entries (learn.h).
#pragma once

#include <cstddef>
#include <cstdint>

#include "apps/bandit/model/batch_schedule.h"
#include "apps/bandit/model/parameters.h"

namespace sotto::apps::bandit {

struct BatchPlan {
  BanditParameters parameters;  // steps: the events T of the run
  std::size_t batch;            // B: the most events that are decided or learned at once
  bool may_skip;                // whether the rewarder may say of an event that it is not learned
  unsigned context_bits;        // Fx
  unsigned inverse_bits;        // FW
  unsigned gram_bits;           // FA: fraction bits of the copy of A that enters products
  unsigned residual_bits;       // FP: fraction bits of P = A W
  unsigned weight_bits;         // Fw
  unsigned reward_bits;         // Fr
  unsigned correction_bits;     // Fe: fraction bits of b - A w
  unsigned target_bits;         // Fb: fraction bits of the copy of b that enters products
  unsigned sum_bits;            // FS: fraction bits of the copy of S, a batch's sum
  unsigned comparison_bits;     // k
  unsigned table_bits;          // bits of an index into the table of step lengths
  double rounding;              // d

  // Fraction bits of the model in shares.
  [[nodiscard]] ModelBits model_bits() const {
    return {2 * context_bits, context_bits + reward_bits, inverse_bits, weight_bits};
  }
  // Newton-Schulz iterations per batch.
  static constexpr unsigned iterations = 3;
  // Rounds of a decision, and of learning.
  [[nodiscard]] unsigned decide_rounds() const { return parameters.arms <= protocols::max_pairwise ? 5 : 10; }
  static constexpr unsigned learn_rounds = 7 + 2 * iterations;
  static constexpr unsigned step_bits = 20;  // fraction bits of the step length c
  // The table of c has one cell for each range of values of t; a range has the width 2^-cell_bits. For an arm with many
  // pulls t is about 0, so c is .94 or .89. The weights keep an error of (1 - c)^4 (learn.h).
  static constexpr unsigned cell_bits = 3;

  static void describe(auto& self, auto&& field) {
    field.derived("decide_rounds", self.decide_rounds());
    field.derived("learn_rounds", learn_rounds);
    field("context_bits", self.context_bits);
    field("inverse_bits", self.inverse_bits);
    field("gram_bits", self.gram_bits);
    field("residual_bits", self.residual_bits);
    field("weight_bits", self.weight_bits);
    field("correction_bits", self.correction_bits);
    field("target_bits", self.target_bits);
    field("sum_bits", self.sum_bits);
    field("table_bits", self.table_bits);
    field.derived("cell_bits", cell_bits);
    field("rounding", self.rounding);
  }
};

// The most events that may be learned at once with contexts of norm up to `max_norm`.
[[nodiscard]] std::size_t largest_event_batch(double max_norm);

// Throws InputError if a value of the run could leave its range. The error says which parameter to change.
[[nodiscard]] BatchPlan plan_batches(BanditParameters parameters, std::size_t batch, bool may_skip = false);

// The most events that can begin after one checkpoint and before the next checkpoint is on the disk. In single steps
// this number is `every`; in batches it is larger. A checkpoint follows the first batch that reaches a multiple of
// `every`, and may lie up to batch - 1 events after that multiple. A batch is learned when its rewards are known, so up
// to lag + batch - 1 further events have been decided before the checkpoint.
[[nodiscard]] std::uint64_t most_begun_between_checkpoints(std::uint64_t every, std::size_t batch, std::uint64_t lag);

}  // namespace sotto::apps::bandit
