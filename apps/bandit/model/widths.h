// Widths that all runs of the bandit have in common, from the public bounds on a run.
//
// The model of an arm is A = I + the sum of x x', exact, and an approximate inverse W of it. With T steps, D features,
// |x| <= R, n = 1 + T R^2 and M = A^(1/2) W A^(1/2):
//
//     Fx = min(20, floor((62 - log2 n) / 2))       features; A, exact at 2 Fx, stays below 2^62
//     FW, FA: FA + FW = floor(61 - log2(n) / 2)    |A W|_ij <= 2 sqrt(n) as long as M < 2; FW balances the rounding of
//     W,
//                                                  n 2^-FW, with that of A, 2^-FA
//     FP = 60 - FW                                 P = A W; 2 W - W P is formed at FW + FP + 1
//     d  = D (n 2^-FW + sqrt(n) 2^-FP + 2^-FA)     how far rounding may take M from I in a Newton-Schulz iteration
#pragma once

#include <cmath>

#include "apps/bandit/model/parameters.h"

namespace sotto::apps::bandit {

// T, D and R as numbers. T has the events, too, of the model that a run begins from. R is 1 at least, and longer by
// what rows may exceed their bound by rounding.
struct RunBounds {
  double steps;
  double features;
  double norm;

  [[nodiscard]] double n() const { return 1 + steps * norm * norm; }
};
[[nodiscard]] RunBounds bounds_of(const BanditParameters& parameters);

inline constexpr int widest = 20;  // fraction bits where the ring has room for more
inline constexpr int most_inverse_bits = 40;
inline constexpr int most_reward_bits = 16;
inline constexpr double tolerated_rounding = .05;
// Scores are compared at so many fraction bits: weights are no better than that in a run of any length.
inline constexpr unsigned compared_bits = 16;

[[nodiscard]] inline int whole_bits(double value) { return static_cast<int>(std::floor(value)); }

struct InverseWidths {
  int context;      // Fx
  int gram;         // FA, of the copy of A that enters products
  int inverse;      // FW
  int residual;     // FP
  double rounding;  // d
};

// FW is so large that `needed` 2^-FW <= 1 where `most` bits of it allow that; FA falls with it. A width below 1 has no
// room.
[[nodiscard]] InverseWidths inverse_widths(const RunBounds& bounds, unsigned fraction_bits, double needed,
                                           int most = most_inverse_bits);

// Of scores whose differences are at most `factor` R sqrt(T / 2): two ridge regressions on rewards in [-1, 1] that
// share T steps have a factor of 1.
[[nodiscard]] unsigned comparison_bits(const RunBounds& bounds, double factor);

}  // namespace sotto::apps::bandit
