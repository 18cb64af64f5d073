// Runs of decide and learn for tests, and a twin that computes in the clear what the protocol computes in shares.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "apps/bandit/model/batch/batch_plan.h"
#include "apps/bandit/model/batch/learn.h"
#include "sotto/protocol/arithmetic/bilinear.h"
#include "sotto/protocol/async/when_all.h"
#include "sotto/protocol/io/open.h"
#include "sotto/protocol/ring/fixed_point.h"
#include "sotto/protocol/simulate/simulate.h"
#include "tests/apps/support.h"
#include "tests/linear_algebra.h"

namespace sotto::apps::bandit::testing {

using Numbers = std::vector<std::uint64_t>;

struct OpenedModel {
  Numbers gram, targets, inverse, weights;
};

inline Numbers words_of(const Public& value) {
  Numbers result;
  value.if_known([&](const Words& words) { result.assign(words.begin(), words.end()); });
  return result;
}

inline Task<OpenedModel> opened(Party& party, const BatchModel& model) {
  auto [A, b, W, w] =
      co_await when_all(protocols::open(party, model.gram, "test A"), protocols::open(party, model.targets, "test b"),
                        protocols::open(party, model.inverse.shares(party), "test W"),
                        protocols::open(party, model.weights.shares(party), "test w"));
  OpenedModel result{words_of(A), words_of(b), words_of(W), words_of(w)};
  co_return result;
}

inline Eigen::MatrixXd matrix_of(const Numbers& triangles, std::size_t arm, std::size_t d, unsigned bits) {
  const auto n = static_cast<Eigen::Index>(d);
  Eigen::MatrixXd matrix(n, n);
  std::size_t entry = arm * protocols::triangle(d);
  for (Eigen::Index i = 0; i < n; ++i) {
    for (Eigen::Index j = i; j < n; ++j) matrix(i, j) = matrix(j, i) = decode(triangles[entry++], bits);
  }
  return matrix;
}

inline Eigen::VectorXd vector_of(const Numbers& rows, std::size_t arm, std::size_t d, unsigned bits) {
  Eigen::VectorXd vector(static_cast<Eigen::Index>(d));
  for (std::size_t i = 0; i < d; ++i) vector(static_cast<Eigen::Index>(i)) = decode(rows[arm * d + i], bits);
  return vector;
}

struct IntegerSums {
  explicit IntegerSums(const BatchPlan& plan)
      : d(plan.parameters.features()),
        gram(plan.parameters.arms * protocols::triangle(d), 0),
        targets(plan.parameters.arms * d, 0) {
    for (std::size_t a = 0, entry = 0; a < plan.parameters.arms; ++a) {
      for (std::size_t i = 0; i < d; entry += d - i, ++i) gram[entry] = std::uint64_t{1} << (2 * plan.context_bits);
    }
  }
  void add(std::size_t arm, std::span<const std::uint64_t> x, std::uint64_t reward) {
    std::size_t entry = arm * protocols::triangle(d);
    for (std::size_t i = 0; i < d; ++i) {
      for (std::size_t j = i; j < d; ++j) gram[entry++] += x[i] * x[j];
      targets[arm * d + i] += reward * x[i];
    }
  }
  std::size_t d;
  Numbers gram, targets;
};

// BatchTwin does the arithmetic of learn on integers modulo 2^64, with the bit widths of learn. A truncation rounds up
// at random, with a probability equal to the fraction that is cut off. The twin's words differ from a run's words only
// by this rounding.

enum class Omitted { nothing, other_half, refinement };

class BatchTwin {
 public:
  using Words = std::vector<std::uint64_t>;

  BatchTwin(const BatchPlan& plan, unsigned seed, Omitted omitted = Omitted::nothing)
      : p_(plan),
        d_(plan.parameters.features()),
        omitted_(omitted),
        random_(seed),
        A(d_ * d_, 0),
        b(d_, 0),
        W(d_ * d_, 0),
        w(d_, 0) {
    for (std::size_t i = 0; i < d_; ++i) {
      A[i * d_ + i] = one(2 * p_.context_bits);
      W[i * d_ + i] = one(p_.inverse_bits);
    }
  }

 private:
  const BatchPlan& p_;
  std::size_t d_;
  Omitted omitted_;
  std::mt19937_64 random_;

 public:
  Words A, b, W, w;

