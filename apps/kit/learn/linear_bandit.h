// Linear contextual bandits with one model for all arms: LinUCB (Abbasi-Yadkori et al. 2011) and LinTS (Agrawal and
// Goyal 2013), on the contexts of K arms in d dimensions.
//
// A step: select() scores the K contexts and picks an arm, update() learns from the reward. With
// A = lambda I + the sum of x x' over the contexts pulled, W = A^-1, b = the sum of reward x and theta = W b,
//   ucb:  score = theta.x + beta sqrt(x' W x)
//   ts:   score = theta~.x, theta~ ~ N(theta, v^2 W)
// LinTS draws the scores of all arms at once: theta.x + v (L e)_k with L L' = X W X' and e standard normal, which has
// the same joint distribution. Neither depends on the basis that the contexts are written in: with contexts Q x, Q
// orthogonal, arms and scores are the same but for rounding.
//
// Arms whose scores are within tie_tolerance of the best are tied, and one of them is picked uniformly. Ties and noise
// come from a stream that (stream_seed, step) alone fixes, and never from what was drawn before: two bandits that see
// the same contexts, or masked ones, draw the same.
//
// Costs: half of K d^2 multiply-adds for the scores (all of W x' W x by the triangle of a factor of W), K^2 d / 2 + K^3
// / 3 more for ts, d^2 for an update. Steps allocate no memory, but for the refreshes. A bandit is used from one thread
// at a time.
//
// Errors: NaN, infinite or too large contexts and rewards, and bad numbers in the options, are InputError; a span of
// another size than the options say is std::invalid_argument. Either leaves the model as it was.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "apps/kit/learn/doubles.h"
#include "apps/kit/learn/ridge.h"
#include "apps/kit/learn/seeded.h"

namespace sotto::apps {

// The noise of LinTS on the scores of K arms: L e, with L L' = G the covariance of the scores (X W X') and e standard
// normal, an entry an arm. L is the Cholesky factor of G with pivots, and stops where what is left of an arm's variance
// is rounding: at most d of K arms have noise of their own where K > d, and arms of equal contexts get equal noise. The
// next pivot is the first arm that has at least 0.83 of the largest variance left, not the largest itself, so that
// rounding does not choose between arms that are equal: two matrices that differ by rounding give noise that does.
class ScoreNoise {
 public:
  explicit ScoreNoise(std::size_t arms);

  // Adds v L e to the scores; `covariance` is symmetric, rows begin every `stride` doubles, and its lower triangle is
  // read. e has an entry an arm. L has `rank` columns at most.
  void add(std::span<double> scores, const double* covariance, std::size_t stride, double v, std::span<const double> e,
           std::size_t rank);

 private:
  std::size_t arms_;
  Doubles columns_;   // of L, one after the other, an entry an arm
  Doubles variance_;  // that is left
  Doubles least_;     // of an arm's variance that is more than rounding
};

enum class LinearAlgorithm : std::uint8_t { ucb, ts };

struct LinearBanditOptions {
  LinearAlgorithm algorithm = LinearAlgorithm::ucb;
  std::size_t dimension = 0;           // d, 1 at least
  std::size_t arms = 0;                // K, 1 at least
  double beta = 0.5;                   // LinUCB: weight of the confidence width
  double v = 0.01;                     // LinTS: standard deviation of the sampling
  double lambda = 1;                   // of the ridge
  std::uint64_t refresh_every = 1000;  // updates after which the factor of W is computed anew
  double tie_tolerance = 1e-9;         // scores that near to the best count as the best
  std::uint64_t stream_seed = 0;       // of ties and of the noise of LinTS, by step
};

class LinearBandit {
 public:
  explicit LinearBandit(const LinearBanditOptions& options);

  // The arm to pull, 0-based. `contexts` is arms x dimension, row-major.
  [[nodiscard]] std::size_t select(std::uint64_t step, std::span<const double> contexts);
  // Of the last select(): one an arm; zeros before the first.
  [[nodiscard]] std::span<const double> scores() const { return {scores_.data(), scores_.size()}; }
  // Learns the reward of the context that was pulled. Where that is the arm of the last select(), what select()
  // computed of it is used again.
  void update(std::span<const double> context, double reward);

  [[nodiscard]] const LinearBanditOptions& options() const { return options_; }
  [[nodiscard]] std::uint64_t updates() const { return ridge_.samples(); }
  // theta, of `dimension` entries.
  [[nodiscard]] std::span<const double> theta() const { return {ridge_.theta(), options_.dimension}; }
  // W, dimension x dimension: computed for this call, for tests and reports.
  [[nodiscard]] std::vector<double> inverse() const { return ridge_.inverse(); }

 private:
  struct Noise {
    explicit Noise(std::size_t arms);
    Doubles covariance;
    Doubles normals;  // in pairs
    ScoreNoise scores;
  };

  void copy_contexts(std::uint64_t step, std::span<const double> contexts);
  void add_widths();
  void add_noise(StepStream& stream);
  std::size_t best(StepStream& stream) const;
  double* row(Doubles& rows, std::size_t arm) const { return rows.data() + arm * stride_; }

  LinearBanditOptions options_;
  const FactorKernels& kernels_;
  Ridge ridge_;
  std::size_t stride_;
  Doubles contexts_;                     // of the last select()
  Doubles projections_;                  // of those
  std::optional<std::size_t> selected_;  // whose projection is that by the present factor
  Doubles context_;                      // of an update with another context
  Doubles projection_;
  Doubles scores_;
  std::optional<Noise> noise_;
};

}  // namespace sotto::apps
