// Computes u / d for d in [1, q], by products and truncations only, without a table.
//
// The start y0 is a polynomial in d of degree 1 or 2 that is close to 1/d, with the error e0 = 1 - d y0. With e_{i+1} =
// e_i^2,
//     1/d = y0 (1 + e0) (1 + e1) ..., so p0 = u y0, p_{i+1} = p_i (1 + e_i),
// except that the last factor is 1 + e + E^2/2. Here E is the largest |e| of the last round, and the term E^2/2 halves
// the remaining error.
//
// y0 is linear in masked values, so y0 is masked already: degree 1 costs no round, and degree 2 costs one round, which
// squares d. For both degrees, the start is near the best polynomial of this degree (Chebyshev): with c = (q+1)/(q-1),
// |e0| is at most 1/T_2(c) for degree 1, and at most 1/T_3(c) for degree 2. At q = 2 these bounds are 1/17 and 1/99.
// A start of degree 2 with one factor takes as many rounds as a start of degree 1 with two factors. But with degree 2,
// u takes part in one round fewer. The error e0 is computed from the rounded y0, so roundings of the coefficients of y0
// only make e0 larger. [This is Newton-Raphson for the reciprocal in product form (Goldschmidt). Hannun et al. 2019,
// section 3, take Newton steps from an exponential start; see published.h.]
//
// Costs           `divide` | degree + factors |
//                   8 a lane of d in the first round if the degree is 2; then 8 a lane of u and of d, in the last 8 a
//                   lane of u | truncations and products
// Rounds, bytes   degree + factors rounds. If the degree is 2, each party sends each other party 8 bytes per lane of d
//                 in the first round. In the last round, a party sends 8 bytes per lane of u. In every other round, a
//                 party sends 8 bytes per lane of d and 8 bytes per lane of u.
// Views           Openings are uniform (mask_trunc.h).
// Ranges          d in [1, q], q in [1, 65]; |u| at most 2 sqrt(q), as in Sherman and Morrison's formula. The relative
//                 error is at most residual(plan) plus the error of the truncations. The truncations add a few units of
//                 2^-f, times 1 + e0.
#pragma once

#include <cstdint>

#include "sotto/protocol/async/task.h"
#include "sotto/protocol/party/party.h"
#include "sotto/protocol/sharing/masked.h"

namespace sotto::protocols {

struct ReciprocalPlan {
  double top;       // q
  unsigned degree;  // degree of the start: 1 or 2
  unsigned coefficient_bits;
  // y0 = constant + linear t + square t^2, with t = d - (q+1)/2. The unit of `linear` and `square` is
  // 2^-coefficient_bits. The unit of `constant` is 2^-(fraction_bits + coefficient_bits).
  std::int64_t constant;
  std::int64_t linear;
  std::int64_t square;
  unsigned factors;
  double first_error;  // the largest |e0| on [1, q]

  [[nodiscard]] unsigned rounds() const { return degree + factors; }
  // E: the largest |e| in the last factor 1 + e + E^2/2.
  [[nodiscard]] double last_error() const;
  // The error after the last factor, relative to 1/d.
  [[nodiscard]] double residual() const;
};

// The plan with the fewest rounds for d in [1, q] whose residual is at most `precision`. The divisor d has
// fraction_bits fraction bits, and u has more_bits fraction bits more than d. If several plans have the fewest rounds,
// the result is the plan in which u takes part in the fewest rounds. Throws std::invalid_argument unless 1 <= q <= 65,
// precision is in (0, 1) and 1 <= fraction_bits <= 24, or if no plan has this precision.
[[nodiscard]] ReciprocalPlan plan_reciprocal(double q, double precision, unsigned fraction_bits = 20,
                                             unsigned more_bits = 0);

// u / d row by row. The divisor d is a column with the plan's f fraction bits, and with carry terms of at most 32 bits.
// The dividend u has as many rows as d, and f fraction bits or more. The shift of a carry term of u, plus the shift of
// a carry term of d, is at most 64. The shift of a carry term of u, plus f, is at most 64. The result has as many
// fraction bits as u, and one carry term. At f = 20, the shift of this carry term is f bits.
[[nodiscard]] Task<Masked> divide(Party& party, Masked u, Masked d, ReciprocalPlan plan);

}  // namespace sotto::protocols
