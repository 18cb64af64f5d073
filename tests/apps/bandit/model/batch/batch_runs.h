// Runs of decide and learn for tests: what was played and learned, in the clear, beside what the protocol has in
// shares.
#pragma once

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

// The model, opened at the compute parties.
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

// Symmetric matrix `arm` of triangles in words.
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

// The exact sums of an arm, in integers.
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

}  // namespace sotto::apps::bandit::testing
