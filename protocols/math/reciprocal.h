// u / d for d in [1, q]: no table, one round a factor.
//
// With y0 = c (q + 1 - d), linear and hence already masked, e0 = 1 - d y0 and e_{i+1} = e_i^2:
//     1/d = y0 (1 + e0) (1 + e1) ..., so p0 = u y0, p_{i+1} = p_i (1 + e_i).
// c close to 8 / (q^2 + 6 q + 1) makes |e0| at most (q-1)^2 / (q^2 + 6 q + 1), 1/17 at q = 2: two
// factors give 2^-16, each further factor doubles the bits. [Newton-Raphson for the reciprocal in
// product form (Goldschmidt). Hannun et al. 2019, section 3, take Newton steps from an exponential
// start: published_reciprocal.h]
//
// Rounds, bytes   1 + factors rounds; 8 bytes for each lane of u and of d in each round, in the
//                 last for u alone.
// Who sees what   Openings are uniform (mask_trunc.h).
// Ranges          d in [1, q], q in [1, 65]; |u / d| below 2^(42 - f) for f fraction bits. The
//                 relative error is at most residual(plan), plus a few units of 2^-f from the
//                 truncations times 1 + e0.
#pragma once

#include <cstdint>

#include "core/async/task.h"
#include "core/party/party.h"
#include "core/sharing/masked.h"

namespace sotto::protocols {

struct ReciprocalPlan {
  double top;                 // q
  std::uint64_t coefficient;  // c in units of 2^-coefficient_bits
  unsigned coefficient_bits;
  unsigned factors;
  double first_error;  // the largest |e0| on [1, q]

  [[nodiscard]] double residual() const;  // first_error ^ (2 ^ factors)
};

// The plan for d in [1, q] with the fewest factors whose residual is at most `precision`, for
// values of fraction_bits fraction bits. Throws std::invalid_argument unless 1 <= q <= 65,
// precision is in (0, 1) and 1 <= fraction_bits <= 24.
[[nodiscard]] ReciprocalPlan plan_reciprocal(double q, double precision,
                                             unsigned fraction_bits = 20);

// u / d row by row: d is a column with the plan's f fraction bits and cuts of at most 32 bits, u
// has as many rows, f fraction bits, and cuts that add up to at most 64 with those of d. The result
// has f fraction bits and one cut of f bits.
[[nodiscard]] Task<Masked> divide(Party& party, Masked u, Masked d, ReciprocalPlan plan);

}  // namespace sotto::protocols
