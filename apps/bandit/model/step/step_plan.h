// The numbers of fraction bits in a single step and in its refresh. They follow from public bounds on the run.
//
// parameters.h defines T, D, R, n, Fx, FA, FW, FP and d. A refresh takes place every P steps. Let q = 1 + R^2. |w| is
// at most .75 sqrt(T).
//
//     number of fraction bits                      values with these bits
//     FV = min(40, 60 - Fx - ceil(log2 R))         W in a step; W x has FV + Fx. A refresh truncates W to FW <= FV
//     Fu = 20 to 29                                u = W x, and v; u v' + v u' has 2 Fu + 1
//     Fd = max(12, Fu + Fx - 32, FV + 2 Fx - 64)   the divisor 1 + x'u; the division needs no more bits
//     Fs = min(20, floor(61 - Fu - log2 |w|))      the scores in r - s, from which the model learns
//     FG = min(2 Fx - 1, floor(40 - log2 n))       the copy of A that corrects the weights
//     Fw = min(20, floor(60 - log2 n - FG))        w; b - A w has FG + Fw, and |b - A w| <= sqrt(n T)
//     Fr = min(16, Fs, FG + Fw - Fx, floor(62 - Fx - log2(R T)))
//                                                  rewards in [-1, 1]; 0 bits if all rewards are 0 or 1
//     Fe = min(20, floor(61 - FW - log2 |w|))      the truncated b - A w
//
// Each compared score has k = 17 + ceil(log2(1.5 R sqrt(T / 2) + 1)) bits.
//
// The division by d in [1, q] has an error of at most 2^-8 / q, so that a pull has a weight from 1 - 2^-7 to 1 + 2^-7.
//
// W is nearly the inverse of a matrix B (single_step.h). The drift bounds how far the rounding errors of P steps move W
// from the inverse of B, relative to that inverse. The bound assumes the worst case of all roundings. t is the sum of
// x' W x over the steps, at most min(P R^2, D ln(1 + P R^2 / D) R^2 / ln q):
//
//     P D n 2^-FV  +  sqrt(n D) (4.1 sqrt(P t) + 2.1 t) 2^-Fu  +  3.1 P D n 2^-2Fu
//
// If steps update only the pulled arm, W has 2 Fu + 1 bits and is not rounded. The first term of the drift is then 0,
// and 2^-Fu becomes 2^-Fu + sqrt(D) R 2^-FV, because u is computed from W with FV bits.
//
// Fu is the smallest width for which the terms with Fu stay below .05. P is 256, and is halved while the drift is above
// .1. plan_step() refuses a run if d > .05, or if the drift at P = 16 is above .1.
#pragma once

#include <cstdint>

#include "apps/bandit/model/parameters.h"
#include "sotto/protocol/math/reciprocal.h"

namespace sotto::apps::bandit {

struct StepPlan {
  unsigned context_bits;  // Fx
  StepUpdate update;
  unsigned inverse_bits;       // FV
  unsigned kept_inverse_bits;  // for the W that steps store
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

  [[nodiscard]] ModelBits model_bits() const {
    return {2 * context_bits, context_bits + reward_bits, kept_inverse_bits, weight_bits};
  }
  [[nodiscard]] unsigned refresh_rounds() const { return update == StepUpdate::all_arms ? 5 : 6; }
  // Number of rounds of a step. With contexts known ahead, the first step of a run has one more round.
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

  [[nodiscard]] double largest_error() const;
};

// Throws InputError if rounding would make the inverse matrices too inexact.
[[nodiscard]] StepPlan plan_step(const BanditParameters& parameters);

}  // namespace sotto::apps::bandit
