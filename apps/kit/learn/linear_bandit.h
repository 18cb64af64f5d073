// Linear contextual bandits with one model for all arms: LinUCB (Abbasi-Yadkori et al. 2011) and LinTS (Agrawal and
// Goyal 2013), on the contexts of K arms in d dimensions.
//
// Let A = lambda I + the sum of x x', and b = the sum of reward x, both over the contexts x of the pulled arms. Let W =
// A^-1 and theta = W b. The scores of the arms are:
//
//   ucb:  score = theta.x + beta sqrt(x' W x)
//   ts:   score = theta~.x, theta~ ~ N(theta, v^2 W)
//
// LinTS draws the scores of all K arms at once. Let X be the matrix of the K contexts x_k, L a matrix with L L' = X W
// X', and e a standard normal vector. The score of arm k is theta.x_k + v (L e)_k. Scores drawn in this way have the
// same joint distribution as the scores theta~.x. If each context x is replaced by Q x with an orthogonal matrix Q, the
// bandit picks the same arms with the same scores, except for rounding.
//
// Arms whose scores are within tie_tolerance of the best are tied, and one of them is picked uniformly. Ties and noise
// come from a random stream that depends only on (stream_seed, step). Two bandits that see the same contexts, one of
// them in masked form, therefore draw the same values.
//
// Costs: with K arms in d dimensions, the scores need K d^2 / 2 multiply-adds, and with ts another K^2 d / 2 + K^3 / 3.
// An update needs d^2 multiply-adds. Steps allocate no memory, except in a refresh. Only one thread at a time may use a
// bandit.
//
// Contexts and rewards that are NaN, infinite or too large, and invalid numbers in the options, cause InputError. A
// span whose size does not fit the options causes std::invalid_argument. After an error the model is unchanged.
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

// ScoreNoise adds the noise v L e of LinTS to the scores. L L' equals G, the covariance of the scores (X W X'), and e
// is standard normal with one entry per arm. L is the Cholesky factor of G with pivots. The factorisation stops when
// the remaining variance of all arms is only rounding. The next pivot is the first arm with at least 0.83 of the
// largest remaining variance. If the pivot were the arm with the largest variance, rounding would choose among arms
// with equal variances. With the factor 0.83, two matrices that differ only by rounding give noise that differs only by
// rounding.
class ScoreNoise {
 public:
  explicit ScoreNoise(std::size_t arms);

  // The rows of `covariance` begin every `stride` doubles, and only the lower triangle is read. L has at most `rank`
  // columns.
  void add(std::span<double> scores, const double* covariance, std::size_t stride, double v, std::span<const double> e,
           std::size_t rank);

 private:
  std::size_t arms_;
  Doubles columns_;  // columns of L, each with one entry per arm
  Doubles variance_;
  Doubles least_;  // limit below which a variance is a rounding error
};

enum class LinearAlgorithm : std::uint8_t { ucb, ts };

struct LinearBanditOptions {
  LinearAlgorithm algorithm = LinearAlgorithm::ucb;
  std::size_t dimension = 0;  // at least 1
  std::size_t arms = 0;       // at least 1
  double beta = 0.5;          // LinUCB: weight of the confidence width
  double v = 0.01;            // LinTS: standard deviation of the sampling
  double lambda = 1;
  std::uint64_t refresh_every = 1000;  // updates between two refreshes of W's factor
  double tie_tolerance = 1e-9;         // largest difference of tied scores
  std::uint64_t stream_seed = 0;       // seed of ties and noise
};

class LinearBandit {
 public:
  explicit LinearBandit(const LinearBanditOptions& options);

  // `contexts` is arms x dimension, row-major. Arms count from 0.
  [[nodiscard]] std::size_t select(std::uint64_t step, std::span<const double> contexts);
  // The scores are zero before the first select().
  [[nodiscard]] std::span<const double> scores() const { return {scores_.data(), scores_.size()}; }
  // update() is faster if `context` is the context of the arm that the last select() returned.
  void update(std::span<const double> context, double reward);

  [[nodiscard]] const LinearBanditOptions& options() const { return options_; }
  [[nodiscard]] std::uint64_t updates() const { return ridge_.samples(); }
  [[nodiscard]] std::span<const double> theta() const { return {ridge_.theta(), options_.dimension}; }
  [[nodiscard]] std::vector<double> inverse() const { return ridge_.inverse(); }

 private:
  struct Noise {
    explicit Noise(std::size_t arms);
    Doubles covariance;
    Doubles normals;
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
  Doubles contexts_;
  Doubles projections_;
  std::optional<std::size_t> selected_;  // arm of the last select(), until an update
  Doubles context_;                      // context of an update for another arm
  Doubles projection_;
  Doubles scores_;
  std::optional<Noise> noise_;
};

}  // namespace sotto::apps
