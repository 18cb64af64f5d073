// Noise in learning: makes A and b differentially private in the rows that they sum, before anything else is computed
// from A and b.
//
// Functionality   A and b -> A + (L - 1) I + E and b + e. E and e are sums over the holders of features. Each holder
//                 draws a symmetric E with discrete Gaussian entries of variance s^2, or s^2 / 2 off the diagonal, and
//                 an e of variance s^2. The entries of E and e are multiples of 2^-16.
// How             A and b are rounded to the lattice first, so that their lower bits reveal nothing. L keeps the matrix
//                 above I: L = 1 + (sqrt(2 D) + 5.3) times the sum of all s. The chance that a noised matrix is not
//                 above I is below 1e-6. In that case the model is useless, but no less private.
// Rounds          1.
// Views           Everything that is computed from the noised sums (solve.h) is (epsilon_j, delta_j)-differentially
//                 private against everybody but holder j. The privacy covers all features of holder j in the learned
//                 rows of a subject, if the subject has at most m_j such rows. So the model may be opened, or used in
//                 any number of evaluations of other rows. Each row belongs to one arm. If one row is replaced, A and b
//                 together change by at most sum_move(R) in the Euclidean norm, where each entry off the diagonal is
//                 counted twice. The Gaussian mechanism with s = m_j sum_move(R) / sqrt(2 rho) is rho-zCDP [Bun,
//                 Steinke 2016; discrete: Canonne, Kamath, Steinke 2020]. rho follows from epsilon and delta by
//                 corollary 13 of [Canonne, Kamath, Steinke 2020]. The proof assumes |x| <= R, |r| <= 1 and one arm per
//                 event: roles follow the protocol (semi-honest).
// Ranges          bounds_of() treats the noise as further steps (parameters.h).
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "apps/bandit/model/batch/batch_plan.h"
#include "apps/bandit/model/batch/sums.h"
#include "apps/bandit/model/sites.h"
#include "sotto/protocol/async/task.h"
#include "sotto/protocol/party/party.h"
#include "sotto/protocol/sharing/arith.h"
#include "sotto/protocol/wire/label.h"

namespace sotto::apps::bandit {

using FillNoise = std::function<void(std::span<std::uint64_t> out)>;

// Shares of the sum of all holders' noise; at each role, `fill` writes the role's own noise. 1 round where there are
// owners, otherwise none.
[[nodiscard]] Task<Arith> noise_of_holders(Party& party, const FeatureHolders& holders, Shape shape, unsigned scale,
                                           FillNoise fill, Label label);

[[nodiscard]] Task<Sums> noised(Party& party, const BatchPlan& plan, Sums sums, BanditSite& site);

// The largest Euclidean distance by which A and b together change if one row is replaced. Rows have norms up to R, and
// rewards in [-1, 1]. This distance is the square root of 2 R^4 + 2 R^2 + 1/2.
[[nodiscard]] double sum_move(double norm);

// The deviation s of a holder that has at most `rows` rows of a subject, rounded up to a multiple of 2^-10. Throws
// InputError if s is too large to be drawn, or if epsilon and delta are not valid terms of a privacy promise.
[[nodiscard]] double learning_deviation(double epsilon, double delta, std::uint64_t rows, double norm,
                                        std::size_t features);

}  // namespace sotto::apps::bandit