  void learn(const Words& rows, const Words& rewards) {
    Words S(d_ * d_, 0);
    for (std::size_t e = 0; e < rewards.size(); ++e) {
      const std::uint64_t* x = rows.data() + e * d_;
      for (std::size_t i = 0; i < d_; ++i) {
        for (std::size_t j = 0; j < d_; ++j) S[i * d_ + j] += x[i] * x[j];
        b[i] += rewards[e] * x[i];
      }
    }
    for (std::size_t i = 0; i < d_ * d_; ++i) A[i] += S[i];
    const Words cut_A = symmetric(A, 2 * p_.context_bits - p_.gram_bits);
    const Words cut_S = symmetric(S, 2 * p_.context_bits - p_.sum_bits);
    const Words cut_b = cut(b, p_.context_bits + p_.reward_bits - p_.target_bits);

    const unsigned t_bits = p_.inverse_bits + p_.sum_bits;
    std::uint64_t t = one(t_bits - 5);
    for (std::size_t i = 0; i < d_ * d_; ++i) t += W[i] * cut_S[i];
    const std::uint64_t cell = (t >> (t_bits - BatchPlan::cell_bits)) + random_() % 2;
    const double upper = std::ldexp(static_cast<double>(cell + 1), -1 - static_cast<int>(BatchPlan::cell_bits));
    const auto c = static_cast<std::uint64_t>(std::floor(std::ldexp(1.0, BatchPlan::step_bits) / (1 + upper)));
    Words scaled = W;
    for (std::uint64_t& entry : scaled) entry *= c;
    W = symmetric(scaled, BatchPlan::step_bits);

    Words w0;
    for (unsigned i = 0; i < BatchPlan::iterations; ++i) {
      if (i + 1 == BatchPlan::iterations) w0 = cut(times(W, cut_b), p_.inverse_bits + p_.target_bits - p_.weight_bits);
      iterate(cut_A);
    }
    Words error = times(cut_A, w0);
    const unsigned scale = p_.gram_bits + p_.weight_bits;
    for (std::size_t i = 0; i < d_; ++i) error[i] = (b[i] << (scale - p_.context_bits - p_.reward_bits)) - error[i];
    error = cut(error, scale - p_.correction_bits);
    w = times(W, error);
    const unsigned w_cut = p_.inverse_bits + p_.correction_bits - p_.weight_bits;
    for (std::size_t i = 0; i < d_; ++i) w[i] += w0[i] << w_cut;
    w = cut(w, w_cut);
    if (omitted_ == Omitted::refinement) w = cut(times(W, cut_b), p_.inverse_bits + p_.target_bits - p_.weight_bits);
  }

 private:
  static std::uint64_t one(unsigned bits) { return std::uint64_t{1} << bits; }

  void iterate(const Words& cut_A) {
    const Words P = cut(times_matrix(cut_A, W), p_.gram_bits + p_.inverse_bits - p_.residual_bits);
    const Words WP = times_matrix(W, P);
    Words next(d_ * d_);
    for (std::size_t i = 0; i < d_; ++i) {
      for (std::size_t j = i; j < d_; ++j) {
        const std::uint64_t other = omitted_ == Omitted::other_half ? WP[i * d_ + j] : WP[j * d_ + i];
        next[i * d_ + j] = (W[i * d_ + j] << (p_.residual_bits + 2)) - WP[i * d_ + j] - other;
      }
    }
    W = symmetric(next, p_.residual_bits + 1);
  }

  std::uint64_t cut(std::uint64_t z, unsigned bits) {
    if (bits == 0) return z;
    const std::uint64_t low = one(bits) - 1;
    const auto floor = static_cast<std::uint64_t>(static_cast<std::int64_t>(z) >> bits);
    return floor + ((random_() & low) < (z & low) ? 1 : 0);
  }
  Words cut(Words z, unsigned bits) {
    for (std::uint64_t& word : z) word = cut(word, bits);
    return z;
  }
  Words symmetric(Words z, unsigned bits) {
    for (std::size_t i = 0; i < d_; ++i) {
      for (std::size_t j = i; j < d_; ++j) z[i * d_ + j] = z[j * d_ + i] = cut(z[i * d_ + j], bits);
    }
    return z;
  }
  [[nodiscard]] Words times(const Words& matrix, const Words& y) const {
    Words sums(d_, 0);
    for (std::size_t i = 0; i < d_; ++i) {
      for (std::size_t j = 0; j < d_; ++j) sums[i] += matrix[i * d_ + j] * y[j];
    }
    return sums;
  }
  [[nodiscard]] Words times_matrix(const Words& x, const Words& y) const {
    Words sums(d_ * d_, 0);
    for (std::size_t i = 0; i < d_; ++i) {
      for (std::size_t k = 0; k < d_; ++k) {
        for (std::size_t j = 0; j < d_; ++j) sums[i * d_ + j] += x[i * d_ + k] * y[k * d_ + j];
      }
    }
    return sums;
  }
};

}  // namespace sotto::apps::bandit::testing
