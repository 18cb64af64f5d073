// The parameters of a bandit that decides and learns in batches, and the numbers of fraction bits that follow.
//
// A run has T events with D features and |x| <= R, in batches of at most B events. Let n = 1 + T R^2. parameters.h
// defines Fx, FA, FW, FP and d. Here FW also satisfies 2 D n 2^-FW (1 + .6 B R^2) <= 1, so W stays positive definite.
// The other numbers of fraction bits are:
//
//     number of fraction bits                                values with these bits
//     Fw = min(20, floor(60 - log2(n) - FA))                 w; b - A w has FA + Fw bits, and |b - A w| <= sqrt(n T)
//     Fr = min(16, FA + Fw - Fx, floor(62 - Fx - log2(R T))) rewards in [-1, 1]; 0 bits if all rewards are 0 or 1
//     Fe = min(20, floor(61 - FW - log2(sqrt(T) / 2 + 1)))   the truncated b - A w
//     Fb = min(Fe, Fx + Fr)                                  the copy of b
//     FS = min(20, floor(61 - FW - log2(B R^2 + 2)))         the sum S of a batch (learn.h)
//
// Each compared score has k = 17 + ceil(log2(1.1 R sqrt(T / 2) + 1)) bits.
//
// plan_batches() refuses a run if d > .05, or if the table of step lengths would have more than 2^14 entries (learn.h).
// The size of this table grows with B R^2.
#pragma once

#include <cstddef>
#include <cstdint>

#include "apps/bandit/model/batch_schedule.h"
#include "apps/bandit/model/parameters.h"

namespace sotto::apps::bandit {

struct BatchPlan {
  BanditParameters parameters;  // parameters.steps is T
  std::size_t batch;            // B, the largest size of a batch
  bool may_skip;                // whether the rewarder may skip events
  unsigned context_bits;        // Fx
  unsigned inverse_bits;        // FW
  unsigned gram_bits;           // FA, of A
  unsigned residual_bits;       // FP, of P
  unsigned weight_bits;         // Fw
  unsigned reward_bits;         // Fr
  unsigned correction_bits;     // Fe
  unsigned target_bits;         // Fb
  unsigned sum_bits;            // FS, of S
  unsigned comparison_bits;     // k
  unsigned table_bits;          // number of bits of an index into the table of step lengths (learn.h)
  double rounding;              // d
  std::size_t lift_levels = 0;  // reward levels of the counts of lift.h; 0: a learn counts no lift
  bool notes_best = false;      // whether each party keeps shares of the bits of decide.h; at most 64 arms

  [[nodiscard]] ModelBits model_bits() const {
    return {2 * context_bits, context_bits + reward_bits, inverse_bits, weight_bits};
  }
  static constexpr unsigned iterations = 3;
  [[nodiscard]] unsigned decide_rounds() const {
    return parameters.arms <= protocols::max_pairwise ? 5 + (notes_best ? 1 : 0) : 10;
  }
  static constexpr unsigned learn_rounds = 7 + 2 * iterations;
  static constexpr unsigned step_bits = 20;
  // Each cell of the table of step lengths covers a range of t with the width 2^-cell_bits (learn.h).
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

[[nodiscard]] std::size_t largest_event_batch(double max_norm);

// Throws InputError if a value of the run could leave its range.
[[nodiscard]] BatchPlan plan_batches(BanditParameters parameters, std::size_t batch, bool may_skip = false);

// The largest number of events that a run begins between two checkpoints. In a run in batches, a checkpoint may come up
// to batch - 1 events after a multiple of `every`. The checkpoint contains only learned events, and the run may have
// decided lag + batch - 1 more events by then.
[[nodiscard]] std::uint64_t most_begun_between_checkpoints(std::uint64_t every, std::size_t batch, std::uint64_t lag);

}  // namespace sotto::apps::bandit
