// u / d for d in [1, q], by products and truncations only.
//
// The start y0 is a polynomial in d of degree 1 or 2 with the error e0 = 1 - d y0. With e_{i+1} = e_i^2,
//     1/d = y0 (1 + e0) (1 + e1) ..., so p0 = u y0 and p_{i+1} = p_i (1 + e_i) approach u / d.
// Let e be the last of the e_i, and E the largest possible |e|. The last factor is 1 + e + E^2/2 instead of 1 + e. The
// exact factor is 1 + e + e^2 + ... with e^2 in [0, E^2], so the term E^2/2 halves the largest remaining error.
//
// y0 is linear in masked values, so y0 is masked: degree 1 costs no round, and degree 2 costs one round to square d.
// The start is near the best polynomial: let T_n be the Chebyshev polynomial of degree n, and c = (q+1)/(q-1). Before
// the coefficients are rounded, |e0| is at most 1/T_2(c) for degree 1, and at most 1/T_3(c) for degree 2. The error e0
// is computed from the rounded y0, so the rounding of coefficients only makes |e0| larger. [Newton-Raphson for the
// reciprocal in product form (Goldschmidt)]
//
// Columns         protocol | rounds | bytes from one party to each other party | dealt bytes, for L lanes
// Costs           `divide` | degree + factors |
//                   8 a lane of d in the first round if the degree is 2; then 8 a lane of u and of d, in the last 8 a
//                   lane of u | truncations and products
// Views           Openings are uniform (mask_trunc.h).
// Ranges          d in [1, q], q in [1, 65]; |u| at most 2 sqrt(q), as in Sherman and Morrison's formula. The relative
//                 error is at most residual(plan), plus the errors of the truncations. For d with f fraction bits,
//                 these errors are a few units of 2^-f, times 1 + e0.
#pragma once

#include <cstdint>

#include "sotto/protocol/async/task.h"
#include "sotto/protocol/party/party.h"
#include "sotto/protocol/sharing/masked.h"

namespace sotto::protocols {

struct ReciprocalPlan {
  double top;  // q
  unsigned degree;
  unsigned coefficient_bits;
  // y0 = constant + linear t + square t^2 with t = d - (q+1)/2, in units of 2^-coefficient_bits for `linear` and
  // `square`, and 2^-(fraction_bits + coefficient_bits) for `constant`.
  std::int64_t constant;
  std::int64_t linear;
  std::int64_t square;
  unsigned factors;
  double first_error;

  [[nodiscard]] unsigned rounds() const { return degree + factors; }
  // E, the largest |e| of the last round.
  [[nodiscard]] double last_error() const;
  // The error after the last factor, relative to 1/d.
  [[nodiscard]] double residual() const;
};

// The plan with the fewest rounds among the plans for d in [1, q] with residual() <= precision. d has fraction_bits
// fraction bits, and u has fraction_bits + more_bits. Throws std::invalid_argument unless 1 <= q <= 65, precision is in
// (0, 1) and 1 <= fraction_bits <= 24, or if no plan has this precision.
[[nodiscard]] ReciprocalPlan plan_reciprocal(double q, double precision, unsigned fraction_bits = 20,
                                             unsigned more_bits = 0);

// u / d row by row, for a column d with the plan's f fraction bits and carry terms of at most 32 bits. u has at least f
// fraction bits. Let s be the shift of a carry term of u, and t the shift of a carry term of d. Both s + f and s + t
// must be at most 64. The result has the fraction bits of u, and one carry term.
[[nodiscard]] Task<Masked> divide(Party& party, Masked u, Masked d, ReciprocalPlan plan);

}  // namespace sotto::protocols
