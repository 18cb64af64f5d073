// The widths of a single step and of its refresh. All widths follow from public bounds on the run.
//
// With T, D, R, n, Fx, FA, FW, FP, d as in parameters.h, P steps between two refreshes, and q = 1 + R^2:
//
//     FV = min(40, 60 - Fx - ceil(log2 R))         W in a step; W x is formed at FV + Fx. A refresh cuts it to FW <= FV
//     Fu = 20 to 29                                u = W x, and v; u v' + v u' is formed at 2 Fu + 1
//     Fd = max(12, Fu + Fx - 32, FV + 2 Fx - 64)   the divisor 1 + x'u: no more than the division needs
//     Fs = min(20, floor(61 - Fu - log2 |w|))      scores that are learned from; |w| <= .75 sqrt(T)
//     FG = min(2 Fx - 1, floor(40 - log2 n))       the copy of A that corrects weights
//     Fw = min(20, floor(60 - log2 n - FG))        weights; |b - A w| <= sqrt(n T) at FG + Fw
//     Fr = min(16, Fs, FG + Fw - Fx, floor(62 - Fx - log2(R T)))        real rewards; 0 for 0/1
//     Fe = min(20, floor(61 - FW - log2 |w|))      b - A w
//     k  = 17 + ceil(log2(1.5 R sqrt(T / 2) + 1))  compared scores
//     division of d in [1, q] to 2^-8 / q          so that a pull has a weight from 1 - 2^-7 to 1 + 2^-7
//
// drift: the most that the rounding errors of P steps may move W from the inverse of its matrix B (single_step.h),
// relative to that inverse. The drift assumes that all roundings are at their worst. t is the sum of x' W x over the
// steps, at most min(P R^2, D ln(1 + P R^2 / D) R^2 / ln q):
//
//     P D n 2^-FV  +  sqrt(n D) (4.1 sqrt(P t) + 2.1 t) 2^-Fu  +  3.1 P D n 2^-2Fu
//
// Where only the pulled arm is updated, W is kept at 2 Fu + 1 bits and not rounded. With W not rounded, the first term
// of drift is 0, and 2^-Fu becomes 2^-Fu + sqrt(D) R 2^-FV, because u is formed from W at FV bits. Roundings are
// unbiased and independent, so the actual drift is far smaller.
//
// Fu is the smallest width for which the terms of drift with Fu stay below .05. P is 256, and is halved while drift is
// above .1. Drift is above .1 at P = 256 only with a norm above 1 or in a run of 10^7 steps.
//
// A plan is refused where d > .05, or where drift > .1 at P = 16.
#pragma once

#include <cstdint>

#include "apps/bandit/model/parameters.h"
#include "sotto/protocol/math/reciprocal.h"

namespace sotto::apps::bandit {

struct StepPlan {
  unsigned context_bits;  // Fx
  StepUpdate update;
  unsigned inverse_bits;       // FV
  unsigned kept_inverse_bits;  // bits of W from step to step: FV, or 2 Fu + 1 where only the pulled arm is updated
  unsigned product_bits;       // Fu
  unsigned divisor_bits;       // Fd
  unsigned score_bits;         // Fs
  unsigned weight_bits;        // Fw
  unsigned reward_bits;        // Fr
  unsigned comparison_bits;    // k
  unsigned refreshed_bits;     // FW
  unsigned gram_bits;          // FA
  unsigned residual_bits;      // FP
  unsigned weight_gram_bits;   // FG
  unsigned correction_bits;    // Fe
  protocols::ReciprocalPlan division;
  double rounding;  // d
  double drift;
  std::uint64_t refresh_every;  // P

  // Fraction bits of the model in shares. Between two refreshes W has kept_inverse_bits.
  [[nodiscard]] ModelBits model_bits() const {
    return {2 * context_bits, context_bits + reward_bits, kept_inverse_bits, weight_bits};
  }
  [[nodiscard]] unsigned refresh_rounds() const { return update == StepUpdate::all_arms ? 5 : 6; }
  // The rounds of a step, and the rounds from the start of a step until the arm is opened. Where contexts are known
  // ahead, the first step of a run has one more round.
  [[nodiscard]] unsigned rounds(const BanditParameters& parameters) const;
  [[nodiscard]] static unsigned rounds_to_arm(const BanditParameters& parameters);
  static void describe(auto& self, auto&& field) {
    field.derived("refresh_rounds", self.refresh_rounds());
    field("refresh_every", self.refresh_every);
    field("update", self.update);
    field("context_bits", self.context_bits);
    field("inverse_bits", self.inverse_bits);
    field("kept_inverse_bits", self.kept_inverse_bits);
    field("product_bits", self.product_bits);
    field("divisor_bits", self.divisor_bits);
    field("score_bits", self.score_bits);
    field("weight_bits", self.weight_bits);
    field("refreshed_bits", self.refreshed_bits);
    field("gram_bits", self.gram_bits);
    field("residual_bits", self.residual_bits);
    field("weight_gram_bits", self.weight_gram_bits);
    field("correction_bits", self.correction_bits);
    field("rounding", self.rounding);
    field("drift", self.drift);
  }

  // The largest distance of A^(1/2) W A^(1/2) from I at any time. Rounding in the last refresh, drift, and the division
  // contribute to it.
  [[nodiscard]] double largest_error() const;
};

// Throws InputError if rounding would spoil the inverse matrices. The error says which parameter to change.
[[nodiscard]] StepPlan plan_step(const BanditParameters& parameters);

}  // namespace sotto::apps::bandit
