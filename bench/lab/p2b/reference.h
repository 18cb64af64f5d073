// The figures that the synthetic experiment must come to: computed beforehand by an independent plain-text
// implementation (double precision, other seeds), with the published choice of tuple.
//
// Its figures are means over 3 draws of W, and draws differ much: the best arm earns .17 +- .05 on average. The
// reference's draws were of a best arm of .186 and cold agents of .056. So the check asks what our agents earn on such
// draws: it regresses their rewards, over our draws, on the reward of the best arm and of cold agents, and takes the
// value at (.186, .056). It is within where it is off by at most two standard errors: those of the residual, for 3
// draws of the reference and for ours, and of the two encoders.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "sotto/apps/kit/report/provenance.h"
#include "sotto/bench/lab/p2b/point.h"
#include "sotto/bench/lab/p2b/synthetic_world.h"

namespace sotto::apps {

// Users of which 70% are 999, 4999 and 9999 early ones.
inline constexpr std::array<std::size_t, 3> reference_users{1428, 7142, 14285};
// The comparison of both choices of tuple: 2100 early users, d = 6, A = 5, T = 6, k = 16.
[[nodiscard]] SyntheticSettings small_reference();

// Fewer draws than this are not compared.
inline constexpr std::size_t least_draws = 8;

// The points among `points` that the reference has: d = A = T = 10 and the small ones.
[[nodiscard]] std::vector<Check> check_reference(std::span<const SimulatePoint> points);
extern const char* const reference_note;

struct Adjusted {
  double value = 0;
  double error = 0;  // one standard error of the difference from a mean of `draws` draws elsewhere
};

// The least-squares plane of y over (a, b), at (a0, b0). At least 4 numbers of each.
[[nodiscard]] Adjusted adjusted_to(std::span<const double> y, std::span<const double> a, std::span<const double> b,
                                   double a0, double b0, std::size_t draws);

}  // namespace sotto::apps
