// Noise in learning: makes A and b differentially private in the rows that they sum, before anything else is computed
// from A and b.
//
// Functionality   A and b -> A + (L - 1) I + E and b + e. Each holder of features draws a part of the noise E and e.
//                 The part of E is symmetric, and its entries are discrete Gaussian numbers with variance s^2 on the
//                 diagonal and s^2 / 2 off the diagonal. The part of e has entries with variance s^2. All entries are
//                 multiples of 2^-16.
// How             The parties first round A and b to multiples of 2^-16, so that lower bits reveal nothing. L is so
//                 large that the noised matrix stays above I: with D features, L = 1 + (sqrt(2 D) + 5.3) times the sum
//                 of s over all holders. The probability that a noised matrix is not above I is below 1e-6. Such a
//                 model is useless, but no less private.
// Rounds          1.
// Views           Everything that is computed from the noised sums (solve.h) is (epsilon_j, delta_j)-differentially
//                 private against everybody but holder j. The privacy covers all features of holder j in the learned
//                 rows of a subject, if the subject has at most m_j such rows. So the model may be opened, or used in
//                 any number of evaluations of other rows.
//                 Proof: Each row belongs to one arm. If one row is replaced, A and b together change by at most
//                 sum_move(R) in the Euclidean norm, where each entry off the diagonal is counted twice. The Gaussian
//                 mechanism with s = m_j sum_move(R) / sqrt(2 rho) is rho-zCDP [Bun, Steinke 2016; discrete: Canonne,
//                 Kamath, Steinke 2020]. rho follows from epsilon and delta by corollary 13 of [Canonne, Kamath,
//                 Steinke 2020]. The proof assumes |x| <= R, |r| <= 1 and one arm per event, so it holds only if roles
//                 follow the protocol (semi-honest).
// Ranges          bounds_of() adds further steps to T to account for the noise (parameters.h).
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

// `fill` writes the noise of the calling role. 1 round if there are owners, otherwise none.
[[nodiscard]] Task<Arith> noise_of_holders(Party& party, const FeatureHolders& holders, Shape shape, unsigned scale,
                                           FillNoise fill, Label label);

[[nodiscard]] Task<Sums> noised(Party& party, const BatchPlan& plan, Sums sums, BanditSite& site);

// The largest Euclidean distance by which A and b together change if one row is replaced, where each row has a norm up
// to R and a reward in [-1, 1]. This distance is the square root of 2 R^4 + 2 R^2 + 1/2.
[[nodiscard]] double sum_move(double norm);

// The deviation s of a holder's noise, rounded up to a multiple of 2^-10, if a subject has at most `rows` learned rows.
// Throws InputError if s is too large to be drawn, or if epsilon and delta are not valid terms of a privacy promise.
[[nodiscard]] double learning_deviation(double epsilon, double delta, std::uint64_t rows, double norm,
                                        std::size_t features);

}  // namespace sotto::apps::bandit
