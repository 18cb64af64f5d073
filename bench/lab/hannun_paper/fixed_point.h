// Algorithm 1 of Hannun et al. 2019 in the fixed-point arithmetic of the paper, for the paper's figures 7 and 8. All
// values are words of Z/2^64 with L fraction bits. Every product is divided by 2^L afterwards, and the reciprocal is
// computed by Newton steps. The code computes on plain values, and draws each rounding error from the distribution that
// the error would have if the values were shared.
//
// As in the paper, the weights w_a = W_a^-1 b_a of all arms are computed again in every step. The indicator of the
// pulled arm is an integer without fraction bits, so the matrices of other arms do not change.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "apps/bandit/model/privacy.h"
#include "bench/lab/p2b/stream.h"

namespace sotto::apps::lab {

enum class FixedRounding : std::uint8_t {
  // As in appendix C of the paper, each party divides its own share, without the paper's correction eta_xr. The
  // quotient of a product z is unbiased, but off by 2^(64 - L) with probability |z| / 2^64.
  published,
  unbiased,
  nearest,
  floor,
};

enum class NewtonStart : std::uint8_t {
  published,  // start at 3 exp(1/2 - d) + .003, with exp(x) = (1 + x / 256)^256 (section 3 of the paper)
  linear,     // start at 24/17 - 8/17 d, with an error of at most 1/17 for d in [1, 2]
  none,       // no steps: 1 / d in double precision, rounded to L bits
};

struct FixedPointSettings {
  unsigned bits = 20;  // L, from 8 to 28
  FixedRounding rounding = FixedRounding::published;
  NewtonStart start = NewtonStart::published;
  unsigned newton_steps = 7;
};

[[nodiscard]] double newton_error(NewtonStart start, unsigned steps, double d);

class FixedPointBandit {
 public:
  // Throws std::invalid_argument if there is no arm or no feature, or if `bits` is not 8 to 28. Throws InputError if
  // epsilon is outside [0, 1].
  FixedPointBandit(std::size_t arms, std::size_t features, double epsilon, std::uint64_t seed,
                   const FixedPointSettings& settings);

  // As in PlaintextBandit. Rewards are 0 or 1.
  std::size_t select(std::span<const double> context);
  void update(std::span<const double> context, std::size_t arm, double reward);

  [[nodiscard]] std::uint64_t failures() const { return failures_; }
  // W_a^-1 as doubles, features x features.
  [[nodiscard]] std::vector<double> inverse_matrix(std::size_t arm) const;

 private:
  using Word = std::int64_t;

  [[nodiscard]] Word divided(Word product);
  [[nodiscard]] Word product(Word a, Word b);
  [[nodiscard]] Word inner(const Word* a, const Word* b);
  [[nodiscard]] Word encoded(double value) const;
  [[nodiscard]] Word reciprocal(Word d);
  [[nodiscard]] Word start_of(Word d);
  void encode(std::span<const double> context);
  void subtract_outer(Word* matrix, Word factor);

  std::size_t arms_;
  std::size_t features_;
  FixedPointSettings settings_;
  Exploration exploration_;
  Stream coins_;
  Stream rounding_;
  std::uint64_t failures_ = 0;
  std::vector<Word> inverse_;  // [arm][i][j]
  std::vector<Word> biases_;   // [arm][i]
  std::vector<Word> x_, u_, v_, w_;
  std::vector<Word> scores_;
};

}  // namespace sotto::apps::lab
